import type { BaseClaim, EnvironmentComparison } from '../declaredComparison.ts';

/** Tool use at the end of a run below which the tool is lost. */
const COLLAPSED = 0.1;
/** Steps of the table's points, in addition to the end. */
const STEPS = [0, 25, 50, 100];

const within = (rate: string, label: string, expected: number, required = true): BaseClaim => {
  const bound = (value: number) => Number(value.toFixed(3));
  return { rate, label, from: bound(expected - 0.05), to: bound(expected + 0.05), required };
};

/** Declared comparison of rules in the search environment: loss of tool use, and learning to read documents. */
export const comparison: EnvironmentComparison = {
  standard: { arms: ['grpo-or', 'grpo-mr', 'mt-grpo'], seeds: 5, steps: 120 },
  seconds: 0.23,
  startSeconds: 100,
  freshWarmStart: true,
  columns: [
    { name: 'toolUse', title: 'tool use', format: 'points', steps: STEPS },
    { name: 'answer', title: 'answer', format: 'points', steps: STEPS },
    { name: 'heldOut', title: 'held out', format: 'rate', of: { measured: 'answer' } },
    { name: 'collapsed', title: 'collapsed', format: 'count', of: { end: 'toolUse', below: COLLAPSED } },
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
  notes: ({ heldOut }) => [
    `Held out: right answers to ${heldOut} questions never asked in training, after the last update. ` +
      `Collapsed: tool use below ${COLLAPSED} at the end.`,
  ],
  warmStarts: [
    {
      world: 'shortcut',
      rates: [
        within('toolUse', 'tool use', 0.52),
        within('retrieval', 'document holds the answer', 0.28),
        within('answer', 'right answer', 0.31),
        within('answerWithoutSearch', 'right, without a search', 0.64),
        { rate: 'answerGivenRetrieval', label: 'right, document holds it', from: 0.03, to: 0.08, required: false },
      ],
    },
    {
      world: 'open',
      rates: [
        within('toolUse', 'tool use', 0.57),
        within('retrieval', 'document holds the answer', 0.41),
        within('answer', 'right answer', 0.11),
        within('format', 'well-formed answer', 0.87),
        { rate: 'answerGivenRetrieval', label: 'right, document holds it', from: 0.05, to: 0.08, required: false },
        { rate: 'answerWithoutSearch', label: 'right, without a search', from: 0.17, to: 0.25, required: false },
        within('entropy', 'entropy, nats', 1.23, false),
      ],
    },
  ],
  examples: [
    '--rules grpo-or,grpo-mr,mt-grpo --seeds 5 --steps 120',
    '--world open --rules grpo-or,grpo-mr,mt-grpo --seeds 10 --worlds 5 --json open.json',
    '--seeds 2 --steps 60 --json found.json --svg curves.svg --markdown table.md',
  ],
};
