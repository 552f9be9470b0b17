import { ABLATION, beats, type Claim, side } from '../../environments/claim.ts';

/** A rollout that stopped counts as 0 in the turns that it did without. */
const ZERO = side('mt-grpo', { absent: 'zero' });

/** Claims that are about several environments, or about rules whatever the environment. */
export const CROSS_CLAIMS: readonly Claim[] = [
  {
    id: 't11',
    paper: 'T',
    place: 'Method',
    says: 'Normalisation by turn index is biased where the policy itself chooses when to stop.',
    rank: 'ablation',
    experiments: [
      {
        ...{ name: 'four turns', environment: 'search', world: 'open', settings: { maxTurns: 4 }, steps: 95 },
        arms: ['mt-grpo', 'mt-grpo:absent=zero'],
        ...ABLATION,
        tests: [
          beats(
            'MT-GRPO uses the tool more where a rollout answers for the turns that it did without',
            ZERO,
            side('mt-grpo'),
            { end: 'toolUse' },
            0.1,
          ),
          beats(
            'MT-GRPO answers more new questions where a rollout answers for the turns that it did without',
            ZERO,
            side('mt-grpo'),
            { measured: 'answer' },
            0.02,
          ),
        ],
      },
    ],
    missing: 'Exact gradients of a stopping problem: the bandit has no action that stops.',
    differs: ['absent = zero is a reading of the formula beside the plain one; with two turns they are the same.'],
  },
];
