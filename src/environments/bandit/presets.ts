import type { EnvironmentPreset } from '../descriptor.ts';

/** Presets of the bandit for the page and the terminal. */
export const BANDIT_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'bandit',
    title: 'MT-GRPO: key rewarded',
    shows:
      'The key has a turn reward, the prize is the outcome. In each of three seeds both turns are learned in 40 updates.',
    settings: {},
    controls: { rule: 'mt-grpo' },
    schedule: [],
  },
  {
    name: 'bandit-outcome',
    title: 'GRPO-OR: outcome only',
    shows:
      'The right door without the key has a small reward, and groups tie at it. After 60 updates two of three seeds take the key in less than half of their episodes.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'bandit-bait',
    title: 'MT-GRPO: larger reward for the bait',
    shows:
      'The same rule with a larger reward for the bait than for the key: the first turn follows its own reward, and most prizes are lost.',
    settings: {},
    controls: { rule: 'mt-grpo', rewardBait: 0.5 },
    schedule: [],
  },
];
