import type { RunBands } from '../chart.ts';
import type {
  EnvironmentDescriptor,
  EnvironmentPreset,
  NamedWorld,
  PicturedToken,
  PicturedTurn,
  TurnBox,
} from '../descriptor.ts';
import bands from './recordedBands.json' with { type: 'json' };
import {
  SEARCH_CHARTS,
  SEARCH_FACTS,
  SEARCH_FIRST_TURNS,
  SEARCH_HELD_OUT,
  SEARCH_METRICS,
  SEARCH_TURNS,
} from './searchFacts.ts';
import { SEARCH_REWARDS, SEARCH_SETTINGS } from './searchSettings.ts';
import { searchStory } from './searchStory.ts';

/** Named worlds of the search environment. Runs use the first world by default. */
export const SEARCH_WORLDS: readonly NamedWorld[] = [
  {
    name: 'shortcut',
    title: 'Memory shortcut',
    shows:
      'The policy has memorised every training answer, and some documents are out of date. In training, an answer from ' +
      'memory has a higher expected outcome reward than a search. Held-out questions require a search.',
    settings: { knownShare: 1, known: 'asked', stale: 0.3 },
    // The page shows the values of held-out questions together with the training values, on every device.
    controls: { learningRate: 3e-4, klCoef: 0.02, heldOutMode: 'on', heldOutEvery: 5 },
  },
  {
    name: 'open',
    title: 'Reliable documents',
    shows:
      'The policy has memorised some facts, and every document is right. At first an answer from memory has the higher ' +
      'expected outcome reward; after reading is learned, a search has it.',
    settings: {},
    controls: {},
  },
];

/** Presets of the search environment for the page and the terminal. */
const SEARCH_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'toggle',
    title: 'The toggle',
    shows:
      'MT-GRPO raises tool use. In one run (seed 1) GRPO-OR lowers it to zero from step 40, and MT-GRPO brings it back ' +
      'from step 90.',
    world: 'shortcut',
    controls: { rule: 'mt-grpo' },
    schedule: [
      { step: 40, changes: { rule: 'grpo-or' } },
      { step: 90, changes: { rule: 'mt-grpo' } },
    ],
  },
  {
    name: 'mt-grpo',
    title: 'MT-GRPO: stable',
    shows:
      'Turn-level credit: tool use rises and stays, and with it held-out accuracy, because memory has no answer to new ' +
      'questions (Lab: T2).',
    world: 'shortcut',
    controls: { rule: 'mt-grpo' },
  },
  {
    name: 'grpo-or',
    title: 'GRPO-OR: collapse',
    shows:
      'Outcome-only credit: tool use falls to zero, training accuracy rises above .9, and held-out accuracy falls to near ' +
      'zero (Lab: T1).',
    world: 'shortcut',
    controls: { rule: 'grpo-or' },
  },
  {
    name: 'grpo-mr',
    title: 'GRPO-MR (merged rewards): collapse',
    shows:
      'Turn rewards are added to the outcome: tool use falls to zero as under outcome-only credit (Lab: own-merging). ' +
      'MT-GRPO keeps the tool (Lab: T2).',
    world: 'shortcut',
    controls: { rule: 'grpo-mr' },
  },
  {
    name: 'turn-credit',
    title: 'Turn credit (shared progress)',
    shows:
      'Rollouts are compared by the sum of their rewards, but a rewarded turn takes credit from later turns. In one run ' +
      '(seed 1) tool use stays.',
    world: 'shortcut',
    controls: { rule: 'turn-credit' },
  },
  {
    name: 'unreliable-judge',
    title: 'Biased judge',
    shows:
      'The judge of the turn rewards prefers answers without a search. In one run (seed 1) tool use falls to zero, and the ' +
      'judge’s reward rises (“Judge and rules”).',
    world: 'shortcut',
    controls: { rule: 'mt-grpo', turnReward: 'unreliable' },
  },
  {
    name: 'open-mt',
    title: 'MT-GRPO: learns to read',
    shows:
      'Turn-level credit where every document is right: tool use climbs and holds until reading is learned (Lab: T2).',
    world: 'open',
    controls: { rule: 'mt-grpo' },
  },
  {
    name: 'open-or',
    title: 'GRPO-OR: tool lost before reading',
    shows:
      'Outcome-only credit where every document is right: memory earns more at first, and tool use drops to 0 before ' +
      'reading is learned (Lab: T1).',
    world: 'open',
    controls: { rule: 'grpo-or' },
  },
  {
    name: 'open-mr',
    title: 'GRPO-MR (merged rewards): learns to read',
    shows:
      'Turn rewards are added to the outcome. In this world, no seed of the Lab loses the tool under the sum of the ' +
      'rewards (Lab: own-merging).',
    world: 'open',
    controls: { rule: 'grpo-mr' },
  },
  {
    name: 'switch-early',
    title: 'Switch early',
    shows:
      'MT-GRPO raises tool use. GRPO-OR follows at step 20, before reading is learned. In one run (seed 1) tool use ' +
      'falls to zero.',
    world: 'open',
    settings: { knownShare: 0.75, hallucinate: 1 },
    controls: { rule: 'mt-grpo' },
    schedule: [{ step: 20, changes: { rule: 'grpo-or' } }],
  },
  {
    name: 'forgetting-kl',
    title: 'Forgetting under KL',
    shows:
      'Every fact is known, so the outcome gives no signal after step 60. The KL term slowly lowers tool use ' +
      '(Lab: T12).',
    world: 'open',
    settings: { knownShare: 1 },
    controls: { rule: 'mt-grpo' },
    schedule: [{ step: 60, changes: { rule: 'grpo-or', klCoef: 0.05 } }],
  },
  {
    name: 'over-searching',
    title: 'Over-searching',
    shows:
      'Up to four turns, and a search costs nothing. In one run (seed 1) a search cost of 0.1 halves the searches, and more ' +
      'answers are right (Lab: T7).',
    world: 'open',
    settings: { maxTurns: 4 },
    controls: { rule: 'mt-ppo', searchCost: 0 },
  },
  {
    name: 'two-hops',
    title: 'Two hops',
    shows:
      'The first search finds a person, the second asks about that person. In one run (seed 1) MT-PPO learns both, and ' +
      'PPO-OR loses the tool (Lab: T9).',
    world: 'open',
    settings: { maxTurns: 4, hops: 2 },
    controls: { rule: 'mt-ppo' },
  },
  {
    name: 'igpo',
    title: 'IGPO: after reading is learned',
    shows:
      'MT-GRPO until step 60. Then IGPO rewards turns that make the right answer more probable. In one run (seed 1) the ' +
      'tool stays; with IGPO alone it is lost.',
    world: 'open',
    controls: { rule: 'mt-grpo' },
    schedule: [{ step: 60, changes: { rule: 'igpo' } }],
  },
  {
    name: 'vineppo',
    title: 'VinePPO: measured values',
    shows:
      'Four continuations from before each turn measure its value. In one run (seed 1) tool use drops to zero ' +
      'under the measured credit.',
    world: 'open',
    controls: { rule: 'vineppo' },
  },
];

