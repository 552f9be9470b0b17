import type { EnvironmentDescriptor } from '../descriptor.ts';
import { REPAIR_PRESETS } from './presets.ts';
import { RECORDED_BANDS } from './recordedBands.ts';
import { refuses } from './rejections.ts';
import { REPAIR_CHARTS } from './repairCharts.ts';
import { HELD_OUT_ATTEMPTS, REPAIR_FACTS, REPAIR_HELD_OUT } from './repairFacts.ts';
import { REPAIR_CONTROLS, REPAIR_SETTINGS } from './repairSettings.ts';
import { REPAIR_FIRST_TURNS, REPAIR_TURNS } from './repairTurns.ts';

/** Descriptor of the repair environment (docs/reference/repair.md). */
export const repair: EnvironmentDescriptor<'repair'> = {
  name: 'repair',
  title: 'Repair',
  sentence: 'A tiny agent writes programs. A failed program gets a second attempt. Which attempt gets the credit?',
  settings: REPAIR_SETTINGS,
  afterWarmStart: ['maxTurns', 'easyTests', 'trainProblems'],
  addedSettings: ['worldSeed', 'width', 'warmSteps', 'reflection', 'verification'],
  armSettings: ['maxTurns', 'trainProblems'],
  rewards: REPAIR_CONTROLS,
  rewardModel: true,
  turns: 'attempts',
  trees: true,
  carries: ['solved', 'passed'],
  pinned: ['grpo-mt', 'murphy-mars', 'verpo'],
  singleTurn: ['grpo-or'],
  refuses,
  optional: ['programs', 'filters'],
  training: {
    learningRate: { default: 4e-4 },
    groupSize: { default: 10 },
    questions: { max: 20, help: 'Problems in one update, if "programs" is 0.' },
  },
  rules: { turnCreditScores: 'reward' },
  betas: [0.9, 0.98],
  capacity: { sequences: 336, tokens: 20_480 },
  presets: REPAIR_PRESETS,
  facts: REPAIR_FACTS,
  watchedTurns: REPAIR_TURNS,
  firstTurns: REPAIR_FIRST_TURNS,
  heldOut: REPAIR_HELD_OUT,
  heldOutAttempts: HELD_OUT_ATTEMPTS,
  evaluation: { temperature: 0.6, topP: 0.95 },
  continuations: 64,
  measuredBy: 'refinement',
  warmStart: { split: 'held-out', episodes: 4 },
  charts: REPAIR_CHARTS,
  comparison: () => import('./repairComparison.ts'),
  tour: async () => (await import('./repairTour.ts')).REPAIR_TOUR,
  bands: RECORDED_BANDS,
  terms: { curves: ['heldOut', 'iterations', 'pruned'], group: ['pruned', 'murphyPruning', 'codeTokens'] },
  legend: () => 'The arguments of the function, and what it should return.',
  shipsProblems: true,
  customTasks: { flag: 'tasks', help: 'Custom tasks (docs/reference/repair.md)' },
};
