import type { Gpu } from '../gpu/device.ts';
import { type Constants, type ConstantsOf, type Kernel, workgroupOf } from '../gpu/kernel.ts';
import type { KernelName } from '../gpu/kernelTypes.ts';
import { headDim, type PolicyConfiguration } from './policyConfiguration.ts';

/** Division of the work of matrix kernels into workgroups. */
export interface MatrixTiles {
  /** Of the shaders' names. */
  readonly suffix: '' | '_subgroup';
  /** Rows and columns that a workgroup computes. */
  readonly rows: number;
  readonly columns: number;
  /** Inputs and outputs of the weight that a workgroup computes the gradient of. */
  readonly weightInputs: number;
  readonly weightOutputs: number;
}

/** Rows of inputs that an invocation of a matrix kernel computes. */
const ROWS_PER_LANE = 4;

/** Tiles of kernels whose invocations compute so many columns, and so many inputs and outputs of a weight's gradient. */
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

/** Matrix kernels that run everywhere. */
export const PLAIN = tilesOf('', { columns: 8, inputs: 8, outputs: 8 });

/** Matrix kernels with subgroups of at least 8 lanes. */
export const SUBGROUPS = tilesOf('_subgroup', { columns: 16, inputs: 2, outputs: 32 });

/** A kernel by name, and the constants that it is compiled with. */
interface Variant<Name extends KernelName = KernelName> {
  readonly name: Name;
  readonly constants: Constants;
}

function variant<Name extends KernelName>(name: Name, constants?: ConstantsOf<Name>): Variant<Name> {
  return { name, constants: (constants ?? {}) as Constants };
}

/** The matrix kernels, and which constants each is compiled with. */
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

/** The same of all others. */
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
 * Compiles all kernels that a policy of this shape needs. Only what comes from `heads` and `smear` matters, so policies
 * of other sizes find them ready.
 * @param choice of the matrix kernels; the others do not wait for it
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
