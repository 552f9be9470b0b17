import type { Recorder } from '../gpu/recorder.ts';
import type { Minibatch } from './batch.ts';
import { ceilDiv } from './forward.ts';
import type { PolicyKernels } from './kernels.ts';
import { logitStride, projectedDim } from './weights.ts';
import type { LayerActivations, NetworkSpace } from './workspace.ts';

/** Count of the minibatch that a kernel uses, and its upper bound. */
interface Extent {
  readonly countIndex: number;
  readonly limit: number;
}

/** Data of one backward pass. */
interface Pass {
  readonly recorder: Recorder;
  readonly parameters: GPUBuffer;
  readonly minibatch: Minibatch;
  readonly rows: Extent;
  readonly targets: Extent;
}

/** Linear map in the backward pass. */
interface Linear {
  /** Tensor that multiplied the rows. */
  readonly weight: string;
  /** Number of columns of the map's input. */
  readonly inputs: number;
  /** Number of rows of the weight. The gradient has this number of columns, rounded up to a multiple of 8. */
  readonly outputs: number;
  readonly outputGradient: GPUBuffer;
  readonly input: GPUBuffer;
  /** Buffer of the gradient by the input. */
  readonly inputGradient: GPUBuffer;
}

/** Rows in the second half of a layer. */
interface FeedForward {
  readonly attended: GPUBuffer;
  /** Gradient after the layer, and then the gradient of the residual stream before it. */
  readonly hidden: GPUBuffer;
  readonly attendedGradient: GPUBuffer;
}

/**
 * Backward pass over one packed minibatch. It follows `Forward.record` of the same minibatch and a loss whose
 * derivatives are in `workspace.lossGradient`. It writes per-chunk gradients of all parameters to `workspace.partial`.
 */
export class Backward {
  constructor(
    private readonly workspace: NetworkSpace,
    private readonly kernels: PolicyKernels,
  ) {}

  record(recorder: Recorder, parameters: GPUBuffer, minibatch: Minibatch): void {
    const pass = passOf(recorder, parameters, minibatch);
    this.head(pass);
    this.layers(pass);
  }

  /**
   * Records the backward pass after `Forward.recordValues`. The loss depends only on the values, and there are no
   * logits.
   */
  recordValues(recorder: Recorder, parameters: GPUBuffer, minibatch: Minibatch): void {
    const { config, gradients, layout, partial, chunks, output } = this.workspace;
    const pass = passOf(recorder, parameters, minibatch);
    // Later kernels add to these buffers, which the gradients of the logits would overwrite.
    const { offset, size } = layout.at('embed');
    for (let chunk = 0; chunk < chunks; chunk++) {
      recorder.clear(partial, size * 4, (chunk * layout.size + offset) * 4);
    }
    recorder.clear(gradients.normed, minibatch.targets * config.dim * 4);
    recorder.clear(gradients.targetHidden, minibatch.targets * config.dim * 4);
    this.valueHead(pass);
    this.norm(pass, 'norm', output, gradients.targetHidden, pass.targets);
    this.layers(pass);
  }

  /** Records the gradients from the residual stream of the targets to the embedding. */
  private layers(pass: Pass): void {
    const { layers, gradients, targetAttended } = this.workspace;
    const { rows, targets } = pass;
    for (let index = layers.length - 1; index >= 0; index--) {
      const layer = layers[index];
      if (index === layers.length - 1) {
        const { targetHidden: hidden, targetAttended: attendedGradient } = gradients;
        this.feedForward(pass, index, { attended: targetAttended, hidden, attendedGradient }, targets);
        this.scatter(pass);
      } else {
        const { hidden, attended: attendedGradient } = gradients;
        this.feedForward(pass, index, { attended: layer.attended, hidden, attendedGradient }, rows);
      }
      this.attention(pass, index, layer);
    }
    this.embedding(pass);
  }

  /** Records the gradients from the loss to the residual stream of the targets. */
  private head(pass: Pass): void {
    const { workspace, kernels } = this;
    const { config, batch, logits, normed, distribution, lossGradient, gradients, output } = workspace;
    const { recorder, minibatch, targets } = pass;
    const stride = logitStride(config);
    const { targetBase } = minibatch;
    recorder.dispatch(
      kernels.logitsBackward,
      { counts: batch.counts, targets: batch.targets, distribution, lossGradient, logits },
      { targetBase, countIndex: targets.countIndex, vocabulary: config.vocab, stride },
      { invocations: [targets.limit * stride] },
    );
    const tied = { weight: 'embed', inputs: config.dim, outputs: config.vocab };
    this.linear(pass, { ...tied, outputGradient: logits, input: normed, inputGradient: gradients.normed }, targets);
    if (config.valueHead) this.valueHead(pass);
    recorder.clear(gradients.targetHidden, minibatch.targets * config.dim * 4);
    this.norm(pass, 'norm', output, gradients.targetHidden, targets);
  }

