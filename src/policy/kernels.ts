import type { Gpu } from '../gpu/device.ts';
import type { Kernel } from '../gpu/kernel.ts';
import { headDim, type PolicyConfiguration } from './configuration.ts';

/** How matrix kernels cut their work into workgroups. */
export interface MatrixTiles {
  /** Of the shaders' names. */
  readonly suffix: '' | '_subgroup';
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
 * so small workgroups cost it nothing and spare it rows past the count; a graphics card wants whole subgroups.
 */
export function subgroupTiles(software: boolean): MatrixTiles {
  const lanes = software ? 8 : 32;
  return { suffix: '_subgroup', lanes, rows: 4 * lanes, columns: 16, weightInputs: 64, weightOutputs: 32 };
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

/** Names of the policy's kernels, and which constants each is compiled with. */
function variants(config: PolicyConfiguration, tiles: MatrixTiles, software: boolean) {
  const { suffix } = tiles;
  const lanes = tiles.lanes === undefined ? {} : { LANES: tiles.lanes };
  const attention = attentionConstants(config);
  const smear = { SMEAR: config.smear ? 1 : 0 };
  return {
    embed: ['policy/embed', smear],
    norm: ['policy/rms_norm', {}],
    gatherTargets: ['policy/gather_targets', { ATTENDED: 1 }],
    gatherInputs: ['policy/gather_targets', { ATTENDED: 0 }],
    linear: [`policy/linear${suffix}`, { ADD_RESIDUAL: 0, ...lanes }],
    linearResidual: [`policy/linear${suffix}`, { ADD_RESIDUAL: 1, ...lanes }],
    linearNorm: [`policy/linear${suffix}`, { NORM: 1, ...lanes }],
    linearNormGate: [`policy/linear${suffix}`, { NORM: 1, GATE: 1, ...lanes }],
    rope: ['policy/rope_cache', attention],
    attention: ['policy/attention', { ...attention, TARGETS: 0 }],
    attentionOfTargets: ['policy/attention', { ...attention, TARGETS: 1 }],
    swiglu: ['policy/swiglu', {}],
    tokenLogProb: ['policy/token_log_prob', {}],
    valueHead: ['policy/value_head', {}],
    shareCache: ['policy/share_cache', {}],
    truncate: ['policy/truncate', {}],
    sample: ['policy/sample', sampleLanes(software)],
    logitsBackward: ['policy/logits_backward', {}],
    linearBackwardInput: [`policy/linear_backward_input${suffix}`, lanes],
    linearBackwardWeight: [`policy/linear_backward_weight${suffix}`, {}],
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

type Kernels = { readonly [name in keyof ReturnType<typeof variants>]: Kernel };

export type PolicyKernels = Kernels & { readonly tiles: MatrixTiles };

/** Compiles all kernels that a policy of this shape needs, with the given matrix kernels. */
export async function policyKernels(gpu: Gpu, config: PolicyConfiguration, tiles: MatrixTiles): Promise<PolicyKernels> {
  const entries = Object.entries(variants(config, tiles, gpu.software)).map(
    async ([name, [shader, constants]]) => [name, await gpu.kernels.get(shader, constants)] as const,
  );
  const kernels = Object.fromEntries(await Promise.all(entries)) as unknown as Kernels;
  return { ...kernels, tiles };
}
