import { CounterRandom, STREAMS } from '../random/counter.ts';

/** Tensor in the flat parameter buffer. */
export interface Tensor {
  readonly name: string;
  /** Row-major shape; matrices are [out, in]. */
  readonly shape: readonly number[];
  /** Index of the first 32-bit word in the flat buffer, a multiple of 4. */
  readonly offset: number;
  readonly size: number;
}

/** Positions of all tensors of a policy. Adjacent q, k, v and adjacent gate, up are read as one matrix. */
export interface ParameterLayout {
  readonly tensors: readonly Tensor[];
  /** Number of words of all tensors. */
  readonly size: number;
  /** Number of words of the buffer, including ROWS_PAST rows after the last matrix. */
  readonly padded: number;
  /** Returns a tensor. @throws {Error} that names the tensor, if it does not exist */
  at(name: string): Tensor;
}

/**
 * Maximum number of rows that a matrix kernel reads after the end of a tensor. The widest tile has 16 rows of weights
 * (linear_subgroup.wgsl), and numbers of rows are multiples of 8.
 */
const ROWS_PAST = 16 - 8;

/** Named tensors as flat arrays, for checkpoints and tests. */
export type Tensors = Readonly<Record<string, Float32Array>>;

/** Computes the layout of the parameters of a policy in one flat buffer. */
export function parameterLayout(config: PolicyConfiguration): ParameterLayout {
  checkPolicy(config);
  const { vocab, dim, ffDim } = config;
  const kvDim = config.kvHeads * headDim(config);
  const shapes: [string, number[]][] = [['embed', [vocab, dim]]];
  if (config.smear) shapes.push(['smear', [dim]]);
  for (let layer = 0; layer < config.layers; layer++) {
    const name = (part: string) => `layers.${layer}.${part}`;
    shapes.push(
      [name('attnNorm'), [dim]],
      [name('q'), [dim, dim]],
      [name('k'), [kvDim, dim]],
      [name('v'), [kvDim, dim]],
      [name('o'), [dim, dim]],
      [name('ffNorm'), [dim]],
      [name('gate'), [ffDim, dim]],
      [name('up'), [ffDim, dim]],
      [name('down'), [dim, ffDim]],
    );
  }
  shapes.push(['norm', [dim]]);
  if (config.valueHead) shapes.push(['valueHead', [1, dim]]);
  const tensors: Tensor[] = [];
  let offset = 0;
  for (const [name, shape] of shapes) {
    const size = shape.reduce((product, length) => product * length, 1);
    tensors.push({ name, shape, offset, size });
    offset += size;
  }
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  return {
    tensors,
    size: offset,
    padded: offset + ROWS_PAST * Math.max(dim, ffDim),
    at: (name) => {
      const tensor = byName.get(name);
      if (!tensor) throw new Error(`policy has no tensor "${name}"`);
      return tensor;
    },
  };
}

/**
 * Draws initial parameters: embed N(0, 0.3^2), matrices N(0, 1 / in), `o` and `down` at half that scale, norms 1, smear
 * 0.7, value head N(0, 0.01^2 / dim). Draws are keyed by (seed, tensor), so a tensor does not depend on earlier
 * tensors.
 */
export function initialParameters(config: PolicyConfiguration, seed: number, draw = 0): Float32Array {
  const layout = parameterLayout(config);
  const flat = new Float32Array(layout.padded);
  layout.tensors.forEach((tensor, index) => {
    const part = flat.subarray(tensor.offset, tensor.offset + tensor.size);
    const short = tensor.name.split('.').at(-1) as string;
    if (short === 'smear') part.fill(0.7);
    else if (tensor.shape.length === 1) part.fill(1);
    else {
      const random = new CounterRandom(seed, STREAMS.parameters, index + draw * layout.tensors.length);
      const scale = initialScale(short, tensor.shape[1]);
      for (let i = 0; i < part.length; i++) part[i] = scale * random.normal();
    }
  });
  return flat;
}

function initialScale(name: string, inputs: number): number {
  if (name === 'embed') return 0.3;
  if (name === 'valueHead') return 0.01 / Math.sqrt(inputs);
  const halved = name === 'o' || name === 'down';
  return (halved ? 0.5 : 1) / Math.sqrt(inputs);
}

/** Splits a flat buffer into named tensors (views). */
export function unpackTensors(layout: ParameterLayout, flat: Float32Array): Tensors {
  return Object.fromEntries(
    layout.tensors.map(({ name, offset, size }) => [name, flat.subarray(offset, offset + size)]),
  );
}

/**
 * Packs named tensors into a flat buffer.
 * @throws {Error} that names a tensor that is missing, unknown or of the wrong size
 */
export function packTensors(layout: ParameterLayout, tensors: Tensors): Float32Array {
  const flat = new Float32Array(layout.padded);
  for (const { name, offset, size, shape } of layout.tensors) {
    const values = tensors[name];
    if (!values) throw new Error(`tensor "${name}" is missing`);
    if (values.length !== size) {
      throw new Error(`tensor "${name}" has ${values.length} numbers, not ${size} (${shape.join(' x ')})`);
    }
    flat.set(values, offset);
  }
  const unknown = Object.keys(tensors).find((name) => !layout.tensors.some((tensor) => tensor.name === name));
  if (unknown !== undefined) throw new Error(`tensor "${unknown}" does not belong to this policy`);
  return flat;
}

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
