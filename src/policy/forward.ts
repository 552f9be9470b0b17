import type { Recorder } from '../gpu/recorder.ts';
import type { PolicyKernels } from './kernels.ts';
import { logitStride, projectedDim } from './policyConfiguration.ts';
import type { LayerActivations, Workspace } from './workspace.ts';

/** Where the GPU finds how many rows a kernel has to do. */
export interface Extent {
  readonly counts: GPUBuffer;
  readonly countIndex: number;
  /** Upper bound of the count, for sizing dispatches. */
  readonly most: number;
}

/** Rows to compute. */
export interface RowSource extends Extent {
  readonly rows: GPUBuffer;
  readonly rowBase: number;
}

/** Rows whose logits are wanted: a list, or all rows in order. */
export interface TargetSource extends Extent {
  /** Absent: every row is a target. */
  readonly targets?: GPUBuffer;
  readonly targetBase: number;
}

interface LinearSize {
  readonly inputs: number;
  readonly outputs: number;
}

/** What a linear map does besides multiplying. */
interface LinearOptions {
  /** Added to the result. */
  readonly residual?: GPUBuffer;
  /** Norm weight: the input is RMS-normalised first. */
  readonly norm?: string;
  /** SwiGLU of the weight's rows and as many rows after them. */
  readonly gate?: boolean;
}

export const ceilDiv = (value: number, by: number): number => Math.ceil(value / by);

/** The forward pass of a policy over packed rows, for training (activations stay in the workspace) or inference. */
export class Forward {
  /** @param keep keep what the backward pass needs; without it norms and gates are done inside the matrix products */
  constructor(
    private readonly workspace: Workspace,
    private readonly kernels: PolicyKernels,
    private readonly keep: boolean,
  ) {}

  /**
   * Records rows through all layers and targets through the tied head into `workspace.logits`. Past the last layer's
   * keys and values only the targets are computed, or past its attention where a backward pass needs all of that.
   */
  encode(recorder: Recorder, parameters: GPUBuffer, rows: RowSource, targets: TargetSource): void {
    this.trunk(recorder, parameters, rows, targets);
    this.head(recorder, parameters, targets);
  }

  /** Records rows through all layers and the values of the targets into `workspace.distribution`; no logits. */
  encodeValues(recorder: Recorder, parameters: GPUBuffer, rows: RowSource, targets: TargetSource): void {
    const { output, normed } = this.workspace;
    this.trunk(recorder, parameters, rows, targets);
    this.norm(recorder, parameters, 'norm', output, normed, targets);
    this.value(recorder, parameters, targets);
  }

  /** All layers: `workspace.output` holds the targets' residual stream. */
  private trunk(recorder: Recorder, parameters: GPUBuffer, rows: RowSource, targets: TargetSource): void {
    const { layers, output, targetAttended, targetInput } = this.workspace;
    this.embed(recorder, parameters, rows, layers[0].input);
    layers.forEach((layer, index) => {
      this.project(recorder, parameters, index, layer, rows);
      const next = layers[index + 1];
      if (next || !targets.targets) {
        this.attend(recorder, layer, layer.attended, rows);
        const [goal, extent] = next ? [next.input, rows] : [output, targets];
        this.feedForward(recorder, parameters, index, layer, layer.attended, layer.input, goal, extent);
        return;
      }
      if (this.keep) this.attend(recorder, layer, layer.attended, rows);
      else this.attend(recorder, layer, targetAttended, rows, targets);
      this.gather(recorder, layer, targets);
      this.feedForward(recorder, parameters, index, layer, targetAttended, targetInput, output, targets);
    });
  }

  /** Records log-probability, entropy and value of the targets into `workspace.distribution`. */
  distribution(recorder: Recorder, parameters: GPUBuffer, source: TargetSource): void {
    const { workspace, kernels } = this;
    const { config, batch, distribution, logits } = workspace;
    const { counts, countIndex, targetBase, most } = source;
    recorder.dispatch(
      kernels.tokenLogProb,
      { counts, targets: source.targets ?? batch.targets, logits, distribution },
      { targetBase, countIndex, vocabulary: config.vocab, stride: logitStride(config) },
      [most],
    );
    if (config.valueHead) this.value(recorder, parameters, source);
  }

  private value(recorder: Recorder, parameters: GPUBuffer, { counts, countIndex, most }: Extent): void {
    const { config, layout, normed, distribution } = this.workspace;
    recorder.dispatch(
      this.kernels.valueHead,
      { counts, parameters, normed, distribution },
      { countIndex, dim4: config.dim / 4, weightOffset4: layout.at('valueHead').offset / 4 },
      { invocations: [most] },
    );
  }

