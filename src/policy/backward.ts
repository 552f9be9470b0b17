import type { Recorder } from '../gpu/recorder.ts';
import type { Minibatch } from './batch.ts';
import { logitStride, projectedDim } from './configuration.ts';
import { ceilDiv } from './forward.ts';
import type { PolicyKernels } from './kernels.ts';
import type { LayerActivations, Workspace } from './workspace.ts';

/** Which count of the minibatch a kernel goes by, and at most how many. */
interface Extent {
  readonly countIndex: number;
  readonly most: number;
}

/**
 * The backward pass over one packed minibatch, after `Forward.encode` of the same minibatch and a loss that has left
 * its derivatives in `workspace.lossGradient`. Leaves per-chunk gradients of all parameters in `workspace.partial`.
 */
export class Backward {
  constructor(
    private readonly workspace: Workspace,
    private readonly kernels: PolicyKernels,
  ) {}

  encode(recorder: Recorder, parameters: GPUBuffer, minibatch: Minibatch): void {
    const { workspace } = this;
    const { layers, batch } = workspace;
    const rows: Extent = { countIndex: minibatch.countIndex, most: minibatch.rows };
    const rowBindings = { counts: batch.counts, rows: batch.rows };
    const rowUniforms = { rowBase: minibatch.rowBase, countIndex: minibatch.countIndex };
    this.head(recorder, parameters, minibatch);
    for (let index = layers.length - 1; index >= 0; index--) {
      this.feedForward(recorder, parameters, index, layers[index], rows);
      this.attention(recorder, parameters, index, layers[index], rows, rowBindings, rowUniforms);
    }
    this.embedding(recorder, parameters, minibatch);
  }

  private head(recorder: Recorder, parameters: GPUBuffer, minibatch: Minibatch): void {
    const { workspace, kernels } = this;
    const { config, batch, logits, normed, distribution, lossGradient, gradients, layout } = workspace;
    const { counts } = batch;
    const stride = logitStride(config);
    const targets: Extent = { countIndex: minibatch.countIndex + 1, most: minibatch.targets };
    const { targetBase } = minibatch;
    recorder.dispatch(
      kernels.logitsBackward,
      { counts, targets: batch.targets, distribution, lossGradient, logits },
      { targetBase, countIndex: targets.countIndex, vocabulary: config.vocab, stride },
      [ceilDiv(targets.most * stride, 64)],
    );
    const embed = layout.at('embed').offset;
    this.linearWeight(recorder, embed, logits, normed, config.dim, stride, config.vocab, targets);
    this.linearInput(recorder, parameters, embed, logits, gradients.normed, config.dim, stride, targets);
    if (config.valueHead) this.valueHead(recorder, parameters, targets);
    recorder.clear(gradients.hidden, minibatch.rows * config.dim * 4);
    this.norm(recorder, parameters, 'norm', workspace.output, targets, targetBase);
  }

  private valueHead(recorder: Recorder, parameters: GPUBuffer, targets: Extent): void {
    const { workspace, kernels } = this;
    const { config, batch, normed, lossGradient, gradients, layout, chunks } = workspace;
    const dim4 = config.dim / 4;
    const weightOffset4 = layout.at('valueHead').offset / 4;
    const { countIndex } = targets;
    recorder.dispatch(
      kernels.valueHeadBackwardWeight,
      { counts: batch.counts, lossGradient, normed, partial: workspace.partial },
      { countIndex, chunks, dim4, weightOffset4, partialStride4: layout.size / 4 },
      [ceilDiv(dim4, 16), ceilDiv(chunks, 4)],
    );
    recorder.dispatch(
      kernels.valueHeadBackward,
      { counts: batch.counts, parameters, lossGradient, normedGradient: gradients.normed },
      { countIndex, dim4, weightOffset4 },
      [ceilDiv(targets.most * dim4, 64)],
    );
  }

  private feedForward(
    recorder: Recorder,
    parameters: GPUBuffer,
    index: number,
    layer: LayerActivations,
    rows: Extent,
  ): void {
    const { workspace, kernels } = this;
    const { config, gradients, layout, batch } = workspace;
    const { dim, ffDim } = config;
    const down = layout.at(`layers.${index}.down`).offset;
    const gate = layout.at(`layers.${index}.gate`).offset;
    this.linearWeight(recorder, down, gradients.hidden, layer.activated, ffDim, dim, dim, rows);
    this.linearInput(recorder, parameters, down, gradients.hidden, gradients.activated, ffDim, dim, rows);
    recorder.dispatch(
      kernels.swigluBackward,
      { counts: batch.counts, activatedGradient: gradients.activated, gateUp: layer.gateUp },
      { countIndex: rows.countIndex, ff4: ffDim / 4 },
      [ceilDiv((rows.most * ffDim) / 4, 64)],
    );
    this.linearWeight(recorder, gate, layer.gateUp, layer.ffNormed, dim, 2 * ffDim, 2 * ffDim, rows);
    this.linearInput(recorder, parameters, gate, layer.gateUp, gradients.normed, dim, 2 * ffDim, rows);
    this.norm(recorder, parameters, `layers.${index}.ffNorm`, layer.middle, rows);
  }

