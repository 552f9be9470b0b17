import { curveColumn, type EnvironmentComparison, measuredColumn, SMALL_BATCH_DRAWING } from '../declaredComparison.ts';

/** Declared comparison of rules in the repair environment. An arm is measured by Iter-k on held-out problems. */
export const comparison: EnvironmentComparison = {
  standard: { arms: ['grpo-mt', 'murphy-mars', 'murphy-mers', 'verpo'], seeds: 3, steps: 50 },
  seconds: 0.75,
  startSeconds: 200,
  freshWarmStart: true,
  samples: 4,
  columns: [
    measuredColumn('iter1', 'Iter-1'),
    measuredColumn('iter3', 'Iter-3'),
    measuredColumn('repairRate', 'repair rate', 'share'),
    curveColumn('degenerate', 'ties, first quarter', 'share', 'first'),
    curveColumn('degenerate', 'ties, last quarter', 'share', 'last'),
    curveColumn('degenerateBest', 'solved ties, last quarter', 'share', 'last'),
    curveColumn('retained', 'retained', 'share'),
    curveColumn('turns', 'programs an update', 'number'),
  ],
  budget: 'turns',
  drawing: {
    panels: [
      { metric: 'pass1', title: 'Solved at once', note: 'share of first programs' },
      { metric: 'degenerate', title: 'Ties', note: 'share of groups, own reward' },
    ],
    ...SMALL_BATCH_DRAWING,
  },
  notes: () => [
    'Ties: groups whose rollouts got the same reward under the rule of the arm, in the first and last quarter of the updates.',
  ],
  examples: [
    '--environment repair --rules grpo-mt,murphy-mars:inter=2,verpo --seeds 3',
    '--environment repair --rules murphy-mars,murphy-mars:inter=2,verpo:norm=std --json pruning.json',
  ],
};
