import type { Gpu } from '../gpu/device.ts';
import { type Constants, type ConstantsOf, type Kernel, workgroupOf } from '../gpu/kernel.ts';
import type { KernelName } from '../gpu/kernelTypes.ts';
import { headDim, type PolicyConfiguration } from './policyConfiguration.ts';

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
