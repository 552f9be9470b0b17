import { ABLATION, beats, type Claim, type ClaimTest, type Experiment, keeps, type Side, side } from '../claim.ts';
import { BETTER, OUTCOME, RTMC, SILENT, SOLVED, training } from './commonClaims.ts';

// The claims of RTMC, as this environment can show them.

const AREA = { mean: 'solved' } as const;
const MAJORITY = { measured: 'majority' } as const;
const PENALISED = { measured: 'penalised' } as const;
const RESCUED = { measured: 'rescued' } as const;
const LOST = { measured: 'lost' } as const;

const STEP = side('grpo-step');

const SMALL =
  'A small policy mends synthetic repositories of three files in up to 14 actions; the paper trains 30B parameters on R2E-Gym ' +
  'and evaluates on SWE-bench Verified.';
const MEAN =
  'pass@1 is the mean over eight episodes a problem; the paper takes the majority of three runs, which r1 has beside it.';

/** 60 updates at three times the learning rate. */
const fast = (arms: readonly string[], tests: readonly ClaimTest[]): Experiment =>
  training(arms, tests, { name: '3e-4', controls: { learningRate: 3e-4 }, steps: 60 });

/** At the end, on problems never met, and over training. */
const ahead = (title: string, higher: Side, lower: Side): readonly ClaimTest[] => [
  beats(`${title} (held-out pass@1)`, higher, lower, SOLVED, BETTER),
  beats(`${title} (solved over training)`, higher, lower, AREA, BETTER),
];

const THREE = ['grpo-or', 'grpo-step', 'rtmc'];
const ORDER = [
  ...ahead('it beats GRPO', RTMC, OUTCOME),
  ...ahead('rewards of steps help: grpo-step over grpo-or', STEP, OUTCOME),
  ...ahead('it beats GRPO-Step', RTMC, STEP),
];
const SHRINKAGE = ['grpo-step', 'rtmc', 'rtmc:kappa=0', 'rtmc:kappa=0.5', 'rtmc:kappa=8'];

const SLOPE = { measured: 'slope' } as const;
const BIAS = { measured: 'bias' } as const;
const MANY_BIAS = { measured: 'bias:8' } as const;
const variance = (visits: number) => ({ measured: `variance:${visits}` }) as const;
/** Of a return. */
const UNBIASED = 0.05;

/** Few visits against many: the variance of the error of RTMC's advantages. */
const lessVaried = (words: string, visits: number): ClaimTest => ({
  ...{
    kind: 'paired',
    asks: 'more',
    margin: 0.01,
    higher: RTMC,
    lower: RTMC,
    of: variance(visits),
    lowerOf: variance(8),
  },
  statement: `the variance of the error is larger with ${words} than with eight or more`,
});

const VISITS: readonly ClaimTest[] = [
  {
    ...{ kind: 'paired', asks: 'more', margin: 0.1, higher: 0, lower: RTMC, of: SLOPE, unit: 'of the slope' },
    statement: 'the variance of the error falls with the visits of a state: its slope is below 0',
  },
  lessVaried('one visit', 1),
  lessVaried('two or three visits', 2),
  keeps('the bias is not below −0.05', RTMC, 0, BIAS, UNBIASED),
  keeps('the bias is not above 0.05', 0, RTMC, BIAS, UNBIASED),
  keeps('with eight visits or more the bias is not below −0.05', RTMC, 0, MANY_BIAS, UNBIASED),
  keeps('with eight visits or more the bias is not above 0.05', 0, RTMC, MANY_BIAS, UNBIASED),
];

