import type { Claim } from '../../environments/claim.ts';

/** Claims that are about several environments, or about rules whatever the environment. */
export const CROSS_CLAIMS: readonly Claim[] = [
  {
    id: 't10',
    paper: 'T',
    place: 'Method',
    says: 'Exact MT-GRPO branches from every state, and costs G^(K−1) rollouts for K turns.',
    rank: 'ablation',
    experiments: [],
    missing: 'Rollouts are sampled as chains: no collector branches from every state.',
    differs: ['Here turn l is compared over the chains of a group, whatever their states are.'],
  },
  {
    id: 't11',
    paper: 'T',
    place: 'Method',
    says: 'Normalisation by turn index is biased where the policy itself chooses when to stop.',
    rank: 'ablation',
    experiments: [],
    missing: 'The bandit has no action that stops, and MT-GRPO has no second reading of turns that are absent.',
    differs: [],
  },
];
