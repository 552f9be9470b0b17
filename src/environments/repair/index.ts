import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Turn } from '../../rollouts/forest.ts';
import { hasFact, type RolloutTurn } from '../../rollouts/rolloutBatch.ts';
import type { RunBands } from '../chart.ts';
import type { EnvironmentDescriptor, EnvironmentPreset, ParameterConflict } from '../descriptor.ts';
import type { FirstTurnKinds, ReportedTurn, WatchedTurns } from '../watchedTurns.ts';
import bands from './recordedBands.json' with { type: 'json' };
import { HELD_OUT_ATTEMPTS, REPAIR_CHARTS, REPAIR_FACTS, REPAIR_HELD_OUT } from './repairFacts.ts';
import { REPAIR_CONTROLS, REPAIR_SETTINGS } from './repairSettings.ts';

/** Presets of the repair environment for the page and the terminal. */
const REPAIR_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'verpo',
    title: 'VeRPO: reward per test',
    shows:
      'A failed program gets a reward for each test that it passes, most for hard and rare tests. Fewer groups tie than by ' +
      'the outcome (Lab: V5).',
    controls: { rule: 'verpo' },
  },
  {
    name: 'murphy',
    title: 'Murphy: feedback trees',
    shows:
      'A failed program is followed by several second attempts, which see a failing test. MaRS credits an attempt with the best attempt that follows it.',
    controls: { rule: 'murphy-mars' },
  },
  {
    name: 'murphy-pruned',
    title: 'Murphy: pruned (InterP)',
    shows: 'MaRS, trained only on the two groups of refinements of a problem whose rewards vary most.',
    controls: { rule: 'murphy-mars', inter: '2' },
  },
  {
    name: 'murphy-spread',
    title: 'Murphy: budget by variance',
    shows:
      'As many programs as in Murphy, but more continuations go where the rewards of a group vary. The Lab asks ' +
      'whether it helps (own-budget).',
    controls: { rule: 'murphy-mars', continuations: 'spread' },
  },
  {
    name: 'tree-grpo',
    title: 'TreeGRPO: likelihood weights',
    shows:
      'The trees of Murphy, with a comparison of last programs only. An earlier program gets the mean credit of later programs, ' +
      'weighted by likelihood.',
    controls: { rule: 'tree-grpo' },
  },
  {
    name: 'grpo-mt',
    title: 'GRPO-MT: baseline',
    shows:
      'Two attempts, one credit. The reward is 1 if the last program passes all tests, otherwise 0; in the paper it is the ' +
      'share of passed tests.',
    controls: { rule: 'grpo-mt' },
  },
  {
    name: 'rlef',
    title: 'RLEF: PPO',
    shows: 'The last program alone has a reward. A critic predicts before each turn how likely success is.',
    controls: { rule: 'turn-ppo', turnReward: 'none', turnPpoGamma: 1, turnPpoLambda: 1 },
  },
  {
    name: 'single-turn',
    title: 'Single turn',
    shows:
      'Trained without second attempts. In the ten seeds of lesson 6, first programs improve and fewer repairs succeed.',
    controls: { rule: 'grpo-or' },
  },
  {
    name: 'reward-model',
    title: 'Reward model',
    shows:
      'A learned model gives the rewards instead of tests. The Lab tests whether programs then pass fewer tests (V6; “Model ' +
      'and tests”).',
    controls: { rule: 'murphy-mers', turnReward: 'model' },
  },
];

const TREES = ['murphy-mars', 'murphy-mers', 'tree-grpo'];
/** Setting that requests written tests, for messages. */
const WRITTEN_VERIFICATION = 'verification=written';

/**
 * Returns the conflict between settings and controls that exclude each other; undefined without a conflict. Most
 * conflicts concern written tests.
 */
export function refuses(settings: ParameterValues, controls: ParameterValues): ParameterConflict | undefined {
  const { verification, reflection } = settings;
  const { rule, turnReward, outcomeReward } = controls;
  if (verification !== 'written') {
    if (rule !== 'tapo') return undefined;
    return {
      parameter: 'rule',
      why: `tapo credits programs and tests in turn, and no tests are written here; set ${WRITTEN_VERIFICATION}`,
    };
  }
  if (reflection === 'written') {
    return {
      parameter: 'verification',
      why: 'a policy writes either reflections or tests, each with a separate warm start; leave reflection or verification at none',
    };
  }
  if (TREES.includes(String(rule))) {
    return {
      parameter: 'rule',
      why: `${rule} compares programs that continue one program, and with ${WRITTEN_VERIFICATION} tests come between them; tapo credits both`,
    };
  }
  if (rule === 'verpo' || rule === 'turn-credit') {
    const why =
      rule === 'verpo'
        ? 'weighs the tests that every turn passes'
        : 'takes every turn’s reward for the score of a program';
    return {
      parameter: 'rule',
      why: `${rule} ${why}, and with ${WRITTEN_VERIFICATION} some turns have no program; tapo credits both`,
    };
  }
  if (turnReward === 'model' || outcomeReward === 'model') {
    const parameter = turnReward === 'model' ? 'turnReward' : 'outcomeReward';
    return { parameter, why: `the reward model reads programs, and with ${WRITTEN_VERIFICATION} some turns have none` };
  }
  return undefined;
}

