import { advantageChart, type EnvironmentCharts, rewardsChart, tiedGroupsChart } from '../chart.ts';
import type { EnvironmentDescriptor } from '../descriptor.ts';
import { WORTH_CHART } from '../shared/stateFacts.ts';
import type { PicturedTurn, TurnBox } from '../turnPicture.ts';
import { BANDIT_FACTS } from './banditFacts.ts';
import { BANDIT_CONTROLS, BANDIT_SETTINGS } from './banditSettings.ts';
import { BANDIT_FIRST_TURNS } from './firstTurns.ts';
import { BANDIT_PRESETS } from './presets.ts';

/** First actions by their effect, which is the reply to the action. */
const BOXES: Readonly<Partial<Record<string, TurnBox>>> = {
  enabled: { kind: 'action', text: 'key' },
  spoiled: { kind: 'plain', text: 'bait' },
  nothing: { kind: 'skipped', text: 'nothing' },
};

/** Box of a turn of the bandit: the effect of the first action, or the door. */
function banditBox({ turn: { action = '' }, reply: [first] }: PicturedTurn): TurnBox {
  return BOXES[first?.text ?? ''] ?? { kind: 'plain', text: `door ${action}` };
}

/** The charts of bandit runs. */
const BANDIT_CHARTS: EnvironmentCharts = {
  main: {
    id: 'main',
    title: 'Key, bait and door',
    caption: 'Share of this update’s episodes',
    format: 'share',
    lines: ['fact:key', 'fact:right', 'fact:bait'],
  },
  small: [
    {
      id: 'numbers',
      title: 'Return',
      caption: 'turn reward and outcome, mean',
      format: 'number',
      least: 0.5,
      lines: ['fact:return'],
    },
    WORTH_CHART,
    rewardsChart(),
    tiedGroupsChart(),
    advantageChart(),
  ],
};

/** The bandit of two turns (docs/reference/bandit.md). */
export const bandit: EnvironmentDescriptor<'bandit'> = {
  name: 'bandit',
  title: 'Bandit',
  sentence: 'A tiny agent takes bait or a key, and a door decides. Which turn gets the credit?',
  settings: BANDIT_SETTINGS,
  afterWarmStart: [],
  rewards: BANDIT_CONTROLS,
  turns: 'steps',
  trees: false,
  carries: ['solved', 'state', 'action', 'worth'],
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
  words: { curves: ['critic'] },
  legend: (question) =>
    `${question}: which of a, b and c is the key, and which the right door, is to be found out. Every token stands for one.`,
};
