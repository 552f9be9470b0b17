import { BufferSet, readBuffer } from '../gpu/buffers.ts';
import type { Gpu } from '../gpu/device.ts';
import { type Constants, type ConstantsOf, type Kernel, workgroupOf } from '../gpu/kernel.ts';
import type { KernelName } from '../gpu/kernelTypes.ts';
import { Recorder } from '../gpu/recorder.ts';
import { uniform } from '../random/counter.ts';
import { headDim, type PolicyConfiguration } from './weights.ts';

/** Division of the work of matrix kernels into workgroups. */
export interface MatrixTiles {
  /** Suffix of the shaders' names. */
  readonly suffix: '' | '_subgroup';
  /** Number of rows that a workgroup computes. */
  readonly rows: number;
  /** Number of columns that a workgroup computes. */
  readonly columns: number;
  /** Number of inputs of a weight whose gradient a workgroup computes. */
  readonly weightInputs: number;
  /** Number of outputs of a weight whose gradient a workgroup computes. */
  readonly weightOutputs: number;
}

/** Number of input rows that an invocation of a matrix kernel computes. */
const ROWS_PER_LANE = 4;

/**
 * Returns the tiles of matrix kernels.
 * @param shape columns, and inputs and outputs of a weight's gradient, per invocation
 */
function tilesOf(
  suffix: MatrixTiles['suffix'],
  shape: { readonly columns: number; readonly inputs: number; readonly outputs: number },
): MatrixTiles {
  const [rows] = workgroupOf(`policy/linear${suffix}`);
  const [inputs, outputs] = workgroupOf(`policy/linear_backward_weight${suffix}`);
  return {
    suffix,
    rows: ROWS_PER_LANE * rows,
    columns: shape.columns,
    weightInputs: shape.inputs * inputs,
    weightOutputs: shape.outputs * outputs,
  };
}

/** Tiles of the matrix kernels that run on all devices. */
export const PLAIN = tilesOf('', { columns: 8, inputs: 8, outputs: 8 });

/** Tiles of the matrix kernels that require subgroups of at least 8 lanes. */
export const SUBGROUPS = tilesOf('_subgroup', { columns: 16, inputs: 2, outputs: 32 });

/** Name of a kernel and the constants of its compilation. */
interface Variant<Name extends KernelName = KernelName> {
  readonly name: Name;
  readonly constants: Constants;
}

function variant<Name extends KernelName>(name: Name, constants?: ConstantsOf<Name>): Variant<Name> {
  return { name, constants: (constants ?? {}) as Constants };
}

/** Returns the variants of the matrix kernels. */
function matrixVariants({ suffix }: MatrixTiles) {
  return {
    linear: variant(`policy/linear${suffix}`, { ADD_RESIDUAL: 0 }),
    linearResidual: variant(`policy/linear${suffix}`, { ADD_RESIDUAL: 1 }),
    linearNorm: variant(`policy/linear${suffix}`, { NORM: 1 }),
    linearNormGate: variant(`policy/linear${suffix}`, { NORM: 1, GATE: 1 }),
    linearBackwardInput: variant(`policy/linear_backward_input${suffix}`),
    linearBackwardWeight: variant(`policy/linear_backward_weight${suffix}`),
  };
}

