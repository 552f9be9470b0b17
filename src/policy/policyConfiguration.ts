/** Shape of a policy: a decoder-only transformer of the Llama family (docs/reference/policy.md). */
export interface PolicyConfiguration {
  readonly vocab: number;
  readonly dim: number;
  readonly layers: number;
  readonly heads: number;
  /** Number of key-value heads, a divisor of `heads` (grouped-query attention). */
  readonly kvHeads: number;
  readonly ffDim: number;
  /** Maximum number of positions of a sequence. */
  readonly context: number;
  readonly ropeBase: number;
  readonly normEps: number;
  /** True if smear * embedding of the previous token is added at the input. */
  readonly smear: boolean;
  /** True if the final normalised hidden state has a scalar head. */
  readonly valueHead: boolean;
}

/** Returns the standard policy: two layers of width 64, 108,800 parameters with the Search environment's vocabulary. */
export function standardPolicy(vocab: number, context: number): PolicyConfiguration {
  return {
    vocab,
    dim: 64,
    layers: 2,
    heads: 4,
    kvHeads: 4,
    ffDim: 176,
    context,
    ropeBase: 10000,
    normEps: 1e-5,
    smear: true,
    valueHead: false,
  };
}

/** Returns the width of one head. */
export function headDim(config: PolicyConfiguration): number {
  return config.dim / config.heads;
}

/** Returns the width of a row of queries, keys and values. */
export function projectedDim(config: PolicyConfiguration): number {
  return (config.heads + 2 * config.kvHeads) * headDim(config);
}

/** Returns the number of columns of a row of logits: the vocabulary, rounded up to the tile of the matrix kernels. */
export function logitStride(config: PolicyConfiguration): number {
  return Math.ceil(config.vocab / 8) * 8;
}

/**
 * Checks the requirements of the kernels.
 * @throws {RangeError} that names the field, its value and the requirement
 */
export function checkPolicy(config: PolicyConfiguration): void {
  const need = (ok: boolean, field: keyof PolicyConfiguration, must: string) => {
    if (!ok) throw new RangeError(`policy.${field}: ${config[field]} must be ${must}`);
  };
  const isPositiveInteger = (value: number) => Number.isInteger(value) && value > 0;
  for (const field of ['vocab', 'dim', 'layers', 'heads', 'kvHeads', 'ffDim', 'context'] as const) {
    need(isPositiveInteger(config[field]), field, 'a positive whole number');
  }
  need(config.dim % 8 === 0, 'dim', 'a multiple of 8');
  need(config.dim % config.heads === 0, 'heads', `a divisor of dim (${config.dim})`);
  const width = headDim(config);
  need(width % 4 === 0 && width <= 64, 'heads', 'such that dim / heads is a multiple of 4, at most 64');
  need(config.heads % config.kvHeads === 0, 'kvHeads', `a divisor of heads (${config.heads})`);
  need(projectedDim(config) % 8 === 0, 'kvHeads', 'such that queries, keys and values fill a multiple of 8 columns');
  need(config.ffDim % 8 === 0, 'ffDim', 'a multiple of 8');
  need(config.ropeBase > 1, 'ropeBase', 'above 1');
  need(config.normEps > 0, 'normEps', 'above 0');
}
