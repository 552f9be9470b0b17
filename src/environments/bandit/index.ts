import { type EnvironmentDescriptor, share } from '../descriptor.ts';
import { BANDIT_CONTROLS, BANDIT_SETTINGS } from './banditSettings.ts';
import { episodeFacts } from './facts.ts';
import { BANDIT_PRESETS } from './presets.ts';

/** The bandit of two turns (docs/bandit.md). */
export const bandit: EnvironmentDescriptor<'bandit'> = {
  name: 'bandit',
  title: 'Bandit',
  sentence:
    'Two turns, three actions each: bait pays at once and spoils the prize, the key makes it possible, and a door decides. ' +
    'Every value is known exactly; watch which turn a credit rule holds responsible.',
  settings: BANDIT_SETTINGS,
  afterWarmStart: [],
  rewards: BANDIT_CONTROLS,
  offered: [
    ...['mt-grpo', 'grpo-or', 'grpo-mr'],
    ...['mt-ppo', 'ppo-or', 'ppo-mr'],
    ...['rloo', 'dr-grpo', 'gigpo', 'rtmc', 'grpo-step'],
  ],
  pinned: ['mt-grpo', 'grpo-or', 'rtmc'],
  singleTurn: [],
  optional: [],
  training: {},
  rules: { ppoLambda: 0.95 },
  betas: [0.9, 0.98],
  capacity: { sequences: 256 },
  presets: BANDIT_PRESETS,
  facts: [
    share('key', 'Takes the key', 'Episodes whose first action makes the prize possible.'),
    share('bait', 'Takes the bait', 'Episodes whose first action is paid at once and spoils the prize.'),
    share('right', 'Right door', 'Episodes whose second action is the right one, whatever the first was.'),
    share('solved', 'Prize', 'Episodes that take the key, then the right door, and are paid.'),
    {
      name: 'return',
      label: 'Return',
      format: 'number',
      help: 'What an episode is paid, turn reward and outcome, mean.',
    },
  ],
  heldOut: [],
  evaluation: {},
  continuations: 256,
  measuredBy: 'facts',
  warmStart: 'none',
  count: episodeFacts,
  charts: {
    main: {
      title: 'Does it take the key, and then the right door?',
      caption: 'Share of this step’s episodes',
      facts: ['key', 'right', 'bait'],
    },
    numbers: { title: 'Return', caption: 'turn reward and outcome, mean', facts: ['return'] },
  },
  recordedSteps: 60,
  words: { curves: ['critic'] },
  legend: (question) =>
    `${question}: which of a, b and c is the key, and which the right door, is to be found out. Every token stands for one.`,
};