  private valueHead({ recorder, parameters, targets }: Pass): void {
    const { config, batch, normed, lossGradient, gradients, layout, chunks, partial } = this.workspace;
    const dim4 = config.dim / 4;
    const weightOffset4 = layout.at('valueHead').offset / 4;
    const { countIndex } = targets;
    recorder.dispatch(
      this.kernels.valueHeadBackwardWeight,
      { counts: batch.counts, lossGradient, normed, partial },
      { countIndex, chunks, dim4, weightOffset4, partialStride4: layout.size / 4 },
      { invocations: [dim4, chunks] },
    );
    recorder.dispatch(
      this.kernels.valueHeadBackward,
      { counts: batch.counts, parameters, lossGradient, normedGradient: gradients.normed },
      { countIndex, dim4, weightOffset4 },
      { invocations: [targets.limit * dim4] },
    );
  }

  /**
   * Records the gradients from `hidden` after the layer to `hidden` and `attendedGradient` before its output
   * projection.
   */
  private feedForward(
    pass: Pass,
    index: number,
    { attended, hidden, attendedGradient }: FeedForward,
    extent: Extent,
  ): void {
    const { config, gradients, batch, layers } = this.workspace;
    const { dim, ffDim } = config;
    const { middle, ffNormed, gateUp, activated } = layers[index];
    const name = (part: string) => `layers.${index}.${part}`;
    const down = { weight: name('down'), inputs: ffDim, outputs: dim };
    const from = { outputGradient: hidden, input: activated, inputGradient: gradients.activated };
    this.linear(pass, { ...down, ...from }, extent);
    pass.recorder.dispatch(
      this.kernels.swigluBackward,
      { counts: batch.counts, activatedGradient: gradients.activated, gateUp },
      { countIndex: extent.countIndex, ff4: ffDim / 4 },
      { invocations: [(extent.limit * ffDim) / 4] },
    );
    const gate = { weight: name('gate'), inputs: dim, outputs: 2 * ffDim };
    this.linear(pass, { ...gate, outputGradient: gateUp, input: ffNormed, inputGradient: gradients.normed }, extent);
    this.norm(pass, name('ffNorm'), middle, hidden, extent);
    const back = { weight: name('o'), inputs: dim, outputs: dim };
    this.linear(pass, { ...back, outputGradient: hidden, input: attended, inputGradient: attendedGradient }, extent);
  }

  /** Copies the targets' gradients to their rows. Rows without a target have gradient 0. */
  private scatter({ recorder, minibatch, targets }: Pass): void {
    const { config, batch, gradients } = this.workspace;
    const bytes = minibatch.rows * config.dim * 4;
    recorder.clear(gradients.hidden, bytes);
    recorder.clear(gradients.attended, bytes);
    recorder.dispatch(
      this.kernels.scatterTargets,
      {
        counts: batch.counts,
        targets: batch.targets,
        targetAttendedGradient: gradients.targetAttended,
        targetHiddenGradient: gradients.targetHidden,
        attendedGradient: gradients.attended,
        hiddenGradient: gradients.hidden,
      },
      { targetBase: minibatch.targetBase, countIndex: targets.countIndex, dim4: config.dim / 4 },
      { invocations: [(targets.limit * config.dim) / 4] },
    );
  }

  /** Adds the gradient from `gradients.attended` to the residual stream before the layer, in `gradients.hidden`. */
  private attention(pass: Pass, index: number, layer: LayerActivations): void {
    const { config, gradients, batch, rotation } = this.workspace;
    const { recorder, rows, minibatch } = pass;
    const { dim, heads, kvHeads } = config;
    const { projected, keys, values, softmaxState } = layer;
    const shared = { counts: batch.counts, rows: batch.rows };
    const uniforms = { rowBase: minibatch.rowBase, countIndex: rows.countIndex };
    const bindings = {
      ...shared,
      projected,
      keys,
      values,
      softmaxState,
      attendedGradient: gradients.attended,
      projectedGradient: gradients.projected,
    };
    recorder.dispatch(this.kernels.attentionBackwardQuery, bindings, uniforms, { invocations: [rows.limit * heads] });
    recorder.dispatch(this.kernels.attentionBackwardKeyValue, bindings, uniforms, {
      invocations: [rows.limit * kvHeads],
    });
    recorder.dispatch(
      this.kernels.ropeBackward,
      { ...shared, rotation, projectedGradient: gradients.projected },
      uniforms,
      { invocations: [rows.limit * (heads + kvHeads)] },
    );
    const name = (part: string) => `layers.${index}.${part}`;
    const { projected: outputGradient, normed: inputGradient } = gradients;
    const projection = { weight: name('q'), inputs: dim, outputs: projectedDim(config) };
    this.linear(pass, { ...projection, outputGradient, input: layer.attnNormed, inputGradient }, rows);
    this.norm(pass, name('attnNorm'), layer.input, gradients.hidden, rows);
  }