  private attention(
    recorder: Recorder,
    parameters: GPUBuffer,
    index: number,
    layer: LayerActivations,
    rows: Extent,
    rowBindings: { counts: GPUBuffer; rows: GPUBuffer },
    rowUniforms: { rowBase: number; countIndex: number },
  ): void {
    const { workspace, kernels } = this;
    const { config, gradients, layout } = workspace;
    const { dim, heads, kvHeads } = config;
    const projectedWidth = projectedDim(config);
    const output = layout.at(`layers.${index}.o`).offset;
    const query = layout.at(`layers.${index}.q`).offset;
    this.linearWeight(recorder, output, gradients.hidden, layer.attended, dim, dim, dim, rows);
    this.linearInput(recorder, parameters, output, gradients.hidden, gradients.attended, dim, dim, rows);
    const { projected, keys, values, softmaxState } = layer;
    const attention = {
      ...rowBindings,
      projected,
      keys,
      values,
      softmaxState,
      attendedGradient: gradients.attended,
      projectedGradient: gradients.projected,
    };
    recorder.dispatch(kernels.attentionBackwardQuery, attention, rowUniforms, [ceilDiv(rows.most * heads, 64)]);
    recorder.dispatch(kernels.attentionBackwardKeyValue, attention, rowUniforms, [ceilDiv(rows.most * kvHeads, 64)]);
    recorder.dispatch(
      kernels.ropeBackward,
      { ...rowBindings, rotation: workspace.rotation, projectedGradient: gradients.projected },
      rowUniforms,
      [ceilDiv(rows.most * (heads + kvHeads), 64)],
    );
    this.linearWeight(
      recorder,
      query,
      gradients.projected,
      layer.attnNormed,
      dim,
      projectedWidth,
      projectedWidth,
      rows,
    );
    this.linearInput(recorder, parameters, query, gradients.projected, gradients.normed, dim, projectedWidth, rows);
    this.norm(recorder, parameters, `layers.${index}.attnNorm`, layer.input, rows);
  }

  private embedding(recorder: Recorder, parameters: GPUBuffer, minibatch: Minibatch): void {
    const { workspace, kernels } = this;
    const { config, batch, gradients, layout, partial, chunks } = workspace;
    const dim4 = config.dim / 4;
    const embedOffset4 = layout.at('embed').offset / 4;
    const smearOffset4 = config.smear ? layout.at('smear').offset / 4 : 0;
    recorder.dispatch(
      kernels.embedBackward,
      { rowsOfToken: batch.lists, parameters, hiddenGradient: gradients.hidden, partial },
      { listBase: minibatch.listBase, vocabulary: config.vocab, dim4, embedOffset4, smearOffset4 },
      [ceilDiv(config.vocab * dim4, 64)],
    );
    if (!config.smear) return;
    const { rowBase, countIndex } = minibatch;
    recorder.dispatch(
      kernels.smearBackward,
      { counts: batch.counts, rows: batch.rows, parameters, hiddenGradient: gradients.hidden, partial },
      { rowBase, countIndex, chunks, dim4, embedOffset4, smearOffset4, partialStride4: layout.size / 4 },
      [ceilDiv(dim4, 16), ceilDiv(chunks, 4)],
    );
  }

  /** Gradient through a norm, added to `gradients.hidden`, and the norm weight's gradient. */
  private norm(
    recorder: Recorder,
    parameters: GPUBuffer,
    weight: string,
    input: GPUBuffer,
    extent: Extent,
    targetBase?: number,
  ): void {
    const { workspace, kernels } = this;
    const { config, batch, gradients, layout, chunks, partial } = workspace;
    const gather = targetBase !== undefined;
    const shared = {
      countBase: targetBase ?? 0,
      countIndex: extent.countIndex,
      dim4: config.dim / 4,
      weightOffset4: layout.at(weight).offset / 4,
    };
    const bindings = { counts: batch.counts, targets: batch.targets, input, normedGradient: gradients.normed };
    recorder.dispatch(
      gather ? kernels.normBackwardTargets : kernels.normBackward,
      { ...bindings, parameters, hiddenGradient: gradients.hidden, scales: gradients.scales },
      { ...shared, epsilon: config.normEps },
      [ceilDiv(extent.most, 64)],
    );
    recorder.dispatch(
      gather ? kernels.normBackwardWeightTargets : kernels.normBackwardWeight,
      { ...bindings, scales: gradients.scales, partial },
      { ...shared, chunks, partialStride4: layout.size / 4 },
      [ceilDiv(shared.dim4, 16), ceilDiv(chunks, 4)],
    );
  }

  private linearInput(
    recorder: Recorder,
    parameters: GPUBuffer,
    offset: number,
    outputGradient: GPUBuffer,
    inputGradient: GPUBuffer,
    inputs: number,
    outputs: number,
    extent: Extent,
  ): void {
    recorder.dispatch(
      this.kernels.linearBackwardInput,
      { counts: this.workspace.batch.counts, parameters, outputGradient, inputGradient },
      { countIndex: extent.countIndex, in4: inputs / 4, outStride4: outputs / 4, weightOffset4: offset / 4 },
      [ceilDiv(extent.most, 128), inputs / 8],
    );
  }

  private linearWeight(
    recorder: Recorder,
    offset: number,
    outputGradient: GPUBuffer,
    input: GPUBuffer,
    inputs: number,
    outputs: number,
    outRows: number,
    extent: Extent,
  ): void {
    const { layout, chunks, partial, batch } = this.workspace;
    recorder.dispatch(
      this.kernels.linearBackwardWeight,
      { counts: batch.counts, outputGradient, input, partial },
      {
        countIndex: extent.countIndex,
        chunks,
        in4: inputs / 4,
        outStride4: outputs / 4,
        outRows,
        weightOffset4: offset / 4,
        partialStride4: layout.size / 4,
      },
      [ceilDiv(inputs / 8, 8), ceilDiv(outRows / 8, 8), chunks],
    );
  }
}
