import type { EnvironmentPreset } from '../descriptor.ts';

/** Presets of the search environment for the page and the terminal. */
export const SEARCH_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'toggle',
    title: 'The toggle',
    shows: 'MT-GRPO raises tool use. From step 40 GRPO-OR lowers it to zero, and from step 90 MT-GRPO brings it back.',
    world: 'shortcut',
    settings: {},
    controls: { rule: 'mt-grpo' },
    schedule: [
      { step: 40, changes: { rule: 'grpo-or' } },
      { step: 90, changes: { rule: 'mt-grpo' } },
    ],
  },
  {
    name: 'mt-grpo',
    title: 'MT-GRPO: stable',
    shows:
      'Turn-level credit: tool use rises and stays, and with it held-out accuracy, because memory has no answer to new ' +
      'questions.',
    world: 'shortcut',
    settings: {},
    controls: { rule: 'mt-grpo' },
    schedule: [],
  },
  {
    name: 'grpo-or',
    title: 'GRPO-OR: collapse',
    shows:
      'Outcome-only credit: tool use falls to zero, training accuracy rises above .9, and held-out accuracy falls to near zero.',
    world: 'shortcut',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'grpo-mr',
    title: 'GRPO-MR (merged rewards): collapse',
    shows:
      'Turn rewards are added to the outcome: tool use falls to zero as under outcome-only credit. The same rewards, given ' +
      'to their turns, keep it.',
    world: 'shortcut',
    settings: {},
    controls: { rule: 'grpo-mr' },
    schedule: [],
  },
  {
    name: 'turn-credit',
    title: 'Turn credit (shared progress)',
    shows:
      'Rollouts are compared by the sum of their rewards, but a rewarded turn takes credit from later turns: tool use ' +
      'stays.',
    world: 'shortcut',
    settings: {},
    controls: { rule: 'turn-credit' },
    schedule: [],
  },
  {
    name: 'unreliable-judge',
    title: 'Biased judge',
    shows:
      'The judge that gives the turn rewards prefers answers without a search: tool use falls to zero, and the reward of the ' +
      'judge rises (“Judge and rules”).',
    world: 'shortcut',
    settings: {},
    controls: { rule: 'mt-grpo', turnReward: 'unreliable' },
    schedule: [],
  },
  {
    name: 'open-mt',
    title: 'MT-GRPO: learns to read',
    shows: 'Turn-level credit where every document is right: tool use climbs and holds until reading is learned.',
    world: 'open',
    settings: {},
    controls: { rule: 'mt-grpo' },
    schedule: [],
  },
  {
    name: 'open-or',
    title: 'GRPO-OR: tool lost before reading',
    shows:
      'Outcome-only credit where every document is right: memory earns more at first, and tool use drops to 0 before reading is learned.',
    world: 'open',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'open-mr',
    title: 'GRPO-MR (merged rewards): learns to read',
    shows: 'Turn rewards are added to the outcome: no collapse. In this world the sum of the rewards is enough.',
    world: 'open',
    settings: {},
    controls: { rule: 'grpo-mr' },
    schedule: [],
  },
  {
    name: 'switch-early',
    title: 'Switch early',
    shows: 'MT-GRPO raises tool use. GRPO-OR follows at step 20, before reading is learned: tool use falls to zero.',
    world: 'open',
    settings: { knownShare: 0.75, hallucinate: 1 },
    controls: { rule: 'mt-grpo' },
    schedule: [{ step: 20, changes: { rule: 'grpo-or' } }],
  },
  {
    name: 'forgetting-kl',
    title: 'Forgetting under KL',
    shows:
      'Every fact is known, so the outcome gives no signal after step 60. The KL term slowly brings tool use back.',
    world: 'open',
    settings: { knownShare: 1 },
    controls: { rule: 'mt-grpo' },
    schedule: [{ step: 60, changes: { rule: 'grpo-or', klCoef: 0.05 } }],
  },
  {
    name: 'over-searching',
    title: 'Over-searching',
    shows:
      'Up to four turns, and a search costs nothing: the agent searches again and again. With a search cost of 0.1 it searches ' +
      'half as often and answers more.',
    world: 'open',
    settings: { maxTurns: 4 },
    controls: { rule: 'mt-ppo', searchCost: 0 },
    schedule: [],
  },
  {
    name: 'two-hops',
    title: 'Two hops',
    shows:
      'The first search finds a person, the second asks about that person. MT-PPO rewards each search, and the policy learns ' +
      'both; PPO-OR loses the tool.',
    world: 'open',
    settings: { maxTurns: 4, hops: 2 },
    controls: { rule: 'mt-ppo' },
    schedule: [],
  },
  {
    name: 'igpo',
    title: 'IGPO: after reading is learned',
    shows:
      'MT-GRPO until step 60. Then IGPO rewards turns that make the right answer more probable: the tool stays. With IGPO ' +
      'alone, tool use drops to zero.',
    world: 'open',
    settings: {},
    controls: { rule: 'mt-grpo' },
    schedule: [{ step: 60, changes: { rule: 'igpo' } }],
  },
  {
    name: 'vineppo',
    title: 'VinePPO: measured values',
    shows:
      'Four continuations from before each turn measure its value. Memory has the higher value in training: tool ' +
      'use drops to zero, too.',
    world: 'open',
    settings: {},
    controls: { rule: 'vineppo' },
    schedule: [],
  },
];
