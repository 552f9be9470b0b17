import { ABLATION, beats, type Claim, keeps, side } from '../claim.ts';
import { BETTER, OUTCOME, RTMC, SILENT, SOLVED, training } from './commonClaims.ts';

/** What we ask ourselves here. */
export const FINDINGS: readonly Claim[] = [
  {
    id: 'own-silent',
    place: 'Why RTMC falls without shrinkage',
    says: 'Without shrinkage many steps get no credit, because no other rollout came by their state.',
    rank: 'ablation',
    experiments: [
      training(
        ['rtmc', 'rtmc:kappa=0'],
        [
          beats(
            'without shrinkage more steps get no credit (rtmc:kappa=0 over rtmc)',
            SILENT,
            RTMC,
            { mean: 'zeroAdvantage' },
            0.05,
          ),
        ],
        ABLATION,
      ),
    ],
    differs: [],
  },
  {
    id: 'own-tests',
    place: 'What the agent learns besides solving',
    says: 'RTMC tests before it finishes more often than GRPO.',
    rank: 'ablation',
    experiments: [
      training(
        ['rtmc', 'grpo-or'],
        [beats('RTMC tests before it finishes more often than GRPO', RTMC, OUTCOME, { measured: 'tested' }, 0.02)],
        ABLATION,
      ),
    ],
    differs: [],
  },
  {
    id: 'own-tempo',
    place: 'TEMPO (arXiv 2509.18314) compares rollouts that began alike',
    says: 'Whole histories are seldom shared: TEMPO solves what GRPO solves, and RTMC, which compares states, more.',
    rank: 'ablation',
    experiments: [
      training(
        ['grpo-or', 'tempo', 'rtmc'],
        [
          keeps('TEMPO keeps the pass@1 of GRPO, to 2 points', side('tempo'), OUTCOME, SOLVED, 0.02),
          keeps('GRPO keeps the pass@1 of TEMPO, to 2 points', OUTCOME, side('tempo'), SOLVED, 0.02),
          beats('RTMC solves more than TEMPO (held-out pass@1)', RTMC, side('tempo'), SOLVED, BETTER),
        ],
        ABLATION,
      ),
    ],
    differs: [],
  },
  {
    id: 'own-gigpo',
    place: 'GiGPO (arXiv 2505.10978) compares turns that find the same contents',
    says: 'Groups inside a group help beyond GRPO, and what RTMC adds to states helps beyond them.',
    rank: 'ablation',
    experiments: [
      training(
        ['grpo-or', 'gigpo', 'rtmc'],
        [
          beats('GiGPO solves more than GRPO (held-out pass@1)', side('gigpo'), OUTCOME, SOLVED, BETTER),
          beats('RTMC solves more than GiGPO (held-out pass@1)', RTMC, side('gigpo'), SOLVED, BETTER),
        ],
        ABLATION,
      ),
    ],
    differs: [],
  },
];