  private embedding({ recorder, parameters, minibatch }: Pass): void {
    const { config, batch, gradients, layout, partial, chunks } = this.workspace;
    const dim4 = config.dim / 4;
    const embedOffset4 = layout.at('embed').offset / 4;
    const smearOffset4 = config.smear ? layout.at('smear').offset / 4 : 0;
    recorder.dispatch(
      this.kernels.embedBackward,
      { rowsOfToken: batch.lists, parameters, hiddenGradient: gradients.hidden, partial },
      { listBase: minibatch.listBase, vocabulary: config.vocab, dim4, embedOffset4, smearOffset4 },
      { invocations: [config.vocab * dim4] },
    );
    if (!config.smear) return;
    const { rowBase, countIndex } = minibatch;
    recorder.dispatch(
      this.kernels.smearBackward,
      { counts: batch.counts, rows: batch.rows, parameters, hiddenGradient: gradients.hidden, partial },
      { rowBase, countIndex, chunks, dim4, embedOffset4, smearOffset4, partialStride4: layout.size / 4 },
      { invocations: [dim4, chunks] },
    );
  }

  /** Records the gradient through a norm, added to `hiddenGradient`, and the gradient of the norm's weight. */
  private norm(pass: Pass, weight: string, input: GPUBuffer, hiddenGradient: GPUBuffer, extent: Extent): void {
    const { config, batch, gradients, layout, chunks, partial } = this.workspace;
    const { recorder, parameters } = pass;
    const { counts } = batch;
    const { scales, normed: normedGradient } = gradients;
    const dim4 = config.dim / 4;
    const uniforms = { countIndex: extent.countIndex, dim4, weightOffset4: layout.at(weight).offset / 4 };
    recorder.dispatch(
      this.kernels.normBackward,
      { counts, parameters, input, normedGradient, hiddenGradient, scales },
      { ...uniforms, epsilon: config.normEps },
      { invocations: [extent.limit] },
    );
    recorder.dispatch(
      this.kernels.normBackwardWeight,
      { counts, input, normedGradient, scales, partial },
      { ...uniforms, chunks, partialStride4: layout.size / 4 },
      { invocations: [dim4, chunks] },
    );
  }

  /** Records the gradients of a linear map: by its weight, then by its input. */
  private linear({ recorder, parameters }: Pass, map: Linear, { countIndex, limit }: Extent): void {
    const { tiles, linearBackwardWeight, linearBackwardInput } = this.kernels;
    const { layout, chunks, partial, batch } = this.workspace;
    const { counts } = batch;
    const { weight, inputs, outputs: outRows, outputGradient, input, inputGradient } = map;
    const outStride4 = 2 * ceilDiv(outRows, 8);
    const shared = { countIndex, in4: inputs / 4, outStride4, weightOffset4: layout.at(weight).offset / 4 };
    recorder.dispatch(
      linearBackwardWeight,
      { counts, outputGradient, input, partial },
      { ...shared, chunks, outRows, partialStride4: layout.size / 4 },
      [ceilDiv(inputs, tiles.weightInputs), ceilDiv(outRows, tiles.weightOutputs), chunks],
    );
    recorder.dispatch(linearBackwardInput, { counts, parameters, outputGradient, inputGradient }, shared, [
      ceilDiv(limit, tiles.rows),
      ceilDiv(inputs, tiles.columns),
    ]);
  }
}

function passOf(recorder: Recorder, parameters: GPUBuffer, minibatch: Minibatch): Pass {
  const { countIndex } = minibatch;
  const rows = { countIndex, limit: minibatch.rows };
  const targets = { countIndex: countIndex + 1, limit: minibatch.targets };
  return { recorder, parameters, minibatch, rows, targets };
}
