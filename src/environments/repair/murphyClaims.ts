import { ABLATION, beats, type Claim, type ClaimTest, keeps, type RunValue, side } from '../claim.ts';
import {
  ALIKE,
  BETTER,
  DIFFICULTY,
  EASY,
  EIGHT_PROGRAMS,
  FIVE_TRIES,
  GRPO_MT,
  HARD,
  ITER1,
  ITER3,
  ITER5,
  MARS,
  MURPHY_LAYOUT,
  MURPHY_SMALL,
  training,
  under,
} from './commonClaims.ts';
import { PRUNING_CLAIMS } from './pruningClaims.ts';

// The claims of Murphy, as this environment can show them.

const MERS = side('murphy-mers');
/** The paper pays GRPO over several turns for the share of tests passed. */
const BY_RATE = side('grpo-mt', { outcomeReward: 'pass-rate' });
const KL = { klCoef: 0.02 } as const;
const MARS_KL = side('murphy-mars', KL);
const BY_RATE_KL = side('grpo-mt', { outcomeReward: 'pass-rate', ...KL });

/** PPO with a value a turn, paid for the last program alone. */
const RLEF_ARM = 'turn-ppo:gamma=1:lambda=1:turnReward=none';
const RLEF = side('turn-ppo', { turnReward: 'none', turnPpoGamma: 1, turnPpoLambda: 1 });

/** Two iterations, as its authors do, with about as many programs as 50 updates. */
const MU_CODE_ARM = 'expert-iteration:samples=4:verifierSteps=200';
const MU_CODE = side('expert-iteration', { samples: 4, verifierSteps: 200 });

/** Paid by pass rate, as MaRS is. */
const TREE_GRPO = side('tree-grpo', { outcomeReward: 'pass-rate' });

/** Paid by pass rate, as in its paper and as MaRS is; in a world of its own, where it writes its tests. */
const REVEAL = side('tapo', { outcomeReward: 'pass-rate' });
/** MaRS in the world that all share, less ReVeal in its own, at the same seeds. */
const overReveal = (statement: string, of: RunValue): ClaimTest => ({
  ...{ kind: 'paired', asks: 'more', margin: BETTER, statement, of, higher: 0, lower: REVEAL },
  ...{ less: { higher: 0, lower: MARS, in: 'RLEF' } },
});

const M1_ARMS = [
  ...['murphy-mars', 'grpo-mt', 'grpo-mt:outcomeReward=pass-rate'],
  ...['murphy-mars:klCoef=0.02', 'grpo-mt:klCoef=0.02:outcomeReward=pass-rate'],
];

const edge = (statement: string, of: RunValue, than: RunValue): ClaimTest => ({
  ...{ kind: 'paired', asks: 'more', margin: BETTER, statement, of, higher: MARS, lower: BY_RATE },
  ...{ less: { higher: MARS, lower: BY_RATE }, lessOf: than },
});

/** Scaffolds of any policy, and what claims call them. */
const SCAFFOLDS = [
  ['refine', 'attempt after attempt'],
  ['best-of-n', 'best of eight'],
  ['lats', 'tree search (LATS)'],
  ['dot', 'levels of new refinements (DoT)'],
] as const;
/** Those of policies that write reflections. */
const REFLECTING = [
  ['reflexion', 'Reflexion'],
  ['dot-reflections', 'DoT with its reflections'],
  ['dot-bank', 'DoT with reflections and a bank of solved tasks'],
] as const;
const holdsUnder = (scaffolds: readonly (readonly [string, string])[]) =>
  scaffolds.map(([scaffold, words]) =>
    beats(`MaRS beats GRPO paid by pass rate under ${words}`, MARS, BY_RATE, under(scaffold), BETTER),
  );

const WEAKER = beats('MaRS beats GRPO paid by pass rate at Iter-3', MARS, BY_RATE, ITER3, BETTER);
const AS_SHIPPED = 'as shipped';
/** Its edge, held against that of the policy that is shipped. */
const gainsMore = (what: string): ClaimTest => ({
  ...{ kind: 'paired', asks: 'more', margin: BETTER, of: ITER3, higher: MARS, lower: BY_RATE },
  ...{
    less: { higher: MARS, lower: BY_RATE, in: AS_SHIPPED },
    statement: `${what} MaRS's edge is larger than as shipped`,
  },
});

