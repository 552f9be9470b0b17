import { meanOrNull } from '../../rollouts/rolloutBatch.ts';
import {
  advantageChart,
  type EnvironmentCharts,
  type LineKey,
  type NamedLine,
  rewardsChart,
  STATE_VALUE_CHART,
  tiedGroupsChart,
} from '../chart.ts';
import type { EnvironmentDescriptor, EnvironmentPreset, NamedWorld, PicturedTurn, TurnBox } from '../descriptor.ts';
import { type EpisodeFact, STATE_VALUE_FACTS, type UpdateFact } from '../fact.ts';
import type { Attempt, FirstTurnKinds } from '../watchedTurns.ts';
import { BANDIT_CONTROLS, BANDIT_SETTINGS } from './banditSettings.ts';
import type { Effect } from './payoutTable.ts';

/**
 * Creates a function that sums a fact over the turns of an episode and averages over episodes. Episodes without the
 * fact do not count. It returns null if no episode reports the fact.
 */
const total =
  (name: string): EpisodeFact['ofEpisodes'] =>
  ({ trajectories }) =>
    meanOrNull(
      trajectories.flatMap(({ turns }) => {
        const values = turns.flatMap(({ facts }) => facts[name] ?? []);
        return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) : [];
      }),
    );

/** Creates the fact of this name, summed over the turns of an episode (`total`). */
const fact = (name: string, label: string, help: string, format: EpisodeFact['format'] = 'share'): EpisodeFact => ({
  ...{ name, label, help, format },
  ofEpisodes: total(name),
});

/** Facts that an update counts in this environment. */
const BANDIT_FACTS: readonly UpdateFact[] = [
  fact('key', 'Takes the key', 'Episodes whose first action makes the prize possible.'),
  fact('bait', 'Takes the bait', 'Episodes whose first action has an immediate reward and spoils the prize.'),
  fact('right', 'Right door', 'Episodes whose second action is right, regardless of the first.'),
  fact(
    'solved',
    'Prize',
    'Episodes that take the key, then the right door, and get the prize; in a decision process, episodes with the largest outcome.',
  ),
  fact('return', 'Return', 'Mean sum of turn reward and outcome of an episode.', 'number'),
  fact('good', 'First action GOOD', 'Episodes whose first action is GOOD, in the worlds delayed and recovery.'),
  fact('recovered', 'Recovers', 'Episodes that repair an error, of the episodes with an error, in the world recovery.'),
  fact('stop', 'Turn of the stop', 'Mean turn in which an episode stops, from 1, in the world stopping.', 'number'),
  ...STATE_VALUE_FACTS,
];

/**
 * Controls of worlds in which only the last turn has a reward. Only a rule that compares states distinguishes turns
 * there.
 */
const STATE_RULE = { rule: 'rtmc' };

/** Worlds of the bandit. Runs use the first world by default. */
const BANDIT_WORLDS: readonly NamedWorld[] = [
  {
    name: 'two-turns',
    title: 'Key and door',
    shows: 'The first action takes a bait or a key, the second a door.',
    settings: {},
    controls: {},
  },
  {
    name: 'delayed',
    title: 'Delayed effect',
    shows: 'The first of 8 actions decides how probable reward 1 is, .8 or .2. The later actions change nothing.',
    sentence: 'The first of eight actions decides. Which turn gets the credit?',
    settings: { process: 'delayed' },
    controls: STATE_RULE,
  },
  {
    name: 'recovery',
    title: 'Recovery',
    shows: 'GOOD ends with reward 1. After BAD a second turn repairs the error, or gives up.',
    sentence: 'A second turn can repair an error. Which turn gets the credit?',
    settings: { process: 'recovery' },
    controls: STATE_RULE,
  },
  {
    name: 'stopping',
    title: 'Stopping',
    shows: 'In each of 5 turns the policy stops and collects 0, 2, 1, 3 or 0, or continues.',
    sentence: 'The agent chooses the turn in which it stops. Which turn gets the credit?',
    settings: { process: 'stopping' },
    controls: STATE_RULE,
  },
];

/** Presets of the bandit for the page and the terminal. */
const BANDIT_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'bandit',
    title: 'MT-GRPO: key rewarded',
    shows:
      'The key has a turn reward, the prize is the outcome. In each of three seeds both turns are learned in 40 updates.',
    controls: { rule: 'mt-grpo' },
  },
  {
    name: 'bandit-outcome',
    title: 'GRPO-OR: outcome only',
    shows:
      'The right door without the key has a small reward, and groups tie at it. After 60 updates two of three seeds take the key in less than half of their episodes.',
    controls: { rule: 'grpo-or' },
  },
  {
    name: 'bandit-bait',
    title: 'MT-GRPO: larger reward for the bait',
    shows:
      'The same rule with a larger reward for the bait than for the key. In six of ten seeds the policy takes the bait in more ' +
      'than half of its episodes.',
    controls: { rule: 'mt-grpo', rewardBait: 0.5 },
  },
];

/** Returns true if the first turn had this effect. The state of the second turn contains the effect. */
const had = ({ following }: Attempt, effect: Effect) => following[0]?.state?.endsWith(`| ${effect}`) === true;

/** Kinds of first turns by their effect on the prize. */
const BANDIT_FIRST_TURNS: FirstTurnKinds = {
  key: (attempt) => had(attempt, 'enabled'),
  bait: (attempt) => had(attempt, 'spoiled'),
  nothing: (attempt) => had(attempt, 'nothing'),
};

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
