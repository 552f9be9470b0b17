import type { Recorder } from '../gpu/recorder.ts';
import { logitStride, projectedDim } from './configuration.ts';
import type { PolicyKernels } from './kernels.ts';
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

export const ceilDiv = (value: number, by: number): number => Math.ceil(value / by);

/** The forward pass of a policy over packed rows; activations stay in the workspace for the backward pass. */
export class Forward {
  constructor(
    private readonly workspace: Workspace,
    private readonly kernels: PolicyKernels,
  ) {}

  /**
   * Records rows through all layers and targets through the tied head into `workspace.logits`. Past the last layer's
   * attention only the targets are computed.
   */
  encode(recorder: Recorder, parameters: GPUBuffer, rows: RowSource, targets: TargetSource): void {
    const { layers, output, targetAttended, targetInput } = this.workspace;
    this.embed(recorder, parameters, rows);
    layers.forEach((layer, index) => {
      this.attention(recorder, parameters, index, layer, rows);
      const next = layers[index + 1];
      if (next) this.feedForward(recorder, parameters, index, layer, layer.attended, layer.input, next.input, rows);
      else if (targets.targets) {
        this.gather(recorder, layer, targets);
        this.feedForward(recorder, parameters, index, layer, targetAttended, targetInput, output, targets);
      } else this.feedForward(recorder, parameters, index, layer, layer.attended, layer.input, output, targets);
    });
    this.head(recorder, parameters, targets);
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
    if (!config.valueHead) return;
    recorder.dispatch(
      kernels.valueHead,
      { counts, parameters, normed: workspace.normed, distribution },
      { countIndex, dim4: config.dim / 4, weightOffset4: workspace.layout.at('valueHead').offset / 4 },
      [ceilDiv(most, 64)],
    );
  }

  private embed(
    recorder: Recorder,
    parameters: GPUBuffer,
    { rows, rowBase, counts, countIndex, most }: RowSource,
  ): void {
    const { config, layout, layers } = this.workspace;
    const dim4 = config.dim / 4;
    const embedOffset4 = layout.at('embed').offset / 4;
    const smearOffset4 = config.smear ? layout.at('smear').offset / 4 : 0;
    recorder.dispatch(
      this.kernels.embed,
      { counts, rows, parameters, hidden: layers[0].input },
      { rowBase, countIndex, dim4, embedOffset4, smearOffset4 },
      [ceilDiv(most * dim4, 64)],
    );
  }

  /** Norm, projections, rotation and cache, attention: `layer.input` to `layer.attended`. */
  private attention(
    recorder: Recorder,
    parameters: GPUBuffer,
    index: number,
    layer: LayerActivations,
    source: RowSource,
  ): void {
    const { config, rotation } = this.workspace;
    const { rows, rowBase, counts, countIndex, most } = source;
    const { projected, keys, values, attended, softmaxState } = layer;
    this.norm(recorder, parameters, `layers.${index}.attnNorm`, layer.input, layer.attnNormed, source);
    const size = { inputs: config.dim, outputs: projectedDim(config) };
    this.linear(recorder, parameters, `layers.${index}.q`, layer.attnNormed, projected, size, source);
    recorder.dispatch(this.kernels.rope, { counts, rows, rotation, projected, keys, values }, { rowBase, countIndex }, [
      ceilDiv(most * (config.heads + 2 * config.kvHeads), 64),
    ]);
    recorder.dispatch(
      this.kernels.attention,
      { counts, rows, projected, keys, values, attended, softmaxState },
      { rowBase, countIndex },
      [ceilDiv(most * config.heads, 64)],
    );
  }

  private gather(recorder: Recorder, layer: LayerActivations, source: TargetSource): void {
    const { config, batch, targetAttended, targetInput } = this.workspace;
    const { counts, targets = batch.targets, targetBase, countIndex, most } = source;
    const dim4 = config.dim / 4;
    recorder.dispatch(
      this.kernels.gatherTargets,
      { counts, targets, attended: layer.attended, input: layer.input, targetAttended, targetInput },
      { targetBase, countIndex, dim4 },
      [ceilDiv(most * dim4, 64)],
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
    const linear = (name: string, input: GPUBuffer, output: GPUBuffer, size: LinearSize, added?: GPUBuffer) =>
      this.linear(recorder, parameters, `layers.${index}.${name}`, input, output, size, extent, added);
    linear('o', attended, layer.middle, { inputs: dim, outputs: dim }, residual);
    this.norm(recorder, parameters, `layers.${index}.ffNorm`, layer.middle, layer.ffNormed, extent);
    linear('gate', layer.ffNormed, layer.gateUp, { inputs: dim, outputs: 2 * ffDim });
    recorder.dispatch(
      this.kernels.swiglu,
      { counts: extent.counts, gateUp: layer.gateUp, activated: layer.activated },
      { countIndex: extent.countIndex, ff4: ffDim / 4 },
      [ceilDiv((extent.most * ffDim) / 4, 64)],
    );
    linear('down', layer.activated, next, { inputs: ffDim, outputs: dim }, layer.middle);
  }

  /** Final norm and tied output head. */
  private head(recorder: Recorder, parameters: GPUBuffer, extent: Extent): void {
    const { config, output, normed, logits } = this.workspace;
    this.norm(recorder, parameters, 'norm', output, normed, extent);
    const size = { inputs: config.dim, outputs: logitStride(config) };
    this.linear(recorder, parameters, 'embed', normed, logits, size, extent);
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
      [ceilDiv(most, 64)],
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
    residual?: GPUBuffer,
  ): void {
    const { tiles } = this.kernels;
    const weightOffset4 = this.workspace.layout.at(weight).offset / 4;
    recorder.dispatch(
      residual ? this.kernels.linearResidual : this.kernels.linear,
      { counts, parameters, input, residual: residual ?? input, output },
      { countIndex, in4: inputs / 4, outStride4: outputs / 4, weightOffset4 },
      [ceilDiv(most, tiles.rows), ceilDiv(outputs, tiles.columns)],
    );
  }
}
