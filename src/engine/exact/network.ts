import { headDim, logitStride, type PolicyConfiguration, projectedDim } from '../../policy/weights.ts';
import type { Kernels } from './kernels.ts';
import type { LayerMatrix, Parameters } from './parameters.ts';
import type { Space } from './space.ts';

/** Outputs of a pass that are computed and have gradients: logits of a policy, values of a critic. */
export interface Heads {
  readonly logits: boolean;
  readonly values: boolean;
}

/**
 * Forward and backward pass of a transformer over one piece, whose rows and targets are in the space. After the keys
 * and values of the last layer, only the rows that predict a target are computed.
 */
export class Network {
  private readonly config: PolicyConfiguration;
  private readonly kernels: Kernels;
  private readonly width: number;
  private readonly projected: number;
  private readonly stride: number;

  constructor(private readonly space: Space) {
    this.config = space.config;
    this.kernels = space.arena.kernels;
    this.width = headDim(this.config);
    this.projected = projectedDim(this.config);
    this.stride = logitStride(this.config);
  }

  /**
   * Runs the forward pass.
   * @param n number of rows @param t number of targets, at least one
   * @param cached true if keys and values are stored in the cache and read from it, as in generation
   */
  forward(parameters: Parameters, n: number, t: number, heads: Heads, cached = false): void {
    const { kernels, space, config } = this;
    const { dim, ffDim, normEps } = config;
    kernels.embed(space.rows, parameters.at('embed'), parameters.at('smear'), space.layers[0].input, n, dim);
    for (const [index, layer] of space.layers.entries()) {
      const last = index === config.layers - 1;
      this.attention(parameters, index, n, last ? t : undefined, cached);
      const m = last ? t : n;
      if (last) kernels.gather(layer.middle, layer.input, space.targets, t, 4 * dim);
      else kernels.copy(layer.middle, layer.input, 4 * dim * n);
      this.apply(parameters, index, 'o', layer.attended, layer.middle, m, 1);
      kernels.norm(layer.middle, parameters.vector(index, 'ffNorm'), layer.feedForwardNormed, m, dim, normEps);
      this.apply(parameters, index, 'gateUp', layer.feedForwardNormed, layer.gateUp, m, 0);
      kernels.swiglu(layer.gateUp, layer.activated, m, ffDim);
      const next = last ? space.output : space.layers[index + 1].input;
      kernels.copy(next, layer.middle, 4 * dim * m);
      this.apply(parameters, index, 'down', layer.activated, next, m, 1);
    }
    kernels.norm(space.output, parameters.at('norm'), space.normed, t, dim, normEps);
    if (heads.logits) {
      const { stride } = this;
      const embedding = parameters.transposedEmbedding;
      kernels.product(space.normed, 4 * dim, 4, embedding, 4 * stride, space.logits, 4 * stride, t, stride, dim, 0);
      if (!cached) kernels.distribution(space.logits, 4 * stride, config.vocab, 0, space.targets, space.outputs, t);
    }
    if (heads.values) kernels.values(space.normed, parameters.at('valueHead'), space.outputs, t, dim);
  }

  /**
   * Adds to a gradient. The forward pass and the slopes must precede it.
   * @param gradient address, in the layout of the parameters
   */
  backward(parameters: Parameters, gradient: number, n: number, t: number, heads: Heads): void {
    const { kernels, space, config } = this;
    const { dim, ffDim, normEps, layers } = config;
    const { hidden, targetHidden, normed, attended, activated } = space.gradients;
    this.headsBack(parameters, gradient, t, heads);
    kernels.clear(targetHidden, 4 * dim * t);
    const weight = parameters.at('norm');
    kernels.normBack(space.output, weight, normed, targetHidden, parameters.at('norm', gradient), t, dim, normEps);
    for (let index = layers - 1; index >= 0; index--) {
      const layer = space.layers[index];
      const last = index === layers - 1;
      const [m, stream] = last ? [t, targetHidden] : [n, hidden];
      const normBack = (x: number, name: 'attnNorm' | 'ffNorm', to: number, rows: number) => {
        const [weights, slope] = [parameters.vector(index, name), parameters.vector(index, name, gradient)];
        kernels.normBack(x, weights, normed, to, slope, rows, dim, normEps);
      };
      this.applyBack(parameters, gradient, index, 'down', layer.activated, stream, activated, m);
      kernels.swigluBack(layer.gateUp, activated, m, ffDim);
      this.applyBack(parameters, gradient, index, 'gateUp', layer.feedForwardNormed, layer.gateUp, normed, m);
      normBack(layer.middle, 'ffNorm', stream, m);
      this.applyBack(parameters, gradient, index, 'o', layer.attended, stream, attended, m);
      if (last) {
        kernels.clear(hidden, 4 * dim * n);
        kernels.scatter(hidden, targetHidden, space.targets, t, 4 * dim);
      }
      this.attentionBack(index, n, last ? t : undefined);
      const { projected } = space.gradients;
      this.applyBack(parameters, gradient, index, 'projection', layer.attentionNormed, projected, normed, n);
      normBack(layer.input, 'attnNorm', hidden, n);
    }
    const [embedding, smear] = [parameters.at('embed'), parameters.at('smear')];
    const [dEmbedding, dSmear] = [parameters.at('embed', gradient), parameters.at('smear', gradient)];
    kernels.embedBack(space.rows, embedding, smear, hidden, dEmbedding, dSmear, n, dim);
  }