/** First programs, repairs and, if tests are written, verifications, with their results. */
export const REPAIR_TURNS: WatchedTurns = {
  of: 'all turns',
  counted: 'programs',
  // Rules for chains cannot read Murphy's trees. On chains, Murphy has no other repair to compare a repair with.
  comparedWith: {
    'murphy-mars': 'murphy-mers',
    'murphy-mers': 'murphy-mars',
    'tree-grpo': 'murphy-mars',
    'grpo-mt': 'verpo',
  },
  kinds: [
    {
      title: 'First programs',
      cases: [
        {
          name: 'firstPassed',
          label: 'all tests passed',
          brief: 'Right at once',
          holds: ({ turn, before }) => before.length === 0 && passes(turn),
        },
        {
          name: 'firstRepaired',
          label: 'a test failed, and a later program passed all',
          brief: 'repaired later',
          holds: ({ before, after }) => before.length === 0 && after.some(passes),
        },
        {
          name: 'firstLost',
          label: 'a test failed, and no later program passed all',
          brief: 'never right',
          holds: ({ before, after }) => before.length === 0 && after.some((turn) => !verifies(turn)),
        },
        {
          name: 'firstOnly',
          label: 'a test failed, and no program followed',
          holds: ({ before }) => before.length === 0,
        },
      ],
    },
    {
      title: 'Written tests',
      sometimes: true,
      cases: [
        {
          name: 'testsCatch',
          label: 'a right test failed a wrong program',
          holds: ({ turn }) => hasFact(turn, 'caught'),
        },
        {
          name: 'testsRight',
          label: 'all were right, and caught no error',
          holds: ({ turn }) => turn.facts.testsAgree === 1,
        },
        { name: 'testsWrong', label: 'some were wrong, and none caught an error', holds: ({ turn }) => verifies(turn) },
      ],
    },
    {
      title: 'Repairs',
      cases: [
        { name: 'repairPassed', label: 'all tests passed', holds: ({ turn }) => passes(turn) },
        { name: 'repairBetter', label: 'fewer tests failed than before', holds: (context) => gain(context) > 0 },
        { name: 'repairSame', label: 'as many tests failed as before', holds: (context) => gain(context) === 0 },
        { name: 'repairWorse', label: 'more tests failed than before', holds: () => true },
      ],
    },
  ],
};

const verifies = ({ facts }: RolloutTurn) => facts.testsWritten !== undefined;
const passes = (turn: RolloutTurn) => hasFact(turn, 'solved');

/** Returns the change of the pass rate from the previous program to a repair. */
function gain({ turn, before }: ReportedTurn): number {
  const last = before.findLast((previous) => !verifies(previous));
  return (turn.facts.passRate ?? 0) - (last?.facts.passRate ?? 0);
}

const solves = ({ solved }: Turn) => solved === true;

/** Kinds of first programs by their tests and by later programs. */
const REPAIR_FIRST_TURNS: FirstTurnKinds = {
  right: ({ first }) => solves(first),
  repaired: ({ first, following }) => !solves(first) && following.some(solves),
  failed: ({ first, following }) => !solves(first) && following.length > 0 && !following.some(solves),
};

/** Descriptor of the repair environment (docs/reference/repair.md). */
export const repair: EnvironmentDescriptor<'repair'> = {
  name: 'repair',
  title: 'Repair',
  sentence: 'A tiny agent writes programs. A failed program gets a second attempt. Which attempt gets the credit?',
  settings: REPAIR_SETTINGS,
  afterWarmStart: ['maxTurns', 'easyTests', 'trainProblems'],
  addedSettings: ['worldSeed', 'width', 'warmSteps', 'reflection', 'verification'],
  armSettings: ['maxTurns', 'trainProblems'],
  rewards: REPAIR_CONTROLS,
  rewardModel: true,
  turns: 'attempts',
  trees: true,
  carries: ['solved', 'passed'],
  pinned: ['grpo-mt', 'murphy-mars', 'verpo'],
  singleTurn: ['grpo-or'],
  refuses,
  optional: ['programs', 'filters'],
  training: {
    learningRate: { default: 4e-4 },
    groupSize: { default: 10 },
    questions: { max: 20, help: 'Problems in one update, if "programs" is 0.' },
  },
  rules: { turnCreditScores: 'reward' },
  betas: [0.9, 0.98],
  capacity: { sequences: 336, tokens: 20_480 },
  presets: REPAIR_PRESETS,
  facts: REPAIR_FACTS,
  watchedTurns: REPAIR_TURNS,
  firstTurns: REPAIR_FIRST_TURNS,
  heldOut: REPAIR_HELD_OUT,
  heldOutAttempts: HELD_OUT_ATTEMPTS,
  evaluation: { temperature: 0.6, topP: 0.95 },
  continuations: 64,
  measuredBy: 'refinement',
  warmStart: { split: 'held-out', episodes: 4 },
  charts: REPAIR_CHARTS,
  comparison: () => import('./repairComparison.ts'),
  tour: async () => (await import('./repairTour.ts')).REPAIR_TOUR,
  // Percent, of ten seeds; `npm run record:bands` writes the file.
  bands: bands as RunBands,
  terms: { curves: ['heldOut', 'iterations', 'pruned'], group: ['pruned', 'murphyPruning', 'codeTokens'] },
  legend: () => 'The arguments of the function, and what it should return.',
  shipsProblems: true,
  customTasks: { flag: 'tasks', help: 'Custom tasks (docs/reference/repair.md)' },
};
