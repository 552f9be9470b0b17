import type { EnvironmentPreset } from '../descriptor.ts';

/** Runs of the search environment that the page and the terminal offer by name. */
export const SEARCH_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'mt-grpo',
    title: 'MT-GRPO: stable',
    shows: 'Turn-level credit: tool use climbs and holds, and answers follow once reading is learned.',
    settings: {},
    controls: { rule: 'mt-grpo' },
    schedule: [],
  },
  {
    name: 'grpo-or',
    title: 'GRPO-OR: collapse',
    shows: 'Outcome-only credit: the tool dies out, and answers stall at what memory alone can give.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'grpo-mr',
    title: 'Merged rewards',
    shows: 'Turn rewards summed into the outcome: no collapse. What the reward says matters more than where it is put.',
    settings: {},
    controls: { rule: 'grpo-mr' },
    schedule: [],
  },
  {
    name: 'switch-early',
    title: 'Switch early',
    shows:
      'MT-GRPO builds the habit, GRPO-OR takes over at step 20, before reading is learned: tool use falls to nothing.',
    settings: { knownShare: 0.75, hallucinate: 1 },
    controls: { rule: 'mt-grpo' },
    schedule: [{ step: 20, changes: { rule: 'grpo-or' } }],
  },
  {
    name: 'recovery',
    title: 'Recovery',
    shows: 'GRPO-OR lets the tool die; MT-GRPO takes over at step 80 and brings it back.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [{ step: 80, changes: { rule: 'mt-grpo' } }],
  },
  {
    name: 'forgetting-kl',
    title: 'Forgetting under KL',
    shows: 'Every fact is known, so the outcome has no say after step 60; the KL term slowly pulls tool use back.',
    settings: { knownShare: 1 },
    controls: { rule: 'mt-grpo' },
    schedule: [{ step: 60, changes: { rule: 'grpo-or', klCoef: 0.05 } }],
  },
  {
    name: 'over-searching',
    title: 'Over-searching',
    shows:
      'Up to four turns, and a search costs nothing: the agent searches again and again. Raise the search cost, and it searches less: 1.64 times a rollout at 0.1, in place of 2.64 (one seed).',
    settings: { maxTurns: 4 },
    controls: { rule: 'mt-ppo', searchCost: 0 },
    schedule: [],
  },
];