  /** Computes the attention of a layer. @param targets number of targets if only their rows are computed */
  private attention(parameters: Parameters, index: number, n: number, targets: number | undefined, cached: boolean) {
    const { kernels, space, config, width } = this;
    const { dim, heads, kvHeads, normEps } = config;
    const layer = space.layers[index];
    const bytes = 4 * this.projected;
    kernels.norm(layer.input, parameters.vector(index, 'attnNorm'), layer.attentionNormed, n, dim, normEps);
    this.apply(parameters, index, 'projection', layer.attentionNormed, layer.projected, n, 0);
    kernels.rotate(layer.projected, space.rows, space.rotation, n, heads + kvHeads, width, bytes, 1);
    const keysAndValues = layer.projected + 4 * heads * width;
    const keyBytes = 8 * kvHeads * width;
    if (cached) kernels.store(keysAndValues, space.rows, layer.cache, n, bytes, keyBytes);
    const [keys, keyStride] = cached ? [layer.cache, keyBytes] : [keysAndValues, bytes];
    kernels.attend(
      ...[space.rows, targets === undefined ? 0 : space.targets, layer.projected, bytes],
      ...[keys, keys + keyBytes / 2, keyStride, layer.attended, layer.softmax],
      ...[targets ?? n, heads, kvHeads, width, space.scores],
    );
  }

  private attentionBack(index: number, n: number, targets: number | undefined): void {
    const { kernels, space, config, width } = this;
    const { heads, kvHeads } = config;
    const layer = space.layers[index];
    const { attended, projected } = space.gradients;
    const bytes = 4 * this.projected;
    kernels.clear(projected, bytes * n);
    kernels.attendBack(
      ...[space.rows, targets === undefined ? 0 : space.targets, layer.projected, bytes],
      ...[layer.attended, layer.softmax, attended, projected],
      ...[targets ?? n, heads, kvHeads, width, space.scores, space.scoresBytes],
    );
    kernels.rotate(projected, space.rows, space.rotation, n, heads + kvHeads, width, bytes, -1);
  }

  private headsBack(parameters: Parameters, gradient: number, t: number, { logits, values }: Heads): void {
    const { kernels, space, config, stride } = this;
    const { dim, vocab } = config;
    const { normed } = space.gradients;
    if (logits) {
      kernels.logitsBack(space.logits, 4 * stride, vocab, space.targets, space.outputs, space.slopes, t);
      const slope = parameters.at('embed', gradient);
      kernels.product(space.logits, 4, 4 * stride, space.normed, 4 * dim, slope, 4 * dim, vocab, dim, t, 1);
      const embedding = parameters.at('embed');
      kernels.product(space.logits, 4 * stride, 4, embedding, 4 * dim, normed, 4 * dim, t, dim, vocab, 0);
    } else kernels.clear(normed, 4 * dim * t);
    if (!values) return;
    const [weight, slope] = [parameters.at('valueHead'), parameters.at('valueHead', gradient)];
    kernels.valuesBack(space.normed, weight, space.slopes, normed, slope, t, dim);
  }

  private sizesOf(matrix: LayerMatrix): readonly [out: number, inputs: number] {
    const { dim, ffDim } = this.config;
    switch (matrix) {
      case 'projection':
        return [this.projected, dim];
      case 'o':
        return [dim, dim];
      case 'gateUp':
        return [2 * ffDim, dim];
      case 'down':
        return [dim, ffDim];
    }
  }

  /** Computes to = x Wᵀ, or to += x Wᵀ if `add` is 1. */
  private apply(
    parameters: Parameters,
    layer: number,
    matrix: LayerMatrix,
    x: number,
    to: number,
    rows: number,
    add: 0 | 1,
  ): void {
    const [out, inputs] = this.sizesOf(matrix);
    const weight = parameters.transposedMatrix(layer, matrix);
    this.kernels.product(x, 4 * inputs, 4, weight, 4 * out, to, 4 * out, rows, out, inputs, add);
  }

  /** Computes dx = dy W, and adds dyᵀ x to the gradient of W. */
  private applyBack(
    parameters: Parameters,
    gradient: number,
    layer: number,
    matrix: LayerMatrix,
    x: number,
    dy: number,
    dx: number,
    rows: number,
  ): void {
    const [out, inputs] = this.sizesOf(matrix);
    const { kernels } = this;
    const slope = parameters.matrix(layer, matrix, gradient);
    kernels.product(dy, 4, 4 * out, x, 4 * inputs, slope, 4 * inputs, out, inputs, rows, 1);
    const weight = parameters.matrix(layer, matrix);
    kernels.product(dy, 4 * out, 4, weight, 4 * inputs, dx, 4 * inputs, rows, inputs, out, 0);
  }
}
