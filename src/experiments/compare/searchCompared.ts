import type { Trainer } from '../../training/run/trainer.ts';
import { around, ending, LAST, RADIUS } from '../statistics.ts';
import type { ComparedEnvironment, Measure, PointsColumn } from './compared.ts';
import { type ComparisonPlan, curveOf } from './findings.ts';
import { evaluate } from './rates.ts';
import { searchVerdicts } from './searchClaims.ts';

/** Steps of the table, besides the end. */
const STEPS = [0, 25, 50, 100];
/** A run whose tool use ends below this has lost the tool. */
const COLLAPSED = 0.1;

/** A curve at the steps that a comparison reached, and where it ends. */
function curvePoints(metric: string, title: string, { steps: updates }: ComparisonPlan): PointsColumn {
  const steps = STEPS.filter((step) => step === 0 || step < updates - 1);
  return {
    name: metric,
    title: `${title} ${[...steps, 'end'].join('/')}`,
    format: 'points',
    of: (run) => {
      const curve = curveOf(run, metric);
      return [...steps.map((step) => around(curve, step)), ending(curve)];
    },
  };
}

const measureOn =
  (split: 'train' | 'held-out', amount: 'base' | 'heldOut'): Measure =>
  async (trainer: Trainer, { measuring }, signal) => ({
    ...(await evaluate(trainer, measuring[amount], split, signal)),
  });

/** Comparisons in the environment of the search agent: who loses the tool, and who learns to read. */
export const SEARCH_COMPARED: ComparedEnvironment = {
  environment: 'search',
  standard: { arms: ['grpo-or', 'grpo-mr', 'mt-grpo'], seeds: 5, steps: 120 },
  measuring: {
    heldOut: { help: 'Held-out questions to ask each trained policy.', min: 1, max: 100_000, default: 512 },
    base: { help: 'Training questions to ask each warm start.', min: 1, max: 100_000, default: 1024 },
  },
  ownSampling: false,
  baseOnce: true,
  freshWarmStart: true,
  measureBase: measureOn('train', 'base'),
  measure: measureOn('held-out', 'heldOut'),
  columns: (plan) => [
    curvePoints('toolUse', 'tool use', plan),
    curvePoints('answer', 'answer', plan),
    { name: 'heldOut', title: 'held out', format: 'rate', of: ({ heldOut }) => heldOut.answer ?? NaN },
    {
      name: 'collapsed',
      title: 'collapsed',
      format: 'tally',
      of: (run) => Number(ending(curveOf(run, 'toolUse')) < COLLAPSED),
    },
  ],
  drawing: {
    panels: [
      { metric: 'toolUse', title: 'Tool use', note: 'share of rollouts with an executed call' },
      { metric: 'answer', title: 'Right answers', note: 'share of rollouts' },
    ],
    window: 1,
    titles: true,
    styles: {
      'mt-grpo': { colour: '#3b82d6', dash: '' },
      'grpo-or': { colour: '#d9661f', dash: '' },
      'grpo-mr': { colour: '#1a9a7f', dash: '6 3' },
    },
  },
  notes: ({ steps, freshWarmStart, measuring }) => [
    `Shares of rollouts, means over the seeds; ${steps} updates a run, ` +
      `${freshWarmStart ? 'each seed has a warm start of its own' : 'all start from one warm start'}, and the arms of a ` +
      'seed differ in what their names say alone.',
    `A value at a step is the mean over the ${RADIUS} updates on either side of it too, at step 0 of the first batch ` +
      `alone, at the end of the last ${LAST} updates.`,
    `Held out: right answers to ${measuring.heldOut} questions never asked in training, after the last update. ` +
      `Collapsed: tool use below ${COLLAPSED} at the end.`,
  ],
  verdicts: searchVerdicts,
  examples: [
    '--rules grpo-or,grpo-mr,mt-grpo --seeds 5 --steps 120',
    '--seeds 2 --steps 60 --json found.json --svg curves.svg --markdown table.md',
  ],
};