/** What RTMC claims. */
export const CLAIMS: readonly Claim[] = [
  {
    id: 'r1',
    paper: 'R',
    place: 'Abstract; §5.2, §5.3',
    says: 'RTMC solves more than GRPO with rewards of steps, which solves more than GRPO, throughout training.',
    rank: 'headline',
    experiments: [
      training(THREE, ORDER),
      fast(THREE, ORDER),
      training(THREE, ORDER, { name: 'warm-up', controls: { warmUp: 20 }, ...ABLATION }),
      training(
        THREE,
        [
          beats('it beats GRPO (majority of three)', RTMC, OUTCOME, MAJORITY, BETTER),
          beats('rewards of steps help: grpo-step over grpo-or (majority of three)', STEP, OUTCOME, MAJORITY, BETTER),
          beats('it beats GRPO-Step (majority of three)', RTMC, STEP, MAJORITY, BETTER),
        ],
        { name: 'majority of three', measuring: { majority: 3 }, ...ABLATION },
      ),
    ],
    differs: [SMALL, MEAN],
  },
  {
    id: 'r2',
    paper: 'R',
    place: '§5.4',
    says: 'Without shrinkage (κ = 0) RTMC falls below GRPO with rewards of steps.',
    rank: 'headline',
    experiments: [
      training(SHRINKAGE, [
        beats('without shrinkage it falls below GRPO-Step (held-out pass@1)', STEP, SILENT, SOLVED, BETTER),
        beats(
          'without shrinkage it falls behind (rtmc over rtmc:kappa=0, held-out pass@1)',
          RTMC,
          SILENT,
          SOLVED,
          BETTER,
        ),
      ]),
    ],
    differs: [SMALL, MEAN],
  },
  {
    id: 'r3',
    paper: 'R',
    place: '§3.4',
    says: 'The bonus for testing is potential-based: it makes the policy test and leaves the best policy as it is.',
    rank: 'ablation',
    experiments: [
      training(
        ['rtmc', 'rtmc:bonus=0', 'grpo-step', 'grpo-step:bonus=0'],
        [
          beats(
            'with the bonus it tests before it finishes more often',
            RTMC,
            side('rtmc', { bonus: 0 }),
            { measured: 'tested' },
            0.02,
          ),
          beats(
            'with the bonus GRPO-Step tests before it finishes more often',
            STEP,
            side('grpo-step', { bonus: 0 }),
            { measured: 'tested' },
            0.02,
          ),
          {
            ...beats('with the bonus it solves no less', RTMC, side('rtmc', { bonus: 0 }), SOLVED, 0.02),
            asks: 'keeps',
          } as ClaimTest,
        ],
        ABLATION,
      ),
    ],
    differs: [SMALL, MEAN],
  },
  {
    id: 'r4',
    paper: 'R',
    place: '§3.3, §6.2',
    says: 'Coarser states share more, and credit gets better.',
    rank: 'ablation',
    experiments: [
      training(
        ['rtmc', 'rtmc:granularity=coarse', 'rtmc:granularity=history'],
        [
          beats(
            'coarse states solve more than those of the paper (held-out pass@1)',
            side('rtmc', { granularity: 'coarse' }),
            RTMC,
            SOLVED,
            BETTER,
          ),
          beats(
            'states of the paper solve more than whole histories (held-out pass@1)',
            RTMC,
            side('rtmc', { granularity: 'history' }),
            SOLVED,
            BETTER,
          ),
        ],
        ABLATION,
      ),
    ],
    missing:
      'Groups of 4 and 16, and the correlation with measured advantages, are not part of the experiment (`turnwise truth` measures them).',
    differs: [SMALL, MEAN],
  },
  {
    id: 'r5',
    paper: 'R',
    place: 'App. B.2, Fig. 5',
    says: 'RTMC turns the sign of 15 % of the steps in successes and of 3 % in failures, against GRPO with rewards of steps.',
    rank: 'headline',
    experiments: [
      training(
        ['rtmc'],
        [
          beats('RTMC penalises more than 10 % of the steps in successes', RTMC, 0.1, PENALISED, 0.01),
          beats('RTMC penalises less than 20 % of the steps in successes', 0.2, RTMC, PENALISED, 0.01),
          beats('RTMC rescues more than 1 % of the steps in failures', RTMC, 0.01, RESCUED, 0.002),
          beats('RTMC rescues less than 6 % of the steps in failures', 0.06, RTMC, RESCUED, 0.002),
        ],
        { name: 'after training', measuring: { quadrants: 64 } },
      ),
    ],
    missing:
      'How often each is right by measured advantages is not counted; the table has the shares before training in the row of the base.',
    differs: [SMALL, 'Shares are of the steps of 64 groups a seed, sampled with the policy as it is then.'],
  },
  {
    id: 'r6',
    paper: 'R',
    place: '§1',
    says: 'Critics struggle with sparse rewards over many steps.',
    rank: 'ablation',
    experiments: [
      training(
        ['rtmc', 'grpo-or', 'mt-ppo', 'ppo-or'],
        [
          beats(
            'PPO with the outcome solves less than GRPO with it (held-out pass@1)',
            OUTCOME,
            side('ppo-or'),
            SOLVED,
            BETTER,
          ),
          beats('MT-PPO solves less than RTMC (held-out pass@1)', RTMC, side('mt-ppo'), SOLVED, BETTER),
        ],
        ABLATION,
      ),
    ],
    differs: [SMALL, MEAN],
  },
  {
    id: 'r7',
    paper: 'R',
    place: '§3.2, §3.3',
    says: 'The variance of an advantage falls with the visits of its state, and there is no bias.',
    rank: 'ablation',
    experiments: [training(['rtmc'], VISITS, { name: 'by visits', measuring: { visits: 12 }, ...ABLATION, steps: 20 })],
    differs: [
      SMALL,
      'The truth is what 32 continuations of every history say, of 12 groups a seed, after 20 updates, when a third of the episodes is ' +
        'solved. Rewards of turns count, discounted as RTMC does. The table has the same of the warm start in the row of the base.',
      'Advantages are those of RTMC as it is, shrunk by κ = 2: with one visit the share of solved rollouts decides two thirds of V.',
      'A bias of one point is a hundredth of the return; a variance of one point is a hundredth of its square.',
    ],
  },
  {
    id: 'r8',
    paper: 'R',
    place: '§6.2',
    says: 'Some problems that were solved before training are lost after it.',
    rank: 'ablation',
    experiments: [
      training(
        ['rtmc', 'grpo-or'],
        [
          beats('RTMC loses more than one in a hundred of the problems that were solved', RTMC, 0, LOST, 0.01),
          beats('GRPO loses more than one in a hundred of the problems that were solved', OUTCOME, 0, LOST, 0.01),
        ],
        { name: 'problem by problem', measuring: { strata: 8 }, ...ABLATION },
      ),
    ],
    differs: [
      SMALL,
      'Solved before: 6 of 8 episodes of the warm start or more; lost: fewer than half of 8 episodes after training.',
    ],
  },
];
