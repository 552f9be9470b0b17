import {
  curveColumn,
  type EnvironmentComparison,
  FEW_TASKS,
  measuredColumn,
  type Side,
} from '../declaredComparison.ts';

const ITER1 = { measured: 'iter1' } as const;
const ITER3 = { measured: 'iter3' } as const;
const MARS: Side = { rule: 'murphy-mars' };
/** Of a share: three points. */
const ALIKE = 0.03;

/** Comparisons in the environment of programs that are refined; an arm is measured by Iter-k on held-out problems. */
export const comparison: EnvironmentComparison = {
  standard: { arms: ['grpo-mt', 'murphy-mars', 'murphy-mers', 'verpo'], seeds: 3, steps: 50 },
  samples: 4,
  columns: [
    measuredColumn('iter1', 'Iter-1'),
    measuredColumn('iter3', 'Iter-3'),
    measuredColumn('repairRate', 'repair rate', 'share'),
    curveColumn('degenerate', 'ties, first quarter', 'share', 'first'),
    curveColumn('degenerate', 'ties, last quarter', 'share', 'last'),
    curveColumn('retained', 'retained', 'share'),
    curveColumn('turns', 'programs an update', 'number'),
  ],
  budget: 'turns',
  drawing: {
    panels: [
      { metric: 'pass1', title: 'Solved at once', note: 'share of first programs' },
      { metric: 'degenerate', title: 'Ties', note: 'share of groups, own reward' },
    ],
    ...FEW_TASKS,
  },
  notes: () => [
    'Ties: groups whose rollouts got the same reward under the rule of the arm, in the first and last quarter of the updates.',
  ],
  claims: {
    // What the papers of the rules claim, as far as this environment can show it, and what we ask ourselves.
    paired: [
      {
        statement: 'Training over several turns beats a single turn at Iter-3 (grpo-mt over grpo-or)',
        higher: { rule: 'grpo-mt' },
        lower: { rule: 'grpo-or' },
        of: ITER3,
      },
      {
        statement: 'Murphy: MaRS beats GRPO over several turns at Iter-3',
        higher: MARS,
        lower: { rule: 'grpo-mt' },
        of: ITER3,
      },
      {
        statement: 'Murphy: MaRS beats MeRS at Iter-3',
        higher: MARS,
        lower: { rule: 'murphy-mers' },
        of: ITER3,
      },
      {
        statement: 'Murphy: with InterP MaRS keeps its Iter-3, to 3 points',
        higher: { rule: 'murphy-mars', changes: { inter: true } },
        lower: MARS,
        of: ITER3,
        margin: ALIKE,
      },
      {
        // The paper's loss is 2 to 2.3 points.
        statement: 'Murphy: IntraP costs MaRS points at Iter-3',
        higher: MARS,
        lower: { rule: 'murphy-mars', changes: { intra: true } },
        of: ITER3,
      },
      {
        statement: 'VeRPO: rewards of single tests tie in fewer groups than the outcome does (grpo-mt over verpo)',
        higher: { rule: 'grpo-mt' },
        lower: { rule: 'verpo' },
        of: { mean: 'degenerate' },
      },
      {
        statement: 'VeRPO: it beats GRPO over several turns at Iter-1',
        higher: { rule: 'verpo' },
        lower: { rule: 'grpo-mt' },
        of: ITER1,
      },
      {
        statement: 'VeRPO: it beats GRPO over several turns at Iter-3',
        higher: { rule: 'verpo' },
        lower: { rule: 'grpo-mt' },
        of: ITER3,
      },
    ],
  },
  examples: [
    '--environment repair --rules grpo-mt,murphy-mars:inter=2,verpo --seeds 3',
    '--environment repair --rules murphy-mars,murphy-mars:inter=2,verpo:norm=std --json pruning.json',
  ],
};
