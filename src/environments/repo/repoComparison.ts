import { curveColumn, type EnvironmentComparison, measuredColumn, SMALL_BATCH_DRAWING } from '../declaredComparison.ts';

/** Share of solved training episodes for the column `updatesToGoal`. */
const GOAL = 0.8;

/** Declared comparison of rules in the repository environment. An arm is measured by pass@1 on held-out problems. */
export const comparison: EnvironmentComparison = {
  standard: { arms: ['grpo-or', 'grpo-step', 'rtmc', 'rtmc:kappa=0'], seeds: 3, steps: 80 },
  seconds: 1.15,
  startSeconds: 200,
  freshWarmStart: true,
  samples: 8,
  columns: [
    measuredColumn('solved', 'pass@1'),
    measuredColumn('tested', 'test before finish', 'share'),
    curveColumn('zeroAdvantage', 'zero advantage', 'share'),
    {
      name: 'updatesToGoal',
      title: `updates to ${100 * GOAL} %`,
      format: 'number',
      of: { curve: 'solved', reaches: GOAL },
    },
    curveColumn('retained', 'retained', 'share'),
    curveColumn('steps', 'actions', 'number'),
    { name: 'episodes', title: 'episodes an update', format: 'number', of: { mean: 'tasks', times: 'groupSize' } },
  ],
  budget: 'episodes',
  drawing: {
    panels: [
      { metric: 'solved', title: 'Solved', note: 'share of episodes' },
      { metric: 'tested', title: 'Tested before finish', note: 'share of episodes' },
    ],
    ...SMALL_BATCH_DRAWING,
  },
  notes: () => [
    `Zero advantage: steps without credit in groups with different outcomes. Updates to ${100 * GOAL} %: until training ` +
      'solves so many, mean over nine updates; seeds that never do are left out of the mean.',
  ],
  examples: [
    '--environment repo --rules grpo-or,grpo-step,rtmc,rtmc:kappa=0 --seeds 3 --steps 80',
    '--environment repo --rules rtmc,rtmc:kappa=0:granularity=coarse --learningRate 3e-4 --svg curves.svg',
  ],
};
