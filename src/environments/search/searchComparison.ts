import type { BaseClaim, EnvironmentComparison, RuleClaim, SwitchClaim } from '../declaredComparison.ts';

/** A run whose tool use ends below this has lost the tool. */
const COLLAPSED = 0.1;
/** Steps of the table, besides the end. */
const STEPS = [0, 25, 50, 100];

const losesTheTool = (rule: string, title: string): RuleClaim => ({
  rule,
  statement: `${title} loses the tool: tool use ends below 0.05, answers end between 0.30 and 0.55`,
  share: 4 / 5,
  ends: { toolUse: { below: 0.05 }, answer: { from: 0.3, to: 0.55 } },
});

const learnsToRead = (rule: string, title: string): RuleClaim => ({
  rule,
  statement: `${title} keeps the tool and learns to read: tool use ends above 0.95, answers above 0.80`,
  share: 1,
  ends: { toolUse: { above: 0.95 }, answer: { above: 0.8 } },
});

/** Where memory always pays more: the tool is what new questions need, and training does not ask for them. */
const takesTheShortcut = (rule: string, title: string): RuleClaim => ({
  rule,
  statement: `${title} takes the shortcut: tool use ends below 0.05, right answers to new questions below 0.15`,
  share: 9 / 10,
  ends: { toolUse: { below: 0.05 } },
  measured: { answer: { below: 0.15 } },
});

const keepsTheTool = (rule: string, title: string): readonly RuleClaim[] => [
  {
    rule,
    statement: `${title} keeps the tool: tool use ends above 0.95`,
    share: 1,
    ends: { toolUse: { above: 0.95 } },
  },
  {
    rule,
    statement: `${title} answers new questions: above 0.45 right`,
    share: 8 / 10,
    measured: { answer: { above: 0.45 } },
  },
];

/** The toggle, in both directions and at any moment. */
const TOGGLE: readonly SwitchClaim[] = [
  {
    ...{ from: 'mt-grpo', to: 'grpo-or', since: 20, metric: 'toolUse', within: 80, bounds: { below: 0.1 } },
    statement: 'From MT-GRPO to GRPO-OR, at 20 or later: tool use falls below 0.10 within 80 updates',
    share: 9 / 10,
  },
  {
    ...{ from: 'grpo-or', to: 'mt-grpo', habit: true, since: 60, metric: 'toolUse', within: 40 },
    statement: 'Back from GRPO-OR to MT-GRPO, at 60 or later: tool use rises above 0.90 within 40 updates',
    bounds: { above: 0.9 },
    share: 9 / 10,
  },
  {
    ...{ from: 'grpo-or', to: 'mt-grpo', since: 60, metric: 'toolUse', within: 80, bounds: { above: 0.9 } },
    statement: 'From GRPO-OR to MT-GRPO, at 60 or later, never trained to search: above 0.90 within 80 updates',
    share: 9 / 10,
  },
];

const within = (rate: string, label: string, expected: number, required = true): BaseClaim => {
  const bound = (value: number) => Number(value.toFixed(3));
  return { rate, label, from: bound(expected - 0.05), to: bound(expected + 0.05), required };
};

/** Comparisons in the environment of the search agent: who loses the tool, and who learns to read. */
export const comparison: EnvironmentComparison = {
  standard: { arms: ['grpo-or', 'grpo-mr', 'mt-grpo'], seeds: 5, steps: 120 },
  freshWarmStart: true,
  columns: [
    { name: 'toolUse', title: 'tool use', format: 'points', steps: STEPS },
    { name: 'answer', title: 'answer', format: 'points', steps: STEPS },
    { name: 'heldOut', title: 'held out', format: 'rate', of: { measured: 'answer' } },
    { name: 'collapsed', title: 'collapsed', format: 'tally', of: { end: 'toolUse', below: COLLAPSED } },
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
  claims: {
    standard: [
      {
        world: 'shortcut',
        base: [
          within('toolUse', 'tool use', 0.52),
          within('retrieval', 'document holds the answer', 0.28),
          within('answer', 'right answer', 0.31),
          within('answerWithoutSearch', 'right, without a search', 0.64),
          { rate: 'answerGivenRetrieval', label: 'right, document holds it', from: 0.03, to: 0.08, required: false },
        ],
        rules: [
          takesTheShortcut('grpo-or', 'GRPO-OR'),
          takesTheShortcut('grpo-mr', 'GRPO-MR'),
          ...keepsTheTool('mt-grpo', 'MT-GRPO'),
          takesTheShortcut('ppo-or', 'PPO-OR'),
          ...keepsTheTool('mt-ppo', 'MT-PPO'),
        ],
        switches: TOGGLE,
      },
      {
        world: 'open',
        base: [
          within('toolUse', 'tool use', 0.57),
          within('retrieval', 'document holds the answer', 0.41),
          within('answer', 'right answer', 0.11),
          within('format', 'well-formed answer', 0.87),
          { rate: 'answerGivenRetrieval', label: 'right, document holds it', from: 0.05, to: 0.08, required: false },
          { rate: 'answerWithoutSearch', label: 'right, without a search', from: 0.17, to: 0.25, required: false },
          within('entropy', 'entropy, nats', 1.23, false),
        ],
        // What the collapse and the rescue are.
        rules: [
          losesTheTool('grpo-or', 'GRPO-OR'),
          learnsToRead('mt-grpo', 'MT-GRPO'),
          learnsToRead('grpo-mr', 'GRPO-MR'),
          losesTheTool('ppo-or', 'PPO-OR'),
          learnsToRead('mt-ppo', 'MT-PPO'),
          learnsToRead('ppo-mr', 'PPO-MR'),
        ],
      },
    ],
  },
  examples: [
    '--rules grpo-or,grpo-mr,mt-grpo --seeds 5 --steps 120',
    '--world open --rules grpo-or,grpo-mr,mt-grpo --seeds 10 --worlds 5 --json open.json',
    '--seeds 2 --steps 60 --json found.json --svg curves.svg --markdown table.md',
  ],
};
