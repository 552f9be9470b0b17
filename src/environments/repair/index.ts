import { type EnvironmentDescriptor, share } from '../descriptor.ts';
import { REPAIR_PRESETS } from './presets.ts';
import { REPAIR_CONTROLS, REPAIR_SETTINGS } from './repairSettings.ts';

/** The repair environment (docs/repair.md). */
export const repair: EnvironmentDescriptor<'repair'> = {
  name: 'repair',
  title: 'Repair',
  sentence:
    'A tiny policy writes Python, fails a test, reads what the executor says and tries again. Its programs really run; ' +
    'watch what it learns from a half-right program, and from a second try.',
  settings: REPAIR_SETTINGS,
  afterWarmStart: ['maxTurns', 'easyTests'],
  rewards: REPAIR_CONTROLS,
  offered: ['grpo-mt', 'grpo-or', 'murphy-mars', 'murphy-mers', 'verpo', 'rloo', 'dr-grpo'],
  pinned: ['grpo-mt', 'murphy-mars', 'verpo'],
  singleTurn: ['grpo-or'],
  optional: ['programs', 'filters'],
  training: {
    learningRate: { default: 4e-4 },
    groupSize: { default: 10 },
    questions: { max: 20, help: 'Problems in one update, where "programs" is 0.' },
  },
  rules: {},
  betas: [0.9, 0.98],
  capacity: { sequences: 336, tokens: 20_480 },
  presets: REPAIR_PRESETS,
  facts: [
    share('pass1', 'Solved at once', 'First programs that pass all tests.'),
    share('pass2', 'Solved at the second try', 'Second programs that pass all tests, of those that were written.'),
    share('solved', 'Solved', 'Rollouts whose last program passes all tests.'),
    share('repaired', 'Repaired', 'Failed first programs that a later one of the same rollout makes good.'),
    share('passRate', 'Tests passed', 'Tests that first programs pass.'),
    share('partial', 'Partly right', 'First programs that pass some tests but not all.'),
    share('syntaxErrors', 'Syntax errors', 'Programs that are not Python, or do not end.'),
    share('degenerate01', 'Ties under 0 or 1', 'Groups whose rollouts were all solved, or all not.'),
  ],
  heldOut: [
    share('iter1', 'Iter-1', 'Episodes whose first program passes the hidden tests.'),
    share('iter2', 'Iter-2', 'Episodes whose last program, the second at most, passes the hidden tests.'),
  ],
  evaluation: { temperature: 0.6, topP: 0.95 },
  continuations: 64,
  measuredBy: 'refinement',
  warmStart: { split: 'held-out', episodes: 4 },
  recordedSteps: 50,
  words: { curves: ['heldOut', 'iterations', 'pruned'], group: ['pruned', 'murphyPruning', 'codeTokens'] },
  legend: () =>
    'What the function should return. In brackets its arguments: a and b are lists, n and k numbers, s a text.',
  shipsProblems: true,
  ownTasks: { flag: 'tasks', help: "Tasks of one's own (docs/repair.md)" },
};
