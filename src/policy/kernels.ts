import type { Gpu } from '../gpu/device.ts';
import type { Constants, Kernel } from '../gpu/kernel.ts';
import { headDim, type PolicyConfiguration } from './policyConfiguration.ts';

/** How matrix kernels cut their work into workgroups. */
export interface MatrixTiles {
  /** Of the shaders' names. */
  readonly suffix: '' | '_subgroup' | '_wide';
  /** Lanes of a workgroup, where the shader leaves that open. */
  readonly lanes?: number;
  /** Rows and columns that a workgroup computes. */
  readonly rows: number;
  readonly columns: number;
  /** Inputs and outputs of the weight that a workgroup computes the gradient of. */
  readonly weightInputs: number;
  readonly weightOutputs: number;
}

/** Matrix kernels that run everywhere. */
export const PLAIN: MatrixTiles = { suffix: '', rows: 128, columns: 8, weightInputs: 64, weightOutputs: 64 };

/**
 * Matrix kernels with subgroups. A software renderer works through the lanes of a workgroup one small vector at a time,
 * so small workgroups cost it nothing and spare it rows past the count; a load is dear to it, so it gets larger tiles. A
 * graphics card wants whole subgroups, and tiles that fit its registers.
 */
export function subgroupTiles(software: boolean): MatrixTiles {
  return software
    ? { suffix: '_wide', lanes: 8, rows: 32, columns: 32, weightInputs: 32, weightOutputs: 32 }
    : { suffix: '_subgroup', lanes: 32, rows: 128, columns: 16, weightInputs: 64, weightOutputs: 32 };
}

/**
 * How a draw is spread over a workgroup. A software renderer pays for every barrier and idle lane, so there each lane
 * draws for a sequence of its own; the bits are the same.
 */
export function sampleLanes(software: boolean) {
  return software ? { LANES: 1, SEQUENCES: 8 } : { LANES: 32, SEQUENCES: 1 };
}

/** Constants of the kernels that know about heads. */
export function attentionConstants(config: PolicyConfiguration) {
  return { HEADS: config.heads, KV_HEADS: config.kvHeads, HEAD_DIM4: headDim(config) / 4 };
}

/** Names of the matrix kernels, and which constants each is compiled with. */
function matrixVariants({ suffix, lanes }: MatrixTiles) {
  const constants = lanes === undefined ? {} : { LANES: lanes };
  return {
    linear: [`policy/linear${suffix}`, { ADD_RESIDUAL: 0, ...constants }],
    linearResidual: [`policy/linear${suffix}`, { ADD_RESIDUAL: 1, ...constants }],
    linearNorm: [`policy/linear${suffix}`, { NORM: 1, ...constants }],
    linearNormGate: [`policy/linear${suffix}`, { NORM: 1, GATE: 1, ...constants }],
    linearBackwardInput: [`policy/linear_backward_input${suffix}`, constants],
    linearBackwardWeight: [`policy/linear_backward_weight${suffix}`, {}],
  } as const;
}

/** The same of all others. */
function variants(config: PolicyConfiguration, software: boolean) {
  const attention = attentionConstants(config);
  const smear = { SMEAR: config.smear ? 1 : 0 };
  return {
    embed: ['policy/embed', smear],
    norm: ['policy/rms_norm', {}],
    gatherTargets: ['policy/gather_targets', { ATTENDED: 1 }],
    gatherInputs: ['policy/gather_targets', { ATTENDED: 0 }],
    rope: ['policy/rope_cache', attention],
    attention: ['policy/attention', attention],
    swiglu: ['policy/swiglu', {}],
    tokenLogProb: ['policy/token_log_prob', {}],
    valueHead: ['policy/value_head', {}],
    shareCache: ['policy/share_cache', {}],
    sample: ['policy/sample', sampleLanes(software)],
    logitsBackward: ['policy/logits_backward', {}],
    normBackward: ['policy/rms_norm_backward', {}],
    normBackwardWeight: ['policy/rms_norm_backward_weight', {}],
    scatterTargets: ['policy/scatter_targets', {}],
    swigluBackward: ['policy/swiglu_backward', {}],
    attentionBackwardQuery: ['policy/attention_backward_query', attention],
    attentionBackwardKeyValue: ['policy/attention_backward_key_value', attention],
    ropeBackward: ['policy/rope_backward', attention],
    embedBackward: ['policy/embed_backward', smear],
    smearBackward: ['policy/smear_backward', {}],
    valueHeadBackward: ['policy/value_head_backward', {}],
    valueHeadBackwardWeight: ['policy/value_head_backward_weight', {}],
    reduceGradients: ['policy/reduce_gradients', {}],
    gradientNorm: ['policy/gradient_norm', {}],
    adamw: ['policy/adamw', {}],
  } as const;
}

type Variants = Readonly<Record<string, readonly [shader: string, constants: Constants]>>;
type Kernels<V> = { readonly [name in keyof V]: Kernel };

export type PolicyKernels = Kernels<ReturnType<typeof variants>> &
  Kernels<ReturnType<typeof matrixVariants>> & { readonly tiles: MatrixTiles };

async function compiled<V extends Variants>(gpu: Gpu, wanted: V): Promise<Kernels<V>> {
  const entries = Object.entries(wanted).map(
    async ([name, [shader, constants]]) => [name, await gpu.kernels.get(shader, constants)] as const,
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
  const [tiles, matrices, others] = await Promise.all([
    choice,
    choice.then((tiles) => compiled(gpu, matrixVariants(tiles))),
    compiled(gpu, variants(config, gpu.software)),
  ]);
  return { ...others, ...matrices, tiles };
}
