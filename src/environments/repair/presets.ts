import type { EnvironmentPreset } from '../descriptor.ts';

/** Runs of the repair environment that the page and the terminal offer by name. */
export const REPAIR_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'verpo',
    title: 'VeRPO: every test counts',
    shows: 'A failed program is still paid for the tests that it passes, hard and rare ones most: few groups tie.',
    settings: {},
    controls: { rule: 'verpo' },
    schedule: [],
  },
  {
    name: 'murphy',
    title: 'Murphy: feedback trees',
    shows:
      'Failed programs are shown a failing test and tried again, in a tree. MaRS gives an attempt the best of what it led to.',
    settings: {},
    controls: { rule: 'murphy-mars' },
    schedule: [],
  },
  {
    name: 'murphy-pruned',
    title: 'Murphy, InterP',
    shows: 'MaRS, but of the refinements of a problem only the two groups that vary most are trained on.',
    settings: {},
    controls: { rule: 'murphy-mars', inter: '2' },
    schedule: [],
  },
  {
    name: 'murphy-spread',
    title: 'Murphy: budget by spread',
    shows:
      'As many programs as in Murphy, but more continuations go where the rewards of a group vary. The Lab asks ' +
      'whether it helps (own-budget).',
    settings: {},
    controls: { rule: 'murphy-mars', continuations: 'spread' },
    schedule: [],
  },
  {
    name: 'tree-grpo',
    title: 'TreeGRPO: up by likelihood',
    shows:
      'The trees of Murphy, but only last programs are compared. A program that was continued gets the mean of what followed, ' +
      'weighted by how likely each was.',
    settings: {},
    controls: { rule: 'tree-grpo' },
    schedule: [],
  },
  {
    name: 'grpo-mt',
    title: 'GRPO-MT: the baseline',
    shows: 'Two attempts, one reward: both turns get the credit of how it ended.',
    settings: {},
    controls: { rule: 'grpo-mt' },
    schedule: [],
  },
  {
    name: 'rlef',
    title: 'RLEF: PPO',
    shows: 'The last program alone is paid; a critic says before each turn how likely it will be right.',
    settings: {},
    controls: { rule: 'turn-ppo', turnReward: 'none', turnPpoGamma: 1, turnPpoLambda: 1 },
    schedule: [],
  },
  {
    name: 'single-turn',
    title: 'One turn only',
    shows: 'Trained without second attempts: first programs get better, the skill of mending is not kept up.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'reward-model',
    title: 'A learned reward',
    shows:
      'A model that has learned from programs pays them in place of tests. From update 60 or so it pays more for programs ' +
      'that pass less (“Model and tests”).',
    settings: {},
    controls: { rule: 'murphy-mers', turnReward: 'model' },
    schedule: [],
  },
];