const textOf = (tokens: readonly PicturedToken[]) => tokens.map(({ text }) => text).join(' ');

/**
 * Returns the box of a turn: an executed search with its document, a skipped or malformed call, or the answer. The
 * environment evaluates the last turn as an answer even if it is malformed.
 */
function searchBox({ turn, written, reply }: PicturedTurn): TurnBox {
  const [verb = ''] = (turn.action ?? '').split(' ');
  const isLast = turn.outcome !== undefined;
  if (isLast) {
    if (verb !== 'answer') return { kind: 'malformed', text: 'broken answer' };
    return { kind: 'plain', text: textOf(written.filter(({ kind }) => kind === 'value')) };
  }
  if (verb === 'skip') return { kind: 'skipped', text: 'from memory' };
  if (verb !== 'search') return { kind: 'malformed', text: 'broken call' };
  const query = written.filter(({ kind }) => kind === 'relation' || kind === 'entity');
  // A search for the question itself is the usual case, so its box does not show the query.
  const isQuestion = turn.action === `search ${turn.state}`;
  return { kind: 'action', text: isQuestion ? 'search' : textOf(query), reply: fact(query, reply) };
}

/** Returns the document's value for the relation of a query. */
function fact(query: readonly PicturedToken[], document: readonly PicturedToken[]): string {
  const relation = query.find(({ kind }) => kind === 'relation');
  const at = document.findIndex(({ kind, text }) => kind === 'relation' && text === relation?.text);
  if (at >= 0) return document[at + 1]?.text ?? 'nothing';
  return document.some(({ kind }) => kind === 'relation') ? 'another fact' : 'nothing';
}

/** Descriptor of the search environment (docs/reference/search.md). */
export const search: EnvironmentDescriptor<'search'> = {
  name: 'search',
  title: 'Search',
  sentence: 'A tiny agent answers questions. It may search first. Who gets the credit?',
  settings: SEARCH_SETTINGS,
  worlds: SEARCH_WORLDS,
  afterWarmStart: [],
  addedSettings: ['known', 'stale', 'hops'],
  rewards: SEARCH_REWARDS,
  turns: 'steps',
  trees: true,
  carries: ['solved', 'state', 'action', 'answerLogProb', 'stateValue'],
  pinned: ['mt-grpo', 'grpo-or', 'grpo-mr'],
  singleTurn: [],
  optional: ['branching'],
  training: {},
  rules: { ppoLambda: 0.95 },
  betas: [0.9, 0.99],
  capacity: { sequences: 256 },
  presets: SEARCH_PRESETS,
  facts: SEARCH_FACTS,
  metrics: SEARCH_METRICS,
  watchedTurns: SEARCH_TURNS,
  firstTurns: SEARCH_FIRST_TURNS,
  watched: {
    skill: { line: 'toolUse', called: 'tool use' },
    answers: { training: 'answer', heldOut: 'heldOut:answer' },
    repeated: { line: 'searches', called: 'searches a rollout', maximum: 2, usual: 1.5, answers: 'answer' },
  },
  rewardModel: true,
  heldOut: SEARCH_HELD_OUT,
  evaluation: {},
  continuations: 256,
  measuredBy: 'rates',
  warmStart: { split: 'train', episodes: 1024 },
  charts: SEARCH_CHARTS,
  comparison: () => import('./searchComparison.ts'),
  terms: { curves: ['decision', 'critic'], group: ['masked', 'searchTokens'] },
  // Among the seeds 1 to 8, the seeds 1, 5 and 7 produce malformed calls under GRPO-OR. With seed 4, the agent skips
  // the search.
  openingSeed: 4,
  story: searchStory,
  tour: async () => (await import('./searchTour.ts')).SEARCH_TOUR,
  // Percent, of ten seeds; `npm run record:bands` writes the file.
  bands: bands as RunBands,
  picture: searchBox,
  legend(question) {
    if (/^\S+: .+, .+\?$/.test(question)) {
      return 'Step by step: a search finds a person, and the next search asks about this person. The answer is a city, such as Quito.';
    }
    if (/^\S+: .+\?$/.test(question)) return 'The answer is a city, such as Quito.';
    return undefined;
  },
};
