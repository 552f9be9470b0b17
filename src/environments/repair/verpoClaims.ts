import { ABLATION, beats, type Claim, type ClaimTest, type Side, side } from '../claim.ts';
import {
  ALONE,
  BETTER,
  DIFFICULTY,
  EASY,
  FIVE_TRIES,
  GRPO_MT,
  HARD,
  ITER1,
  ITER3,
  TIMED,
  training,
} from './commonClaims.ts';

// The claims of VeRPO, as this environment can show them.

const VERPO = side('verpo');

const CREDIT = { mean: 'creditMs', over: 'stepMs' } as const;

const SMALL =
  'A policy of three layers of width 64 and 738 synthetic problems of ten tests; the paper trains models of 7B parameters ' +
  'and more on 7,400 problems.';
const WEIGHTS = 'The weights of tests are one reading of the paper: exp(−αρ), divided by their density.';

/** VeRPO beats an arm at the first try and within three. */
const better = (than: string, lower: Side, over: Side = VERPO, name = 'it'): readonly ClaimTest[] => [
  beats(`${name} beats ${than} at Iter-1`, over, lower, ITER1, BETTER),
  beats(`${name} beats ${than} at Iter-3`, over, lower, ITER3, BETTER),
];

const anchored = (turn: string) => side('verpo', { verpoTurn: turn });
const alone = (turn: string) => side('verpo', { verpoTurn: turn, verpoTrajectory: 'false' });
const DENSITY_ALONE = side('verpo', { verpoTrajectory: 'false' });

/** Paid by the reward model: each turn of a tree, and single programs. */
const MODEL_TURNS = side('murphy-mers', { turnReward: 'model' });
const MODEL_ONCE = side('grpo-or', { outcomeReward: 'model' });

const ONE_TURN = { maxTurns: 1 } as const;
const SINGLE = side('verpo', ONE_TURN);

