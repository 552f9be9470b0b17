import type { Gpu } from '../gpu/device.ts';
import type { Kernel } from '../gpu/kernel.ts';
import { headDim, type PolicyConfiguration } from './configuration.ts';

/** Names of the policy's kernels, and which constants each is compiled with. */
function variants(config: PolicyConfiguration) {
  const heads = { HEADS: config.heads, KV_HEADS: config.kvHeads };
  const attention = { ...heads, HEAD_DIM4: headDim(config) / 4 };
  const rope = { ...heads, HEAD_DIM: headDim(config) };
  const smear = { SMEAR: config.smear ? 1 : 0 };
  return {
    embed: ['policy/embed', smear],
    norm: ['policy/rms_norm', {}],
    gatherTargets: ['policy/gather_targets', {}],
    linear: ['policy/linear', { ADD_RESIDUAL: 0 }],
    linearResidual: ['policy/linear', { ADD_RESIDUAL: 1 }],
    rope: ['policy/rope_cache', rope],
    attention: ['policy/attention', attention],
    swiglu: ['policy/swiglu', {}],
    tokenLogProb: ['policy/token_log_prob', {}],
    valueHead: ['policy/value_head', {}],
    truncate: ['policy/truncate', {}],
    sample: ['policy/sample', {}],
    compact: ['policy/compact', {}],
    logitsBackward: ['policy/logits_backward', {}],
    linearBackwardInput: ['policy/linear_backward_input', {}],
    linearBackwardWeight: ['policy/linear_backward_weight', {}],
    normBackward: ['policy/rms_norm_backward', {}],
    normBackwardWeight: ['policy/rms_norm_backward_weight', {}],
    scatterTargets: ['policy/scatter_targets', {}],
    swigluBackward: ['policy/swiglu_backward', {}],
    attentionBackwardQuery: ['policy/attention_backward_query', attention],
    attentionBackwardKeyValue: ['policy/attention_backward_key_value', attention],
    ropeBackward: ['policy/rope_backward', rope],
    embedBackward: ['policy/embed_backward', smear],
    smearBackward: ['policy/smear_backward', {}],
    valueHeadBackward: ['policy/value_head_backward', {}],
    valueHeadBackwardWeight: ['policy/value_head_backward_weight', {}],
    reduceGradients: ['policy/reduce_gradients', {}],
    gradientNorm: ['policy/gradient_norm', {}],
    adamw: ['policy/adamw', {}],
  } as const;
}

export type PolicyKernels = { readonly [name in keyof ReturnType<typeof variants>]: Kernel };

/** Compiles all kernels that a policy of this shape needs. */
export async function policyKernels(gpu: Gpu, config: PolicyConfiguration): Promise<PolicyKernels> {
  const entries = Object.entries(variants(config)).map(async ([name, [shader, constants]]) => {
    return [name, await gpu.kernels.get(shader, constants)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as unknown as PolicyKernels;
}
