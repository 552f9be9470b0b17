import type { EnvironmentDescriptor } from '../descriptor.ts';
import type { PicturedTurn, TurnBox } from '../turnPicture.ts';
import { REPO_PRESETS } from './presets.ts';
import { RECORDED_BANDS } from './recordedBands.ts';
import { REPO_CHARTS } from './repoCharts.ts';
import { REPO_FACTS, REPO_HELD_OUT } from './repoFacts.ts';
import { REPO_SETTINGS } from './repoSettings.ts';
import { REPO_TURNS } from './repoTurns.ts';
import { REPO_CONTROLS } from './rewards.ts';

/** Names of tools with at most four letters and different first letters. */
const SHORT: Readonly<Partial<Record<string, string>>> = {
  search: 'find',
  modify: 'edit',
  create: 'add',
  execute: 'run',
  think: 'plan',
  finish: 'done',
};

/** Returns the box of a step, which shows its tool as one short word. */
function repoBox({ call = '' }: PicturedTurn): TurnBox {
  const [, tool] = /^(\w+)\(/.exec(call) ?? [];
  return tool === undefined ? { kind: 'malformed', text: '?' } : { kind: 'action', text: SHORT[tool] ?? tool };
}

/** Descriptor of the repository environment (docs/reference/repo.md). */
export const repo: EnvironmentDescriptor<'repo'> = {
  name: 'repo',
  title: 'Repository',
  sentence: 'A tiny agent fixes bugs with tool calls. Which of its steps get the credit?',
  settings: REPO_SETTINGS,
  afterWarmStart: [],
  addedSettings: ['worldSeed'],
  rewards: REPO_CONTROLS,
  turns: 'steps',
  trees: false,
  carries: ['solved', 'state', 'action'],
  unsuitable: ['mt-grpo', 'grpo-mr'],
  pinned: ['rtmc', 'grpo-or', 'grpo-step'],
  singleTurn: [],
  optional: ['filters'],
  training: {
    questions: { default: 8, max: 8 },
    skipZero: { default: 'off' },
    filterUniform: { default: 'on' },
  },
  rules: { ppoLambda: 0.95, bonus: 0.1 },
  betas: [0.9, 0.98],
  capacity: { sequences: 128, tokens: 16_384 },
  presets: REPO_PRESETS,
  facts: REPO_FACTS,
  watchedTurns: REPO_TURNS,
  heldOut: REPO_HELD_OUT,
  evaluation: {},
  continuations: 32,
  measuredBy: 'sharing',
  warmStart: { split: 'held-out', episodes: 8 },
  charts: REPO_CHARTS,
  comparison: () => import('./repoComparison.ts'),
  tour: async () => (await import('./repoTour.ts')).REPO_TOUR,
  bands: RECORDED_BANDS,
  terms: { curves: ['heldOut', 'state'], group: ['state', 'pruned'] },
  picture: repoBox,
  legend: () => 'What the issue says: which function goes wrong in its first failing test, and how.',
  shipsProblems: true,
  customTasks: { flag: 'repositories', help: 'Custom repositories (docs/reference/repo.md)' },
};