/** What Murphy claims. */
export const MURPHY_CLAIMS: readonly Claim[] = [
  {
    id: 'm1',
    paper: 'M',
    place: 'Abstract; §4, Fig. 3; §F.4.1, Tab. 5',
    says: 'MaRS solves more within three tries than GRPO over several turns, most on hard problems, and more so within five.',
    rank: 'headline',
    experiments: [
      training('two turns', M1_ARMS, {
        tests: [
          beats('MaRS beats GRPO over several turns at Iter-3', MARS, GRPO_MT, ITER3, BETTER),
          beats('MaRS beats GRPO over several turns, paid by pass rate, at Iter-3', MARS, BY_RATE, ITER3, BETTER),
          beats(
            'MaRS beats GRPO over several turns, paid by pass rate, both with KL .02, at Iter-3',
            MARS_KL,
            BY_RATE_KL,
            ITER3,
            BETTER,
          ),
        ],
      }),
      training('five tries, by difficulty', ['murphy-mars', 'grpo-mt', 'grpo-mt:outcomeReward=pass-rate'], {
        measuring: FIVE_TRIES,
        tests: [
          beats('MaRS beats GRPO over several turns at Iter-5', MARS, GRPO_MT, ITER5, BETTER),
          beats('MaRS beats GRPO over several turns, paid by pass rate, at Iter-5', MARS, BY_RATE, ITER5, BETTER),
          edge("MaRS's edge over GRPO paid by pass rate is larger at Iter-5 than at Iter-3", ITER5, ITER3),
          beats('MaRS beats GRPO paid by pass rate at Iter-3 on hard problems', MARS, BY_RATE, HARD, BETTER),
          edge("MaRS's edge over GRPO paid by pass rate is larger on hard problems than on easy ones", HARD, EASY),
        ],
      }),
    ],
    differs: [MURPHY_SMALL, MURPHY_LAYOUT, DIFFICULTY],
  },
  {
    id: 'm2',
    paper: 'M',
    place: '§4',
    says: 'What is solved at the first try is preserved.',
    rank: 'headline',
    experiments: [
      training('two turns', M1_ARMS, {
        tests: [
          keeps('MaRS keeps the Iter-1 of GRPO over several turns, to 3 points', MARS, GRPO_MT, ITER1, ALIKE),
          keeps('MaRS keeps the Iter-1 of GRPO paid by pass rate, to 3 points', MARS, BY_RATE, ITER1, ALIKE),
        ],
      }),
    ],
    differs: [MURPHY_SMALL, MURPHY_LAYOUT],
  },
  {
    id: 'm3',
    paper: 'M',
    place: '§4.1',
    says: 'MaRS solves more within three tries than MeRS, whatever the weight γ of continuations.',
    rank: 'headline',
    experiments: [
      training('two turns', ['murphy-mars', 'murphy-mers', 'murphy-mers:gamma=0.7', 'murphy-mers:gamma=1'], {
        tests: [
          beats('MaRS beats MeRS at Iter-3', MARS, MERS, ITER3, BETTER),
          beats('MaRS beats MeRS with γ = 0.7 at Iter-3', MARS, side('murphy-mers', { mersGamma: 0.7 }), ITER3, BETTER),
          beats('MaRS beats MeRS with γ = 1 at Iter-3', MARS, side('murphy-mers', { mersGamma: 1 }), ITER3, BETTER),
        ],
      }),
    ],
    differs: [MURPHY_SMALL, MURPHY_LAYOUT],
  },
  {
    id: 'm4',
    paper: 'M',
    place: '§4.1',
    says: 'Where turns are paid 0 or 1, MaRS has less of an edge over MeRS.',
    rank: 'ablation',
    experiments: [
      training(
        'two turns',
        ['murphy-mars', 'murphy-mers', 'murphy-mars:turnReward=solved', 'murphy-mers:turnReward=solved'],
        {
          ...ABLATION,
          tests: [
            {
              ...{ kind: 'paired', asks: 'more', margin: BETTER, of: ITER3 },
              ...{ statement: "MaRS's edge over MeRS at Iter-3 is larger with pass rates", higher: MARS },
              lower: side('murphy-mers'),
              less: {
                higher: side('murphy-mars', { turnReward: 'solved' }),
                lower: side('murphy-mers', { turnReward: 'solved' }),
              },
            },
          ],
        },
      ),
    ],
    differs: [MURPHY_SMALL, MURPHY_LAYOUT],
  },
  ...PRUNING_CLAIMS,
  {
    id: 'm8',
    paper: 'M',
    place: '§4; §F.4.2, Fig. 4',
    says: 'Smaller and weaker policies gain more, and fewer training problems suffice.',
    rank: 'ablation',
    experiments: [
      training(
        'fewer problems',
        ['murphy-mars', ...[75, 150, 300].map((count) => `murphy-mars:trainProblems=${count}`)],
        {
          ...ABLATION,
          tests: [75, 150, 300].map((count) =>
            keeps(
              `with ${count} training problems MaRS keeps its Iter-3, to 3 points`,
              side('murphy-mars', { trainProblems: count }),
              MARS,
              ITER3,
              ALIKE,
            ),
          ),
        },
      ),
      training(AS_SHIPPED, ['murphy-mars', 'grpo-mt:outcomeReward=pass-rate'], { ...ABLATION, tests: [WEAKER] }),
      training('half the warm start', ['murphy-mars', 'grpo-mt:outcomeReward=pass-rate'], {
        ...ABLATION,
        settings: { warmSteps: 450 },
        tests: [WEAKER, gainsMore('With half the warm start')],
      }),
      training('half the width', ['murphy-mars', 'grpo-mt:outcomeReward=pass-rate'], {
        ...ABLATION,
        settings: { width: '32' },
        tests: [WEAKER, gainsMore('With half the width')],
      }),
    ],
    differs: [
      MURPHY_SMALL,
      MURPHY_LAYOUT,
      'Fewer problems are those of reinforcement learning; the warm start has seen all 607 of the shipped world.',
    ],
  },
  {
    id: 'm9',
    paper: 'M',
    place: 'App. D and E',
    says: 'The gains hold under other scaffolds.',
    rank: 'ablation',
    experiments: [
      training('eight programs', ['murphy-mars', 'grpo-mt:outcomeReward=pass-rate'], {
        ...ABLATION,
        measuring: EIGHT_PROGRAMS,
        tests: holdsUnder(SCAFFOLDS),
      }),
      training('eight programs, with reflections', ['murphy-mars', 'grpo-mt:outcomeReward=pass-rate'], {
        ...ABLATION,
        settings: { reflection: 'written' },
        measuring: EIGHT_PROGRAMS,
        tests: holdsUnder(REFLECTING),
      }),
    ],
    differs: [
      MURPHY_SMALL,
      MURPHY_LAYOUT,
      'Every scaffold may write eight programs for a problem, and no verifier helps it to choose. LATS goes by visible tests alone. ' +
        'Without reflections DoT goes by programs that were not tried before.',
      'Reflexion, DoT with its reflections and its bank run in a world whose warm start has taught reflections, and training has them too: one policy writes up to three ' +
        'edits in tokens of their own, then the program. An attempt sees the last program, its feedback and the last reflection.',
      'DoT does not show a policy the reflections that there were: one that repeats them costs a program. Its bank has no room for an ' +
        'example in the prompt; it puts the change that solved a similar problem in place of a reflection, for the last four programs.',
    ],
  },
  {
    id: 'm10',
    paper: 'M',
    place: '§1, §4, Tab. 4; §A.1',
    says: 'Murphy beats RLEF, μCode, ReVeal and a TreeGRPO backup.',
    rank: 'headline',
    experiments: [
      training('RLEF', ['murphy-mars', RLEF_ARM], {
        tests: [
          beats('MaRS beats RLEF at Iter-3', MARS, RLEF, ITER3, BETTER),
          beats('MaRS beats RLEF at Iter-1', MARS, RLEF, ITER1, BETTER),
        ],
      }),
      training('TreeGRPO', ['murphy-mars', 'tree-grpo:outcomeReward=pass-rate'], {
        ...ABLATION,
        tests: [beats('MaRS beats a TreeGRPO backup at Iter-3', MARS, TREE_GRPO, ITER3, BETTER)],
      }),
      training('muCode', ['murphy-mars', MU_CODE_ARM], {
        ...ABLATION,
        tests: [
          beats('MaRS beats μCode at Iter-3', MARS, MU_CODE, ITER3, BETTER),
          beats('MaRS beats μCode at Iter-1', MARS, MU_CODE, ITER1, BETTER),
        ],
      }),
      training('ReVeal', ['tapo:outcomeReward=pass-rate'], {
        ...ABLATION,
        settings: { verification: 'written' },
        tests: [
          overReveal('MaRS beats ReVeal, which writes its own tests, at Iter-3', ITER3),
          overReveal('MaRS beats ReVeal, which writes its own tests, at Iter-1', ITER1),
        ],
      }),
    ],
    missing: 'μCode’s choice among several programs by its verifier is not measured here.',
    differs: [
      MURPHY_SMALL,
      MURPHY_LAYOUT,
      'RLEF (Gehring et al. 2025, arXiv 2410.02089) is Turn-PPO here, a value before each turn, γ = λ = 1, paid 1 where the last ' +
        'program passes all tests and nothing else: no penalty for programs that are no code, and none on the KL.',
      'TreeGRPO (Ding, Ye 2025, arXiv 2512.08153) trains diffusion models. Here its last programs are compared by the share of ' +
        'tests that they pass, and a program before them has the mean of what continues it, weighted by the softmax of the ' +
        'log-probability of a token.',
      'ReVeal (Jin et al. 2025, arXiv 2506.11442) has a warm start of its own, which has taught it to write tests, and no other ' +
        'feedback than theirs, while MaRS is shown tests of the task. Its 176 turns an update are programs and tests together. It is ' +
        'held against the runs of MaRS beside RLEF.',
      'μCode (Jain et al. 2025, arXiv 2502.20380) is expert iteration here: two iterations of 4 rollouts of every training ' +
        'problem in up to 3 turns, a verifier of 200 steps, and the warm start imitates the best program of each problem behind ' +
        'everything that stood before one of its turns: 8,246 programs with seed 1, where 50 updates have about 8,700. It is measured ' +
        'as the others are, by Iter-1 and Iter-3.',
    ],
  },
];
