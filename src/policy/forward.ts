import type { Recorder } from '../gpu/recorder.ts';
import type { Minibatch } from './batch.ts';
import type { PolicyKernels } from './kernels.ts';
import { logitStride, projectedDim } from './weights.ts';
import type { LayerActivations, NetworkSpace } from './workspace.ts';

/** Position from which a kernel reads its number of rows. */
export interface Extent {
  readonly counts: GPUBuffer;
  readonly countIndex: number;
  /** Upper bound of the count, which determines the size of a dispatch. */
  readonly limit: number;
}

/** Rows to compute. */
export interface RowSource extends Extent {
  readonly rows: GPUBuffer;
  readonly rowBase: number;
}

/** Rows whose logits are requested: a list, or all rows in order. */
export interface TargetSource extends Extent {
  /** Row of each target; absent if every row is a target. */
  readonly targets?: GPUBuffer;
  readonly targetBase: number;
}

/** Returns the rows and the targets of a minibatch in the arrays of the uploaded batch. */
export function sourcesOf(
  batch: NetworkSpace['batch'],
  minibatch: Minibatch,
): [RowSource, TargetSource & { targets: GPUBuffer }] {
  const { rows, targets, counts } = batch;
  const { rowBase, targetBase, countIndex } = minibatch;
  return [
    { rows, rowBase, counts, countIndex, limit: minibatch.rows },
    { targets, targetBase, counts, countIndex: countIndex + 1, limit: minibatch.targets },
  ];
}

/** Data that the dispatches of one forward pass share. */
interface Pass {
  readonly recorder: Recorder;
  readonly parameters: GPUBuffer;
}

/** Linear map of rows, with operations in addition to the multiplication. */
interface Linear {
  /** Tensor that multiplies the rows. */
  readonly weight: string;
  readonly input: GPUBuffer;
  readonly output: GPUBuffer;
  /** Number of columns of the input. */
  readonly inputs: number;
  /** Number of columns of the output. */
  readonly outputs: number;
  /** Rows that are added to the result. */
  readonly residual?: GPUBuffer;
  /** Weight of a norm: the input is RMS-normalised first. */
  readonly norm?: string;
  /** True for SwiGLU of the weight's rows and the same number of rows after them. */
  readonly gate?: boolean;
}

/** Rows in the second half of a layer. */
interface FeedForward {
  readonly attended: GPUBuffer;
  /** Residual stream of the rows before the second half. */
  readonly residual: GPUBuffer;
  /** Residual stream of the rows after the second half. */
  readonly next: GPUBuffer;
}

export const ceilDiv = (value: number, by: number): number => Math.ceil(value / by);

/** Forward pass of a policy over packed rows, for training (activations remain in the workspace) or inference. */
export class Forward {
  /**
   * @param retain true if the backward pass requires activations; if false, norms and gates are fused into matrix
   *   products
   */
  constructor(
    private readonly workspace: NetworkSpace,
    private readonly kernels: PolicyKernels,
    private readonly retain: boolean,
  ) {}

  /**
   * Records rows through all layers, and targets through the tied head into `workspace.logits`. After the last layer's
   * keys and values, only the targets are computed. If a backward pass requires the attention of all rows, this applies
   * after the attention.
   */
  record(recorder: Recorder, parameters: GPUBuffer, rows: RowSource, targets: TargetSource): void {
    const pass = { recorder, parameters };
    this.layers(pass, rows, targets);
    this.head(pass, targets);
  }

  /** Records rows through all layers, and the values of the targets into `workspace.distribution`, without logits. */
  recordValues(recorder: Recorder, parameters: GPUBuffer, rows: RowSource, targets: TargetSource): void {
    const { output, normed } = this.workspace;
    const pass = { recorder, parameters };
    this.layers(pass, rows, targets);
    this.norm(pass, 'norm', output, normed, targets);
    this.value(pass, targets);
  }