  /** The residual stream that the first layer starts from. */
  private embed(
    recorder: Recorder,
    parameters: GPUBuffer,
    { rows, rowBase, counts, countIndex, most }: RowSource,
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
      { invocations: [most * dim4] },
    );
  }

  /** Norm, projections, rotation and cache: `layer.input` to `layer.projected`, keys and values. */
  private project(
    recorder: Recorder,
    parameters: GPUBuffer,
    index: number,
    layer: LayerActivations,
    source: RowSource,
  ): void {
    const { config, rotation } = this.workspace;
    const { projected, keys, values } = layer;
    const { rows, rowBase, counts, countIndex, most } = source;
    const size = { inputs: config.dim, outputs: projectedDim(config) };
    const norm = `layers.${index}.attnNorm`;
    if (this.keep) {
      this.norm(recorder, parameters, norm, layer.input, layer.attnNormed, source);
      this.linear(recorder, parameters, `layers.${index}.q`, layer.attnNormed, projected, size, source);
    } else this.linear(recorder, parameters, `layers.${index}.q`, layer.input, projected, size, source, { norm });
    recorder.dispatch(
      this.kernels.rope,
      { counts, rows, rotation, projected, keys, values },
      { rowBase, countIndex },
      { invocations: [most * (config.heads + 2 * config.kvHeads)] },
    );
  }

  /** Attention of all rows, or of the targets among them, packed. */
  private attend(
    recorder: Recorder,
    { projected, keys, values, softmaxState }: LayerActivations,
    attended: GPUBuffer,
    { rows, rowBase, ...all }: RowSource,
    source?: TargetSource,
  ): void {
    const { config, batch } = this.workspace;
    const { counts, countIndex, most } = source ?? all;
    const targets = source?.targets ?? batch.targets;
    recorder.dispatch(
      this.kernels.attention,
      { counts, rows, projected, keys, values, attended, softmaxState, targets },
      { rowBase, targetBase: source?.targetBase ?? 0, countIndex, ofTargets: source ? 1 : 0 },
      { invocations: [most * config.heads] },
    );
  }

  /** The residual stream of the targets; what they attend to as well, unless only they attended. */
  private gather(recorder: Recorder, layer: LayerActivations, source: TargetSource): void {
    const { config, batch, targetAttended, targetInput } = this.workspace;
    const { counts, targets = batch.targets, targetBase, countIndex, most } = source;
    const dim4 = config.dim / 4;
    recorder.dispatch(
      this.keep ? this.kernels.gatherTargets : this.kernels.gatherInputs,
      { counts, targets, attended: layer.attended, input: layer.input, targetAttended, targetInput },
      { targetBase, countIndex, dim4 },
      { invocations: [most * dim4] },
    );
  }

  /** Output projection, norm and SwiGLU: attended rows and their residual stream to the next one. */
  private feedForward(
    recorder: Recorder,
    parameters: GPUBuffer,
    index: number,
    layer: LayerActivations,
    attended: GPUBuffer,
    residual: GPUBuffer,
    next: GPUBuffer,
    extent: Extent,
  ): void {
    const { dim, ffDim } = this.workspace.config;
    const name = (part: string) => `layers.${index}.${part}`;
    const linear = (part: string, input: GPUBuffer, output: GPUBuffer, size: LinearSize, options?: LinearOptions) =>
      this.linear(recorder, parameters, name(part), input, output, size, extent, options);
    linear('o', attended, layer.middle, { inputs: dim, outputs: dim }, { residual });
    if (this.keep) {
      this.norm(recorder, parameters, name('ffNorm'), layer.middle, layer.ffNormed, extent);
      linear('gate', layer.ffNormed, layer.gateUp, { inputs: dim, outputs: 2 * ffDim });
      recorder.dispatch(
        this.kernels.swiglu,
        { counts: extent.counts, gateUp: layer.gateUp, activated: layer.activated },
        { countIndex: extent.countIndex, ff4: ffDim / 4 },
        { invocations: [(extent.most * ffDim) / 4] },
      );
    } else {
      const options = { norm: name('ffNorm'), gate: true };
      linear('gate', layer.middle, layer.activated, { inputs: dim, outputs: ffDim }, options);
    }
    linear('down', layer.activated, next, { inputs: ffDim, outputs: dim }, { residual: layer.middle });
  }

  /** Final norm and tied output head. */
  private head(recorder: Recorder, parameters: GPUBuffer, extent: Extent): void {
    const { config, output, normed, logits } = this.workspace;
    const size = { inputs: config.dim, outputs: logitStride(config) };
    if (this.keep) {
      this.norm(recorder, parameters, 'norm', output, normed, extent);
      this.linear(recorder, parameters, 'embed', normed, logits, size, extent);
    } else this.linear(recorder, parameters, 'embed', output, logits, size, extent, { norm: 'norm' });
  }

  private norm(
    recorder: Recorder,
    parameters: GPUBuffer,
    weight: string,
    input: GPUBuffer,
    normed: GPUBuffer,
    { counts, countIndex, most }: Extent,
  ): void {
    const { config, layout } = this.workspace;
    const weightOffset4 = layout.at(weight).offset / 4;
    recorder.dispatch(
      this.kernels.norm,
      { counts, parameters, input, normed },
      { countIndex, dim4: config.dim / 4, weightOffset4, epsilon: config.normEps },
      { invocations: [most] },
    );
  }

  private linear(
    recorder: Recorder,
    parameters: GPUBuffer,
    weight: string,
    input: GPUBuffer,
    output: GPUBuffer,
    { inputs, outputs }: LinearSize,
    { counts, countIndex, most }: Extent,
    { residual, norm, gate = false }: LinearOptions = {},
  ): void {
    const { kernels } = this;
    const { columns, rows } = kernels.tiles;
    const { config, layout } = this.workspace;
    const plain = residual ? kernels.linearResidual : kernels.linear;
    const fused = gate ? kernels.linearNormGate : kernels.linearNorm;
    const in4 = inputs / 4;
    // A gated workgroup takes half of its rows from the gate and half from the matrix behind it.
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
      [ceilDiv(most, rows), ceilDiv(outputs, groupRows)],
    );
  }
}
