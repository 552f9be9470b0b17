import { ABLATION, beats, type Claim, type ClaimTest, side } from '../claim.ts';
import { BETTER, EIGHT_PROGRAMS, GRPO_MT, ITER3, MARS, training, under } from './commonClaims.ts';

const MERS = side('murphy-mers');
const BY_RATE = side('grpo-mt', { outcomeReward: 'pass-rate' });

/** The same policy with its reflections and without. */
const reflecting = (title: string, arm: typeof MARS): ClaimTest => ({
  ...{ kind: 'paired', asks: 'more', margin: BETTER, higher: arm, lower: arm, of: under('reflexion') },
  ...{ lowerOf: under('refine'), statement: `${title} solves more behind reflections than without any` },
});

const bySpread = (rule: string) => side(rule, { continuations: 'spread' });
const SPREAD = ['murphy-mars:continuations=spread', 'murphy-mers:continuations=spread'];

/** What we ask ourselves of programs that are refined. */
export const REFINEMENT_FINDINGS: readonly Claim[] = [
  {
    id: 'own-turns',
    place: 'The papers train on several turns throughout',
    says: 'Training over several turns solves more within three tries than training on single turns.',
    rank: 'ablation',
    experiments: [
      training('two turns', ['grpo-mt', 'grpo-or'], {
        ...ABLATION,
        tests: [
          beats(
            'Training over several turns beats a single turn at Iter-3 (grpo-mt over grpo-or)',
            GRPO_MT,
            side('grpo-or'),
            ITER3,
            BETTER,
          ),
        ],
      }),
    ],
    differs: [],
  },
  {
    id: 'own-budget',
    place: 'Murphy leaves adaptive budgets to later work (§6)',
    says: 'Continuations that go where rewards vary more help more than even ones, with as many programs.',
    rank: 'ablation',
    experiments: [
      training('two turns', ['murphy-mars', 'murphy-mers', ...SPREAD], {
        ...ABLATION,
        tests: [
          beats('MaRS solves more at Iter-3 where rewards vary more', bySpread('murphy-mars'), MARS, ITER3, BETTER),
          beats('MeRS solves more at Iter-3 where rewards vary more', bySpread('murphy-mers'), MERS, ITER3, BETTER),
        ],
      }),
    ],
    differs: [],
  },
  {
    id: 'own-reflections',
    place: 'Reflexion (arXiv 2303.11366), whose policy is never trained',
    says: 'After training, attempts behind reflections of one’s own solve more than attempts without any.',
    rank: 'ablation',
    experiments: [
      training('eight programs, with reflections', ['murphy-mars', 'grpo-mt:outcomeReward=pass-rate'], {
        ...ABLATION,
        settings: { reflection: 'written' },
        measuring: EIGHT_PROGRAMS,
        tests: [reflecting('MaRS', MARS), reflecting('GRPO paid by pass rate', BY_RATE)],
      }),
    ],
    differs: ['The same policy is asked for programs at once (`refine`) where the reflections are left out.'],
  },
];