  /** Records all layers. The residual stream of the targets is then in `workspace.output`. */
  private layers(pass: Pass, rows: RowSource, targets: TargetSource): void {
    const { layers, output, targetAttended, targetInput } = this.workspace;
    this.embed(pass, rows, layers[0].input);
    layers.forEach((layer, index) => {
      this.project(pass, index, layer, rows);
      const next = layers[index + 1];
      if (next || !targets.targets) {
        this.attend(pass, layer, layer.attended, rows);
        const [goal, extent] = next ? [next.input, rows] : [output, targets];
        this.feedForward(pass, index, { attended: layer.attended, residual: layer.input, next: goal }, extent);
        return;
      }
      if (this.retain) this.attend(pass, layer, layer.attended, rows);
      else this.attend(pass, layer, targetAttended, rows, targets);
      this.gather(pass, layer, targets);
      this.feedForward(pass, index, { attended: targetAttended, residual: targetInput, next: output }, targets);
    });
  }

  /** Records log-probability, entropy and value of the targets into `workspace.distribution`. */
  recordDistribution(recorder: Recorder, parameters: GPUBuffer, source: TargetSource): void {
    const { workspace, kernels } = this;
    const { config, batch, distribution, logits } = workspace;
    const { counts, countIndex, targetBase, limit } = source;
    recorder.dispatch(
      kernels.tokenLogProb,
      { counts, targets: source.targets ?? batch.targets, logits, distribution },
      { targetBase, countIndex, vocabulary: config.vocab, stride: logitStride(config) },
      [limit],
    );
    if (config.valueHead) this.value({ recorder, parameters }, source);
  }

  private value({ recorder, parameters }: Pass, { counts, countIndex, limit }: Extent): void {
    const { config, layout, normed, distribution } = this.workspace;
    recorder.dispatch(
      this.kernels.valueHead,
      { counts, parameters, normed, distribution },
      { countIndex, dim4: config.dim / 4, weightOffset4: layout.at('valueHead').offset / 4 },
      { invocations: [limit] },
    );
  }

  /** Records the residual stream at the first layer. */
  private embed(
    { recorder, parameters }: Pass,
    { rows, rowBase, counts, countIndex, limit }: RowSource,
    hidden: GPUBuffer,
  ): void {
    const { config, layout } = this.workspace;
    const dim4 = config.dim / 4;
    const embedOffset4 = layout.at('embed').offset / 4;
    const smearOffset4 = config.smear ? layout.at('smear').offset / 4 : 0;
    recorder.dispatch(
      this.kernels.embed,
      { counts, rows, parameters, hidden },
      { rowBase, countIndex, dim4, embedOffset4, smearOffset4 },
      { invocations: [limit * dim4] },
    );
  }

  /** Records norm, projections, rotation and cache: `layer.input` to `layer.projected`, keys and values. */
  private project(pass: Pass, index: number, layer: LayerActivations, source: RowSource): void {
    const { config, rotation } = this.workspace;
    const { projected, keys, values } = layer;
    const { rows, rowBase, counts, countIndex, limit } = source;
    const linear = {
      weight: `layers.${index}.q`,
      output: projected,
      inputs: config.dim,
      outputs: projectedDim(config),
    };
    const norm = `layers.${index}.attnNorm`;
    if (this.retain) {
      this.norm(pass, norm, layer.input, layer.attnNormed, source);
      this.linear(pass, { ...linear, input: layer.attnNormed }, source);
    } else this.linear(pass, { ...linear, input: layer.input, norm }, source);
    pass.recorder.dispatch(
      this.kernels.rope,
      { counts, rows, rotation, projected, keys, values },
      { rowBase, countIndex },
      { invocations: [limit * (config.heads + 2 * config.kvHeads)] },
    );
  }

  /** Records the attention of all rows, or only of the targets, packed. */
  private attend(
    { recorder }: Pass,
    { projected, keys, values, softmaxState }: LayerActivations,
    attended: GPUBuffer,
    { rows, rowBase, ...all }: RowSource,
    source?: TargetSource,
  ): void {
    const { config, batch } = this.workspace;
    const { counts, countIndex, limit } = source ?? all;
    const targets = source?.targets ?? batch.targets;
    recorder.dispatch(
      this.kernels.attention,
      { counts, rows, projected, keys, values, attended, softmaxState, targets },
      { rowBase, targetBase: source?.targetBase ?? 0, countIndex, ofTargets: source ? 1 : 0 },
      { invocations: [limit * config.heads] },
    );
  }