/** Returns the variants of all other kernels. */
function variants(config: PolicyConfiguration) {
  const attention = { HEADS: config.heads, KV_HEADS: config.kvHeads, HEAD_DIM4: headDim(config) / 4 };
  const smear = { SMEAR: config.smear ? 1 : 0 };
  return {
    embed: variant('policy/embed', smear),
    norm: variant('policy/rms_norm'),
    gatherTargets: variant('policy/gather_targets', { ATTENDED: 1 }),
    gatherInputs: variant('policy/gather_targets', { ATTENDED: 0 }),
    rope: variant('policy/rope_cache', attention),
    attention: variant('policy/attention', attention),
    swiglu: variant('policy/swiglu'),
    tokenLogProb: variant('policy/token_log_prob'),
    valueHead: variant('policy/value_head'),
    shareCache: variant('policy/share_cache'),
    sample: variant('policy/sample'),
    logitsBackward: variant('policy/logits_backward'),
    normBackward: variant('policy/rms_norm_backward'),
    normBackwardWeight: variant('policy/rms_norm_backward_weight'),
    scatterTargets: variant('policy/scatter_targets'),
    swigluBackward: variant('policy/swiglu_backward'),
    attentionBackwardQuery: variant('policy/attention_backward_query', attention),
    attentionBackwardKeyValue: variant('policy/attention_backward_key_value', attention),
    ropeBackward: variant('policy/rope_backward', attention),
    embedBackward: variant('policy/embed_backward', smear),
    smearBackward: variant('policy/smear_backward'),
    valueHeadBackward: variant('policy/value_head_backward'),
    valueHeadBackwardWeight: variant('policy/value_head_backward_weight'),
    reduceGradients: variant('policy/reduce_gradients'),
    gradientNorm: variant('policy/gradient_norm'),
    adamw: variant('policy/adamw'),
  };
}

type Variants = Readonly<Record<string, Variant>>;
type Kernels<V extends Variants> = { readonly [key in keyof V]: Kernel<V[key]['name']> };

export type PolicyKernels = Kernels<ReturnType<typeof variants>> &
  Kernels<ReturnType<typeof matrixVariants>> & { readonly tiles: MatrixTiles };

