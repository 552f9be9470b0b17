import {
  advantageChart,
  type EnvironmentCharts,
  type LineKey,
  type NamedLine,
  rewardsChart,
  tiedGroupsChart,
} from '../chart.ts';
import type { EnvironmentDescriptor } from '../descriptor.ts';
import { STATE_VALUE_CHART } from '../shared/stateFacts.ts';
import type { PicturedTurn, TurnBox } from '../turnPicture.ts';
import { BANDIT_FACTS } from './banditFacts.ts';
import { BANDIT_CONTROLS, BANDIT_SETTINGS } from './banditSettings.ts';
import { BANDIT_FIRST_TURNS } from './firstTurns.ts';
import { BANDIT_PRESETS } from './presets.ts';
import { BANDIT_WORLDS } from './worlds.ts';

/** Boxes of first actions, by the effect in the reply. */
const BOXES: Readonly<Partial<Record<string, TurnBox>>> = {
  enabled: { kind: 'action', text: 'key' },
  spoiled: { kind: 'plain', text: 'bait' },
  nothing: { kind: 'skipped', text: 'nothing' },
};

/** Actions of the decision processes that can lead to the largest outcome. */
const BEST_ACTIONS = ['GOOD', 'RECOVER', 'STOP'];
/** Short texts of actions for boxes. Other actions show their name. */
const TEXTS: Readonly<Partial<Record<string, string>>> = {
  DISTRACT_0: 'idle 0',
  DISTRACT_1: 'idle 1',
  GIVE_UP: 'GIVE UP',
};

/**
 * Returns the box of a turn: the first action with its effect, the door, or the action of a decision process. The text
 * includes the action, because two first actions can have the same effect and, under RTMC, different credit.
 */
function banditBox({ turn: { action = '' }, reply: [first] }: PicturedTurn): TurnBox {
  if (action.length > 1)
    return { kind: BEST_ACTIONS.includes(action) ? 'action' : 'plain', text: TEXTS[action] ?? action };
  const effect = BOXES[first?.text ?? ''] ?? { kind: 'plain', text: 'door' };
  return { ...effect, text: `${effect.text} ${action}` };
}

/** Creates a line for runs in the named worlds. */
const line = (key: LineKey, label: string, ...worlds: readonly unknown[]): NamedLine => ({
  ...{ key, label, short: label },
  when: ({ process }) => worlds.includes(process),
});

/** Charts of bandit runs. */
const BANDIT_CHARTS: EnvironmentCharts = {
  main: {
    id: 'main',
    title: 'Actions and results',
    caption: 'Share of this update’s episodes',
    format: 'share',
    lines: [
      line('fact:key', 'Takes the key', 'two-turns'),
      line('fact:right', 'Right door', 'two-turns'),
      line('fact:bait', 'Takes the bait', 'two-turns'),
      line('fact:good', 'First action GOOD', 'delayed', 'recovery'),
      line('fact:recovered', 'Recovers', 'recovery'),
      line('fact:solved', 'Best outcome', 'delayed', 'recovery', 'stopping'),
    ],
  },
  small: [
    {
      ...{ id: 'stop', title: 'Turn of the stop', caption: 'mean, from 1', format: 'number', lines: ['fact:stop'] },
      when: ({ process }) => process === 'stopping',
    },
    {
      id: 'numbers',
      title: 'Return',
      caption: 'turn reward and outcome, mean',
      format: 'number',
      least: 0.5,
      lines: ['fact:return'],
    },
    STATE_VALUE_CHART,
    rewardsChart(),
    tiedGroupsChart(),
    advantageChart(),
  ],
};

/** Descriptor of the bandit (docs/reference/bandit.md). */
export const bandit: EnvironmentDescriptor<'bandit'> = {
  name: 'bandit',
  title: 'Bandit',
  sentence: 'A tiny agent takes bait or a key, and a door decides. Which turn gets the credit?',
  settings: BANDIT_SETTINGS,
  worlds: BANDIT_WORLDS,
  addedSettings: ['process'],
  afterWarmStart: [],
  rewards: BANDIT_CONTROLS,
  turns: 'steps',
  trees: false,
  carries: ['solved', 'state', 'action', 'stateValue'],
  pinned: ['mt-grpo', 'grpo-or', 'rtmc'],
  singleTurn: [],
  optional: [],
  training: {},
  rules: { ppoLambda: 0.95 },
  betas: [0.9, 0.98],
  capacity: { sequences: 256 },
  presets: BANDIT_PRESETS,
  firstTurns: BANDIT_FIRST_TURNS,
  facts: BANDIT_FACTS,
  heldOut: [],
  evaluation: {},
  continuations: 256,
  measuredBy: 'facts',
  warmStart: 'none',
  charts: BANDIT_CHARTS,
  picture: banditBox,
  terms: { curves: ['critic'] },
  legend: (question) =>
    question.startsWith('payout table')
      ? `${question}: the policy has to learn which of a, b and c is the key, and which is the right door. Each token counts as a, b or c.`
      : undefined,
};
