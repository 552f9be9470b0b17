import { nn, numpy as np } from '@jax-js/jax';
import { headDim, type PolicyConfiguration, parameterLayout } from '../src/policy/weights.ts';

// A function of jax-js takes ownership of its arguments. An array that is used again is passed as `.ref`.

/** The shape of the network, and the form of its matrix products. */
export interface JaxModel {
  readonly config: PolicyConfiguration;
  readonly linear: Linear;
}

/** Parameters of one layer. Projections with the same input are one matrix. Matrices are [out, in]. */
export type JaxLayer = {
  attnNorm: np.Array;
  qkv: np.Array;
  o: np.Array;
  ffNorm: np.Array;
  gateUp: np.Array;
  down: np.Array;
};

export type JaxParameters = { embed: np.Array; smear: np.Array; layers: JaxLayer[]; norm: np.Array };

/** Cosine and sine of the rotary embedding [..., positions, 1, headDim], broadcastable over heads. */
export type Rotation = { cos: np.Array; sin: np.Array };

/** Product of x [..., in] and a weight [out, in]. jax-js tunes kernels by shape, which determines the faster form. */
export type Linear = (x: np.Array, weight: np.Array) => np.Array;

export const LINEAR: Readonly<Record<'batched' | 'flattened', Linear>> = {
  batched: (x, weight) => np.dot(x, weight.transpose()),
  flattened: (x, weight) => {
    const [outputs, inputs] = weight.shape;
    const leading = x.shape.slice(0, -1);
    return np.dot(x.reshape([-1, inputs]), weight.transpose()).reshape([...leading, outputs]);
  },
};

/** Converts the flat parameters of the policy to arrays of jax-js. */
export function jaxParameters(config: PolicyConfiguration, flat: Float32Array): JaxParameters {
  if (config.kvHeads !== config.heads || !config.smear || config.valueHead) {
    throw new RangeError('the benchmark knows policies with smear, without a value head and with kvHeads = heads');
  }
  const layout = parameterLayout(config);
  const { dim, ffDim } = config;
  const cut = (name: string, shape: number[]) => {
    const { offset } = layout.at(name);
    const size = shape.reduce((product, length) => product * length, 1);
    return np.array(flat.slice(offset, offset + size)).reshape(shape);
  };
  return {
    embed: cut('embed', [config.vocab, dim]),
    smear: cut('smear', [dim]),
    layers: Array.from({ length: config.layers }, (_, index) => ({
      attnNorm: cut(`layers.${index}.attnNorm`, [dim]),
      qkv: cut(`layers.${index}.q`, [3 * dim, dim]),
      o: cut(`layers.${index}.o`, [dim, dim]),
      ffNorm: cut(`layers.${index}.ffNorm`, [dim]),
      gateUp: cut(`layers.${index}.gate`, [2 * ffDim, dim]),
      down: cut(`layers.${index}.down`, [dim, ffDim]),
    })),
    norm: cut('norm', [dim]),
  };
}

/** Returns cosine and sine of the rotary embedding, each [positions, 1, headDim]. */
export function rotationTable(config: PolicyConfiguration, positions: number): Rotation {
  const width = headDim(config);
  const table = (of: (angle: number) => number) => {
    const values = Float32Array.from({ length: positions * width }, (_, i) => {
      const pair = (i % width) % (width / 2);
      return of(Math.floor(i / width) * config.ropeBase ** (-pair / (width / 2)));
    });
    return np.array(values).reshape([positions, 1, width]);
  };
  return { cos: table(Math.cos), sin: table(Math.sin) };
}

export function rmsNorm(weight: np.Array, x: np.Array, epsilon: number): np.Array {
  const scale = np.sqrt(np.square(x.ref).mean(-1, { keepdims: true }).add(epsilon));
  return x.div(scale).mul(weight);
}

function rotate(x: np.Array, { cos, sin }: Rotation): np.Array {
  const [first, second] = np.split(x.ref, 2, -1);
  return x.mul(cos).add(np.concatenate([second.mul(-1), first], -1).mul(sin));
}

/**
 * Applies one layer to x [batch, positions, dim].
 * @param attend attention over rotated queries, rotated keys and values, each [batch, positions, heads, headDim]
 */
export function layerForward(
  { config, linear }: JaxModel,
  layer: JaxLayer,
  x: np.Array,
  rotation: Rotation,
  attend: (q: np.Array, k: np.Array, v: np.Array) => np.Array,
): np.Array {
  const [batch, positions, dim] = x.shape;
  const heads = (part: np.Array) => part.reshape([batch, positions, config.heads, headDim(config)]);
  const projected = linear(rmsNorm(layer.attnNorm, x.ref, config.normEps), layer.qkv);
  const [q, k, v] = np.split(projected, 3, -1).map(heads);
  const { cos, sin } = rotation;
  const attended = attend(rotate(q, { cos: cos.ref, sin: sin.ref }), rotate(k, rotation), v);
  const middle = x.add(linear(attended.reshape([batch, positions, dim]), layer.o));
  const gateUp = linear(rmsNorm(layer.ffNorm, middle.ref, config.normEps), layer.gateUp);
  const [gate, up] = np.split(gateUp, 2, -1);
  return middle.add(linear(nn.silu(gate).mul(up), layer.down));
}
