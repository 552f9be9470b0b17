import type { EnvironmentPreset } from '../descriptor.ts';

/** Runs of the bandit that the page and the terminal offer by name. */
export const BANDIT_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'bandit',
    title: 'MT-GRPO: the key is paid',
    shows:
      'The key is paid at once, the prize at the end: with each of three seeds both turns are learned in 40 updates.',
    settings: {},
    controls: { rule: 'mt-grpo' },
    schedule: [],
  },
  {
    name: 'bandit-outcome',
    title: 'GRPO-OR: the outcome alone',
    shows:
      'A right door after an idle turn pays a crumb, and groups tie at it: after 60 updates two of three seeds still take the key in less than half of their episodes.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'bandit-bait',
    title: 'MT-GRPO: the bait pays more',
    shows:
      'The same rule, and the bait is paid more than the key: the first turn follows its own reward, and most prizes are lost.',
    settings: {},
    controls: { rule: 'mt-grpo', rewardBait: 0.5 },
    schedule: [],
  },
];
