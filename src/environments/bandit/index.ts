import type { EnvironmentDescriptor } from '../descriptor.ts';
import { BANDIT_CHARTS } from './banditCharts.ts';
import { BANDIT_FACTS } from './banditFacts.ts';
import { banditBox } from './banditPicture.ts';
import { BANDIT_CONTROLS, BANDIT_SETTINGS } from './banditSettings.ts';
import { BANDIT_FIRST_TURNS } from './firstTurns.ts';
import { BANDIT_PRESETS } from './presets.ts';

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
