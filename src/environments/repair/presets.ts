import type { EnvironmentPreset } from '../descriptor.ts';

/** Presets of the repair environment for the page and the terminal. */
export const REPAIR_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'verpo',
    title: 'VeRPO: reward per test',
    shows: 'A failed program gets a reward for each test that it passes, most for hard and rare tests: few groups tie.',
    settings: {},
    controls: { rule: 'verpo' },
    schedule: [],
  },
  {
    name: 'murphy',
    title: 'Murphy: feedback trees',
    shows:
      'A failed program is followed by several second attempts, which see a failing test. MaRS credits an attempt with the best attempt that follows it.',
    settings: {},
    controls: { rule: 'murphy-mars' },
    schedule: [],
  },
  {
    name: 'murphy-pruned',
    title: 'Murphy: pruned (InterP)',
    shows: 'MaRS, trained only on the two groups of refinements of a problem whose rewards vary most.',
    settings: {},
    controls: { rule: 'murphy-mars', inter: '2' },
    schedule: [],
  },
  {
    name: 'murphy-spread',
    title: 'Murphy: budget by variance',
    shows:
      'As many programs as in Murphy, but more continuations go where the rewards of a group vary. The Lab asks ' +
      'whether it helps (own-budget).',
    settings: {},
    controls: { rule: 'murphy-mars', continuations: 'spread' },
    schedule: [],
  },
  {
    name: 'tree-grpo',
    title: 'TreeGRPO: likelihood weights',
    shows:
      'The trees of Murphy, with a comparison of last programs only. An earlier program gets the mean credit of later programs, ' +
      'weighted by likelihood.',
    settings: {},
    controls: { rule: 'tree-grpo' },
    schedule: [],
  },
  {
    name: 'grpo-mt',
    title: 'GRPO-MT: baseline',
    shows:
      'Two attempts, one credit. The reward is 1 if the last program passes all tests, otherwise 0; in the paper it is the ' +
      'share of passed tests.',
    settings: {},
    controls: { rule: 'grpo-mt' },
    schedule: [],
  },
  {
    name: 'rlef',
    title: 'RLEF: PPO',
    shows: 'The last program alone has a reward. A critic predicts before each turn how likely success is.',
    settings: {},
    controls: { rule: 'turn-ppo', turnReward: 'none', turnPpoGamma: 1, turnPpoLambda: 1 },
    schedule: [],
  },
  {
    name: 'single-turn',
    title: 'Single turn',
    shows: 'Trained without second attempts: first programs improve, and repairs do not.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'reward-model',
    title: 'Reward model',
    shows:
      'A learned model gives the rewards instead of tests. From about update 60 it prefers programs that pass fewer tests ' +
      '(“Model and tests”).',
    settings: {},
    controls: { rule: 'murphy-mers', turnReward: 'model' },
    schedule: [],
  },
];
