import { hasFact } from '../../rollouts/rolloutBatch.ts';
import type { RunBands } from '../chart.ts';
import type { EnvironmentDescriptor, EnvironmentPreset, PicturedTurn, TurnBox } from '../descriptor.ts';
import type { ReportedTurn, WatchedTurns } from '../watchedTurns.ts';
import bands from './recordedBands.json' with { type: 'json' };
import { REPO_CHARTS, REPO_FACTS, REPO_HELD_OUT } from './repoFacts.ts';
import { REPO_CONTROLS, REPO_SETTINGS } from './repoSettings.ts';

/** Presets of the repository environment for the page and the terminal. */
const REPO_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'rtmc',
    title: 'RTMC: shared states',
    shows:
      'Rollouts of one problem share states. The baseline of a step is the mean return of all visits of its state, without a critic.',
    controls: { rule: 'rtmc' },
  },
  {
    name: 'rtmc-unsmoothed',
    title: 'RTMC without smoothing',
    shows:
      'At κ = 0 a step in a state with one visit gets no credit. The Lab compares all steps without credit (own-silent).',
    controls: { rule: 'rtmc', kappa: 0 },
  },
  {
    name: 'repo-grpo',
    title: 'GRPO: credit per rollout',
    shows: 'All steps of an episode get the same credit, helpful or not.',
    controls: { rule: 'grpo-or' },
  },
  {
    name: 'repo-step',
    title: 'GRPO + step rewards',
    shows: 'Valid steps and checks have rewards, too. A step is compared with all steps of its group.',
    controls: { rule: 'grpo-step' },
  },
  {
    name: 'gigpo',
    title: 'GiGPO: anchor states',
    shows: 'Steps of different rollouts from the same state are compared, in addition to whole rollouts.',
    controls: { rule: 'gigpo' },
  },
  {
    name: 'tempo',
    title: 'TEMPO: shared prefixes',
    shows:
      'Rollouts with the same first steps form a tree. The credit of a step is the change of the mean outcome in the tree. Few ' +
      'rollouts share more than some steps.',
    controls: { rule: 'tempo' },
  },
];

/**
 * Steps by their effect on the repair. The distance to the repair is the number of tokens that differ from the right
 * files.
 */
export const REPO_TURNS: WatchedTurns = {
  of: 'all turns',
  counted: 'steps',
  mark: {
    name: 'met',
    label: 'another rollout of the group visited the same state',
    holds: (context) => isMet(context),
  },
  kinds: [
    {
      title: 'Helpful steps',
      cases: [
        { name: 'fixed', label: 'an edit fixed a bug', holds: ({ turn }) => hasFact(turn, 'fixed') },
        { name: 'ended', label: 'it finished with all tests passing', holds: ({ turn }) => turn.solved === true },
        { name: 'checked', label: 'an edit was checked', holds: ({ turn }) => turn.validates === true },
        {
          name: 'shown',
          label: 'it viewed code with a bug',
          holds: (context) => hasFact(context.turn, 'shown') && !repeats(context),
        },
      ],
    },
    {
      title: 'Harmful steps',
      cases: [
        { name: 'spoiled', label: 'an edit broke what was right', holds: ({ turn }) => hasFact(turn, 'spoiled') },
        { name: 'gaveUp', label: 'it finished with a test failing', holds: ({ turn }) => hasFact(turn, 'finished') },
        { name: 'invalid', label: 'the action was invalid', holds: ({ turn }) => hasFact(turn, 'invalid') },
      ],
    },
    {
      title: 'Neutral steps',
      cases: [
        { name: 'swapped', label: 'an edit fixed no bug', holds: ({ turn }) => hasFact(turn, 'changed') },
        {
          name: 'repeated',
          label: 'it repeated an action, and nothing had changed since',
          holds: (context) => repeats(context),
        },
        { name: 'remainingStep', label: 'it took another action', holds: () => true },
      ],
    },
  ],
};

/** Returns true if the rollout performed the same action before and has changed no file since that action. */
function repeats({ turn, before }: ReportedTurn): boolean {
  const since = before.slice(before.findLastIndex((earlier) => hasFact(earlier, 'changed')) + 1);
  return since.some(({ action }) => action === turn.action);
}

/** Returns true if a turn of another rollout was in the same state. The control *States* defines equal states. */
function isMet({ turn, before, after, group }: ReportedTurn): boolean {
  return group.some(
    (candidate) =>
      candidate.state === turn.state && candidate !== turn && !before.includes(candidate) && !after.includes(candidate),
  );
}

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
  // Percent, of ten seeds; `npm run record:bands` writes the file.
  bands: bands as RunBands,
  terms: { curves: ['heldOut', 'state'], group: ['state', 'pruned'] },
  picture: repoBox,
  legend: () => 'What the issue says: which function goes wrong in its first failing test, and how.',
  shipsProblems: true,
  customTasks: { flag: 'repositories', help: 'Custom repositories (docs/reference/repo.md)' },
};
