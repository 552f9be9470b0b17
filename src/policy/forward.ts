import type { Recorder } from '../gpu/recorder.ts';
import { logitStride, projectedDim } from './configuration.ts';
import type { PolicyKernels } from './kernels.ts';
import type { Workspace } from './workspace.ts';

/** Rows to compute: which they are, and where the GPU finds how many. */
export interface RowSource {
  readonly rows: GPUBuffer;
  readonly rowBase: number;
  readonly counts: GPUBuffer;
  readonly countIndex: number;
  /** Upper bound of the count, for sizing dispatches. */
  readonly most: number;
}

/** Rows whose logits are wanted: a gathered list, or all rows in order. */
export interface TargetSource {
  /** Absent: every row is a target. */
  readonly targets?: GPUBuffer;
  readonly targetBase: number;
  readonly counts: GPUBuffer;
  readonly countIndex: number;
  readonly most: number;
}

export const ceilDiv = (value: number, by: number): number => Math.ceil(value / by);

/** The forward pass of a policy over packed rows; layer activations stay in the workspace for the backward pass. */
export class Forward {
  constructor(
    private readonly workspace: Workspace,
    private readonly kernels: PolicyKernels,
  ) {}

  /** Records rows through all layers and targets through the final norm and the tied head into `workspace.logits`. */
  encode(recorder: Recorder, parameters: GPUBuffer, rows: RowSource, targets: TargetSource): void {
    this.body(recorder, parameters, rows);
    this.head(recorder, parameters, targets);
  }

  /** Records the embedding and all layers. */
  body(recorder: Recorder, parameters: GPUBuffer, source: RowSource): void {
    const { workspace, kernels } = this;
    const { config, layout, layers } = workspace;
    const { rows, rowBase, counts, countIndex, most } = source;
    const dim4 = config.dim / 4;
    const embedOffset4 = layout.at('embed').offset / 4;
    const smearOffset4 = config.smear ? layout.at('smear').offset / 4 : 0;
    recorder.dispatch(
      kernels.embed,
      { counts, rows, parameters, hidden: layers[0].input },
      { rowBase, countIndex, dim4, embedOffset4, smearOffset4 },
      [ceilDiv(most * dim4, 64)],
    );
    layers.forEach((layer, index) => {
      const next = layers[index + 1]?.input ?? workspace.output;
      const norm = (name: string, input: GPUBuffer, normed: GPUBuffer) =>
        this.norm(recorder, parameters, `layers.${index}.${name}`, input, normed, source);
      const linear = (name: string, input: GPUBuffer, output: GPUBuffer, size: LinearSize, residual?: GPUBuffer) =>
        this.linear(
          recorder,
          parameters,
          layout.at(`layers.${index}.${name}`).offset,
          input,
          output,
          size,
          source,
          residual,
        );
      norm('attnNorm', layer.input, layer.attnNormed);
      linear('q', layer.attnNormed, layer.projected, { inputs: config.dim, outputs: projectedDim(config) });
      const { projected, keys, values, attended, softmaxState } = layer;
      recorder.dispatch(
        kernels.rope,
        { counts, rows, rotation: workspace.rotation, projected, keys, values },
        { rowBase, countIndex },
        [ceilDiv(most * (config.heads + 2 * config.kvHeads), 64)],
      );
      recorder.dispatch(
        kernels.attention,
        { counts, rows, projected, keys, values, attended, softmaxState },
        { rowBase, countIndex },
        [ceilDiv(most * config.heads, 64)],
      );
      linear('o', attended, layer.middle, { inputs: config.dim, outputs: config.dim }, layer.input);
      norm('ffNorm', layer.middle, layer.ffNormed);
      linear('gate', layer.ffNormed, layer.gateUp, { inputs: config.dim, outputs: 2 * config.ffDim });
      const ff4 = config.ffDim / 4;
      recorder.dispatch(
        kernels.swiglu,
        { counts, gateUp: layer.gateUp, activated: layer.activated },
        { countIndex, ff4 },
        [ceilDiv(most * ff4, 64)],
      );
      linear('down', layer.activated, next, { inputs: config.ffDim, outputs: config.dim }, layer.middle);
    });
  }

  /** Records the final norm and the tied output head for the targets. */
  head(recorder: Recorder, parameters: GPUBuffer, source: TargetSource): void {
    const { workspace } = this;
    this.norm(recorder, parameters, 'norm', workspace.output, workspace.normed, source);
    const outputs = logitStride(workspace.config);
    const size = { inputs: workspace.config.dim, outputs };
    const embed = workspace.layout.at('embed').offset;
    this.linear(recorder, parameters, embed, workspace.normed, workspace.logits, size, source);
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

  private norm(
    recorder: Recorder,
    parameters: GPUBuffer,
    weight: string,
    input: GPUBuffer,
    normed: GPUBuffer,
    source: RowSource | TargetSource,
  ): void {
    const { workspace, kernels } = this;
    const targets = 'targetBase' in source ? source.targets : undefined;
    recorder.dispatch(
      targets ? kernels.normTargets : kernels.norm,
      { counts: source.counts, targets: targets ?? workspace.batch.targets, parameters, input, normed },
      {
        countBase: 'targetBase' in source ? source.targetBase : 0,
        countIndex: source.countIndex,
        dim4: workspace.config.dim / 4,
        weightOffset4: workspace.layout.at(weight).offset / 4,
        epsilon: workspace.config.normEps,
      },
      [ceilDiv(source.most, 64)],
    );
  }

  private linear(
    recorder: Recorder,
    parameters: GPUBuffer,
    offset: number,
    input: GPUBuffer,
    output: GPUBuffer,
    size: LinearSize,
    source: RowSource | TargetSource,
    residual?: GPUBuffer,
  ): void {
    recorder.dispatch(
      residual ? this.kernels.linearResidual : this.kernels.linear,
      { counts: source.counts, parameters, input, residual: residual ?? input, output },
      {
        countIndex: source.countIndex,
        in4: size.inputs / 4,
        outStride4: size.outputs / 4,
        weightOffset4: offset / 4,
      },
      [ceilDiv(source.most, 128), size.outputs / 8],
    );
  }
}

interface LinearSize {
  readonly inputs: number;
  readonly outputs: number;
}