/** What VeRPO claims. */
export const VERPO_CLAIMS: readonly Claim[] = [
  {
    id: 'v1',
    paper: 'V',
    place: '§5.2.1, Tab. 1',
    says: 'VeRPO solves more than GRPO with the outcome, at the first try and at the last, most on hard problems, trained on single and on several turns.',
    rank: 'headline',
    experiments: [
      training('several turns', ['verpo', 'grpo-mt'], { tests: better('GRPO over several turns', GRPO_MT) }),
      training('single turns', ['verpo', 'grpo-or'], {
        settings: { maxTurns: 1 },
        tests: better('GRPO, both trained on single turns', side('grpo-or')),
      }),
      training('single against several turns', ['verpo', 'verpo:maxTurns=1', 'grpo-mt', 'grpo-mt:maxTurns=1'], {
        ...ABLATION,
        tests: [
          beats('several turns of training beat single ones at Iter-3, under VeRPO', VERPO, SINGLE, ITER3, BETTER),
          beats('single turns of training beat several ones at Iter-1, under VeRPO', SINGLE, VERPO, ITER1, BETTER),
          ...better('GRPO, both trained on single turns', side('grpo-mt', ONE_TURN), SINGLE, 'VeRPO'),
        ],
      }),
      training('by difficulty', ['verpo', 'grpo-mt'], {
        measuring: FIVE_TRIES,
        tests: [
          beats('it beats GRPO over several turns at Iter-3 on hard problems', VERPO, GRPO_MT, HARD, BETTER),
          {
            ...{ kind: 'paired', asks: 'more', margin: BETTER, higher: VERPO, lower: GRPO_MT, of: HARD },
            ...{ statement: 'its edge over GRPO over several turns is larger on hard problems than on easy ones' },
            ...{ less: { higher: VERPO, lower: GRPO_MT }, lessOf: EASY },
          },
        ],
      }),
    ],
    differs: [SMALL, WEIGHTS, DIFFICULTY],
  },
  {
    id: 'v2',
    paper: 'V',
    place: '§5.2.2, Tab. 2',
    says: 'Without turn advantages, without the advantage of the trajectory, or normalised by the deviation, VeRPO is worse.',
    rank: 'headline',
    experiments: [
      training('several turns', ['verpo', 'verpo:turn=none', 'verpo:trajectory=false', 'verpo:norm=std'], {
        tests: [
          ...better('the same without turn advantages', anchored('none')),
          ...better('the same without the advantage of the trajectory', DENSITY_ALONE),
          ...better('the same divided by the deviation', side('verpo', { verpoNorm: 'std' })),
        ],
      }),
    ],
    differs: [SMALL, WEIGHTS],
  },
  {
    id: 'v3',
    paper: 'V',
    place: '§5.2.2, Tab. 3',
    says: 'Passed tests weighted by difficulty beat counted ones, and density beats difficulty alone, each with the outcome as anchor and without.',
    rank: 'headline',
    experiments: [
      training(
        'six readings',
        [
          ...['verpo', 'verpo:turn=difficulty', 'verpo:turn=pass-rate'],
          ...[
            'verpo:trajectory=false',
            'verpo:trajectory=false:turn=difficulty',
            'verpo:trajectory=false:turn=pass-rate',
          ],
        ],
        {
          tests: [
            ...better('difficulty alone', anchored('difficulty')),
            ...better('counted tests', anchored('pass-rate'), anchored('difficulty'), 'difficulty'),
            ...better('difficulty alone, without anchor', alone('difficulty'), DENSITY_ALONE),
            ...better('counted tests, without anchor', alone('pass-rate'), alone('difficulty'), 'difficulty'),
          ],
        },
      ),
    ],
    differs: [SMALL, WEIGHTS],
  },
  {
    id: 'v4',
    paper: 'V',
    place: '§1, §4.1',
    says: 'Counting tests pays for easy ones; weights of density keep that from happening.',
    rank: 'ablation',
    experiments: [
      training('easy tests', ['verpo:trajectory=false', 'verpo:trajectory=false:turn=pass-rate'], {
        ...ABLATION,
        settings: { easyTests: 4 },
        tests: better('counted tests, four easy ones among them', alone('pass-rate'), DENSITY_ALONE),
      }),
    ],
    missing: 'Reward against truth over the updates is not told yet; only what the trained policies solve is.',
    differs: [SMALL, WEIGHTS],
  },
  {
    id: 'v5',
    paper: 'V',
    place: '§5.2.3, Fig. 3',
    says: 'Groups without anything to compare are under 25 % and fall, where GRPO has 60 to 70 %.',
    rank: 'headline',
    experiments: [
      training('several turns', ['verpo', 'grpo-mt'], {
        tests: [
          {
            ...{ kind: 'paired', asks: 'more', margin: 0.1, of: { mean: 'degenerate' }, higher: GRPO_MT, lower: VERPO },
            statement: 'rewards of single tests tie in fewer groups than the outcome does (grpo-mt over verpo)',
          },
          beats('under VeRPO fewer than 25 % of the groups tie', 0.25, VERPO, { mean: 'degenerate' }, 0),
          {
            ...{ kind: 'paired', asks: 'more', margin: 0.02, of: { mean: 'degenerate', part: 'first' } },
            ...{
              statement: 'under VeRPO fewer groups tie at the end than at the beginning',
              higher: VERPO,
              lower: VERPO,
            },
            lowerOf: { mean: 'degenerate', part: 'last' },
          },
        ],
      }),
    ],
    differs: [SMALL, WEIGHTS],
  },
  {
    id: 'v6',
    paper: 'V',
    place: '§5.2.1, App. B.1, Fig. 5',
    says: 'A learned reward model collapses in training over several turns.',
    rank: 'headline',
    experiments: [
      training('200 updates', ['murphy-mers:turnReward=model', 'grpo-or:outcomeReward=model', 'verpo'], {
        steps: 200,
        tests: [
          {
            ...{ kind: 'paired', asks: 'more', margin: 0.1, higher: MODEL_TURNS, lower: MODEL_TURNS },
            ...{ of: { start: 'passedOfAll' }, lowerOf: { end: 'passedOfAll' } },
            statement:
              'paid by the model over several turns, programs pass fewer tests at the end than at the beginning',
          },
          {
            ...{ kind: 'paired', asks: 'more', margin: 0.05, higher: MODEL_TURNS, lower: MODEL_TURNS },
            ...{ of: { end: 'modelReward' }, lowerOf: { start: 'modelReward' } },
            statement: 'the model pays more at the end than at the beginning, over several turns',
          },
          {
            ...{ kind: 'paired', asks: 'keeps', margin: 0.03, higher: MODEL_ONCE, lower: MODEL_ONCE },
            ...{ of: { end: 'passedOfAll' }, lowerOf: { start: 'passedOfAll' } },
            statement:
              'paid by the model for single turns, programs pass as many tests at the end as at the beginning, to 3 points',
          },
          {
            ...{ kind: 'paired', asks: 'more', margin: 0.05, higher: VERPO, lower: MODEL_TURNS },
            ...{ of: { end: 'passedOfAll' } },
            statement: 'VeRPO ends with more passed tests than turns that the model pays',
          },
        ],
      }),
    ],
    differs: [
      SMALL,
      'The model is a network of the policy’s own size, trained on pairs of its warm start’s programs; the paper takes the 7B model of AceCoder.',
      'Turns that the model pays are credited in trees of 6 and 4 by the discounted mean of what they lead to (Murphy-MeRS).',
    ],
  },
  {
    id: 'v7',
    paper: 'V',
    place: '§5.2.4, Fig. 4',
    says: 'The turn advantage costs less than .02 % of an update, and no further memory.',
    rank: 'ablation',
    experiments: [
      training('times', ['verpo', 'grpo-mt'], {
        ...TIMED,
        tests: [
          beats('All of credit takes less than .02 % of an update', 0.0002, VERPO, CREDIT, 0),
          beats('All of credit takes less than 1 % of an update', 0.01, VERPO, CREDIT, 0),
        ],
      }),
    ],
    missing: 'Memory is not measured.',
    differs: [
      SMALL,
      ALONE,
      'Counted is all of credit, trajectories and test weights included; the paper counts the turn advantage alone, beside updates of a model 10,000 times as large.',
    ],
  },
];
