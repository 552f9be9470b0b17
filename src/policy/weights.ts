import { CounterRandom, STREAMS } from '../random/counter.ts';
import { checkPolicy, headDim, type PolicyConfiguration } from './policyConfiguration.ts';

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