async function compiled<V extends Variants>(gpu: Gpu, requested: V): Promise<Kernels<V>> {
  const entries = Object.entries(requested).map(
    async ([key, { name, constants }]) => [key, await gpu.kernels.get<string>(name, constants)] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as Kernels<V>;
}

/**
 * Compiles all kernels of a policy of this shape. Of the configuration, only constants from `heads` and `smear` matter,
 * so policies of other sizes reuse the kernels.
 * @param choice of the matrix kernels; the other kernels do not wait for it
 */
export async function policyKernels(
  gpu: Gpu,
  config: PolicyConfiguration,
  choice: Promise<MatrixTiles>,
): Promise<PolicyKernels> {
  const [tiles, matrices, remaining] = await Promise.all([
    choice,
    choice.then((tiles) => compiled(gpu, matrixVariants(tiles))),
    compiled(gpu, variants(config)),
  ]);
  return { ...remaining, ...matrices, tiles };
}

/** Sizes of the check: several workgroups per dimension, and partial workgroups at the edges. */
const ROWS = 149;
const INPUTS = 24;
const OUTPUTS = 40;
const CHUNKS = 2;
/** Maximum difference due to rounding in sums of about a hundred products of numbers below 1. */
const TOLERANCE = 1e-4;

const chosen = new WeakMap<Gpu, Promise<MatrixTiles>>();

/**
 * Returns the tiles of the matrix kernels for a device. Subgroup kernels are used if the device supports them and they
 * agree with the plain kernels on this device. The check runs once per device.
 */
export function matrixTiles(gpu: Gpu): Promise<MatrixTiles> {
  let tiles = chosen.get(gpu);
  if (!tiles) {
    tiles = choose(gpu);
    chosen.set(gpu, tiles);
  }
  return tiles;
}

async function choose(gpu: Gpu): Promise<MatrixTiles> {
  if (!gpu.subgroups) return PLAIN;
  const plain = await products(gpu, PLAIN);
  // A driver that fails to compile or run them is a reason for the plain kernels, as wrong numbers are.
  const subgroups = await products(gpu, SUBGROUPS).catch(() => undefined);
  const agree = subgroups && plain.every((value, index) => Math.abs(value - subgroups[index]) <= TOLERANCE);
  return agree ? SUBGROUPS : PLAIN;
}

/**
 * Computes all kinds of products of a random input, weight and gradient: forward in three forms, by the input, by the
 * weight.
 */
async function products(gpu: Gpu, tiles: MatrixTiles): Promise<Float32Array> {
  const linear = (constants: Constants) => gpu.kernels.get(`policy/linear${tiles.suffix}`, constants);
  const [residual, norm, gate, backwardInput, backwardWeight] = await Promise.all([
    linear({ ADD_RESIDUAL: 1 }),
    linear({ NORM: 1 }),
    linear({ NORM: 1, GATE: 1 }),
    gpu.kernels.get(`policy/linear_backward_input${tiles.suffix}`),
    gpu.kernels.get(`policy/linear_backward_weight${tiles.suffix}`),
  ]);
  const buffers = new BufferSet(gpu.device);
  const recorder = new Recorder(gpu.device, 5);
  const capacity = Math.ceil(ROWS / 128) * 128;
  const random = (label: string, elements: number, stream: number) => {
    const buffer = buffers.storage(label, elements);
    const values = Float32Array.from({ length: elements }, (_, index) => 2 * uniform(stream, 0, 0, index) - 1);
    gpu.device.queue.writeBuffer(buffer, 0, values);
    return buffer;
  };
  const counts = buffers.storage('check count', 1);
  gpu.device.queue.writeBuffer(counts, 0, Uint32Array.of(ROWS));
  const input = random('check input', capacity * INPUTS, 1);
  const parameters = random('check weight', 2 * OUTPUTS * INPUTS, 2);
  const outputGradient = random('check gradient', capacity * OUTPUTS, 3);
  const outputs = ['sum', 'normed', 'gated'].map((name) => buffers.storage(`check ${name}`, capacity * OUTPUTS));
  const inputGradient = buffers.storage('check input gradient', capacity * INPUTS);
  const partial = buffers.storage('check weight gradient', CHUNKS * OUTPUTS * INPUTS);
  const sizes = { countIndex: 0, in4: INPUTS / 4, outStride4: OUTPUTS / 4, weightOffset4: 0 };
  const grid = (columns: number, step = tiles.columns): [number, number] => [
    Math.ceil(ROWS / tiles.rows),
    Math.ceil(columns / step),
  ];
  const forward = { ...sizes, groupRows: tiles.columns, highOffset4: (tiles.columns / 2) * (INPUTS / 4) };
  const half = tiles.columns / 2;
  // The gate is the first half of the weight's rows. Its first row also serves as the weight of the norm.
  const gated = { ...sizes, outStride4: OUTPUTS / 8, groupRows: half, highOffset4: (OUTPUTS / 2) * (INPUTS / 4) };
  const normed = { normOffset4: 0, epsilon: 1e-5 };
  const bindings = { counts, parameters, input, residual: outputGradient };
  recorder.dispatch(residual, { ...bindings, output: outputs[0] }, { ...forward, ...normed }, grid(OUTPUTS));
  recorder.dispatch(norm, { ...bindings, output: outputs[1] }, { ...forward, ...normed }, grid(OUTPUTS));
  recorder.dispatch(gate, { ...bindings, output: outputs[2] }, { ...gated, ...normed }, grid(OUTPUTS / 2, half));
  recorder.dispatch(backwardInput, { counts, parameters, outputGradient, inputGradient }, sizes, grid(INPUTS));
  recorder.dispatch(
    backwardWeight,
    { counts, outputGradient, input, partial },
    { ...sizes, chunks: CHUNKS, outRows: OUTPUTS, partialStride4: (OUTPUTS * INPUTS) / 4 },
    [Math.ceil(INPUTS / tiles.weightInputs), Math.ceil(OUTPUTS / tiles.weightOutputs), CHUNKS],
  );
  recorder.submit();
  const read = async (buffer: GPUBuffer, elements: number) => [
    ...new Float32Array(await readBuffer(gpu.device, buffer, elements)),
  ];
  const results = await Promise.all([
    read(outputs[0], ROWS * OUTPUTS),
    read(outputs[1], ROWS * OUTPUTS),
    read(outputs[2], (ROWS * OUTPUTS) / 2),
    read(inputGradient, ROWS * INPUTS),
    read(partial, CHUNKS * OUTPUTS * INPUTS),
  ]);
  buffers.destroy();
  recorder.destroy();
  return Float32Array.from(results.flat());
}