  /**
   * Records the copy of the targets' residual stream. Their attention is also copied, unless only the targets attended.
   */
  private gather({ recorder }: Pass, layer: LayerActivations, source: TargetSource): void {
    const { config, batch, targetAttended, targetInput } = this.workspace;
    const { counts, targets = batch.targets, targetBase, countIndex, limit } = source;
    const dim4 = config.dim / 4;
    recorder.dispatch(
      this.retain ? this.kernels.gatherTargets : this.kernels.gatherInputs,
      { counts, targets, attended: layer.attended, input: layer.input, targetAttended, targetInput },
      { targetBase, countIndex, dim4 },
      { invocations: [limit * dim4] },
    );
  }

  /**
   * Records output projection, norm and SwiGLU: from attended rows and their residual stream to the next residual
   * stream.
   */
  private feedForward(pass: Pass, index: number, { attended, residual, next }: FeedForward, extent: Extent): void {
    const { config, layers } = this.workspace;
    const { dim, ffDim } = config;
    const { middle, ffNormed, gateUp, activated } = layers[index];
    const name = (part: string) => `layers.${index}.${part}`;
    const back = { input: attended, output: middle, inputs: dim, outputs: dim };
    this.linear(pass, { weight: name('o'), ...back, residual }, extent);
    const gate = { weight: name('gate'), inputs: dim };
    if (this.retain) {
      this.norm(pass, name('ffNorm'), middle, ffNormed, extent);
      this.linear(pass, { ...gate, input: ffNormed, output: gateUp, outputs: 2 * ffDim }, extent);
      pass.recorder.dispatch(
        this.kernels.swiglu,
        { counts: extent.counts, gateUp, activated },
        { countIndex: extent.countIndex, ff4: ffDim / 4 },
        { invocations: [(extent.limit * ffDim) / 4] },
      );
    } else {
      const fused = { norm: name('ffNorm'), gate: true };
      this.linear(pass, { ...gate, input: middle, output: activated, outputs: ffDim, ...fused }, extent);
    }
    const down = { input: activated, output: next, inputs: ffDim, outputs: dim };
    this.linear(pass, { weight: name('down'), ...down, residual: middle }, extent);
  }

  /** Records the final norm and the tied output head. */
  private head(pass: Pass, extent: Extent): void {
    const { config, output, normed, logits } = this.workspace;
    const linear = { weight: 'embed', output: logits, inputs: config.dim, outputs: logitStride(config) };
    if (this.retain) {
      this.norm(pass, 'norm', output, normed, extent);
      this.linear(pass, { ...linear, input: normed }, extent);
    } else this.linear(pass, { ...linear, input: output, norm: 'norm' }, extent);
  }

  private norm(
    { recorder, parameters }: Pass,
    weight: string,
    input: GPUBuffer,
    normed: GPUBuffer,
    { counts, countIndex, limit }: Extent,
  ): void {
    const { config, layout } = this.workspace;
    const weightOffset4 = layout.at(weight).offset / 4;
    recorder.dispatch(
      this.kernels.norm,
      { counts, parameters, input, normed },
      { countIndex, dim4: config.dim / 4, weightOffset4, epsilon: config.normEps },
      { invocations: [limit] },
    );
  }

  private linear(
    { recorder, parameters }: Pass,
    { weight, input, output, inputs, outputs, residual, norm, gate = false }: Linear,
    { counts, countIndex, limit }: Extent,
  ): void {
    const { kernels } = this;
    const { columns, rows } = kernels.tiles;
    const { config, layout } = this.workspace;
    const plain = residual ? kernels.linearResidual : kernels.linear;
    const fused = gate ? kernels.linearNormGate : kernels.linearNorm;
    const in4 = inputs / 4;
    // A gated workgroup processes half of its rows from the gate and half from the matrix after it.
    const groupRows = gate ? columns / 2 : columns;
    recorder.dispatch(
      norm ? fused : plain,
      { counts, parameters, input, residual: residual ?? input, output },
      {
        countIndex,
        in4,
        outStride4: outputs / 4,
        weightOffset4: layout.at(weight).offset / 4,
        groupRows,
        highOffset4: (gate ? outputs : columns / 2) * in4,
        normOffset4: norm ? layout.at(norm).offset / 4 : 0,
        epsilon: config.normEps,
      },
      [ceilDiv(limit, rows), ceilDiv(outputs, groupRows)],
    );
  }
}
