import {
  type ChoiceParameter,
  type NumberParameter,
  ParameterError,
  type ParameterTable,
  type ParameterValues,
  pickParameters,
  readParameters,
  type StoredValues,
} from '../../parameters/parameters.ts';
import { UNRELIABLE } from '../environment.ts';
import { rewardParameter, seedParameter, WARM_SEED } from '../shared/settings.ts';

/** Settings of the world and its warm start. They are fixed from the first step of a run. */
export const SEARCH_SETTINGS = [
  {
    kind: 'number',
    name: 'knownShare',
    label: 'Known facts',
    default: 0.4,
    min: 0,
    max: 1,
    step: 0.05,
    help:
      'Share of the facts that the policy has memorized. The higher the share, the less a search is worth. A question of ' +
      'several hops is known if all its facts are.',
  },
  {
    kind: 'choice',
    name: 'known',
    label: 'Known are',
    default: 'any',
    options: ['any', 'asked'],
    help:
      'Facts that "Known facts" is a share of. any: all facts. asked: only facts that training questions are about, so new ' +
      'questions can be answered only with the tool.',
  },
  {
    kind: 'number',
    name: 'stale',
    label: 'Outdated facts',
    default: 0,
    min: 0,
    max: 1,
    step: 0.05,
    help: 'Share of the facts that have an outdated value in the documents.',
  },
  {
    kind: 'number',
    name: 'hallucinate',
    label: 'Hallucination',
    default: 0.7,
    min: 0,
    max: 1,
    step: 0.05,
    help: 'Share of demonstrations that ignore their document and answer a random value instead.',
  },
  {
    kind: 'number',
    name: 'maxTurns',
    label: 'Turns',
    default: 2,
    min: 2,
    max: 6,
    step: 1,
    integer: true,
    help:
      '2: one call, then the answer. 3 to 6: every turn searches or answers, documents hold 3 facts, and an ' +
      'executed call has no reward.',
  },
  {
    kind: 'number',
    name: 'hops',
    label: 'Hops',
    default: 1,
    min: 1,
    max: 3,
    step: 1,
    integer: true,
    help:
      'Facts that lead to the answer. 1: each question is about one fact. 2 or 3: one fact gives the person that the next ' +
      'fact is about; each hop needs a search, so there must be more turns than hops.',
  },
  seedParameter(
    'worldSeed',
    'World seed',
    'Draws the facts, the documents and the split into training and held-out questions.',
  ),
  WARM_SEED,
] as const satisfies ParameterTable;

/** Values of SEARCH_SETTINGS. */
export type SearchSettings = StoredValues<typeof SEARCH_SETTINGS>;

/**
 * Reads settings. Missing ones take their default.
 * @throws {ParameterError} for a value out of range, a name that the table lacks, or more hops than turns that can
 *   search
 */
export function searchSettings(values: ParameterValues): SearchSettings {
  const settings = readParameters(SEARCH_SETTINGS, values);
  const { hops, maxTurns } = settings;
  if (hops >= maxTurns) {
    throw new ParameterError(
      'hops',
      `hops: a question of ${hops} hops needs ${hops} searches and an answer, so maxTurns must be ${hops + 1} or more; it is ${maxTurns}`,
    );
  }
  return settings;
}

/** Maximum number of tokens: `CALL_LIMIT` of a turn that may search, `ANSWER_LIMIT` of the last turn. */
export const CALL_LIMIT = 10;
export const ANSWER_LIMIT = 9;
/** Number of tokens of a question with one hop. */
const PROMPT_LENGTH = 4;

/** Returns the number of facts in a document: 4, or 3 if several searches are allowed. */
export function factsPerDocument(maxTurns: number): number {
  return maxTurns > 2 ? 3 : 4;
}

/**
 * Returns the maximum number of tokens of an episode, rounded up to a multiple of 4. With one hop, it is 36 for two
 * turns, 52 for three, 72 for four and 108 for six.
 */
export function contextLength({ maxTurns, hops }: Pick<SearchSettings, 'maxTurns' | 'hops'>): number {
  const reply = 2 + 1 + 2 * factsPerDocument(maxTurns);
  const longest = PROMPT_LENGTH + hops - 1 + (maxTurns - 1) * (CALL_LIMIT + reply) + ANSWER_LIMIT;
  return Math.ceil(longest / 4) * 4;
}

/** Control for the source of the rewards of turns before the last one. */
export const TURN_REWARD = {
  kind: 'choice',
  name: 'turnReward',
  label: 'Turn reward source',
  default: 'rules',
  options: ['rules', 'judge', 'unreliable'],
  optionLabels: { rules: 'rule-based', judge: 'judge model', unreliable: 'biased judge' },
  help:
    'Source of the rewards of turns before the last. Rule-based (rules): the rewards above. Judge model (judge): a learned ' +
    'model that does not have the answer. Biased judge (unreliable): a judge trained on wrong comparisons. A judge takes 0.4 MB.',
} as const satisfies ChoiceParameter;

/** Controls for the label errors with which the biased judge is trained. */
export const UNRELIABILITY = [
  {
    kind: 'number',
    name: 'judgeNoise',
    label: 'Judge: noise',
    default: UNRELIABLE.noise,
    min: 0,
    max: 0.5,
    step: 0.05,
    help:
      'Biased judge: share of its training pairs in the wrong order. At 0.5 the pairs contain no information. The ' +
      'terminal trains judges with other values than the default.',
  },
  {
    kind: 'number',
    name: 'judgeBias',
    label: 'Judge: bias',
    default: UNRELIABLE.bias,
    min: 0,
    max: 1,
    step: 0.05,
    help:
      'Biased judge: weight of answers without a search in the scores of its training pairs, from 0 (true scores) to 1 (this ' +
      'bias alone). The terminal trains judges with other values than the default.',
  },
] as const satisfies readonly NumberParameter[];

/** Reward weights. All of them may change during a run. */
export const SEARCH_CONTROLS = [
  rewardParameter(
    'rewardExecuted',
    'Tool executed',
    0.2,
    'Reward of turn 1 for a well-formed call. There is no such reward in a world of more than two turns, where it would ' +
      'reward repeated searches.',
  ),
  rewardParameter(
    'rewardRetrieved',
    'Answer retrieved',
    0.3,
    'Reward of a search whose document has the answer; with several hops, the answer of the next hop.',
  ),
  rewardParameter('rewardFormat', 'Call well-formed', 0.1, 'Reward of a well-formed call, regardless of its result.'),
  rewardParameter('rewardSkip', 'Tool skipped', -0.2, 'Reward for skipping the tool, and for a malformed call.'),
  {
    ...rewardParameter(
      'searchCost',
      'Search cost',
      0.1,
      'Subtracted once for each search so far: the second search of an episode costs twice this.',
    ),
    symbol: 'λ_s',
    min: 0,
    max: 1,
    step: 0.01,
  },
  rewardParameter('outcomeRight', 'Correct answer', 1, 'Outcome of the correct answer.'),
  rewardParameter('outcomeWrong', 'Incorrect answer', 0.2, 'Outcome of a well-formed answer that is incorrect.'),
  rewardParameter('outcomeMalformed', 'Malformed answer', -1, 'Outcome of an episode without a well-formed answer.'),
] as const satisfies readonly NumberParameter[];

/** Values of SEARCH_CONTROLS. */
export type RewardWeights = StoredValues<typeof SEARCH_CONTROLS>;

/**
 * Selects the reward weights from a run's controls. Other keys are ignored, and missing ones take their default.
 * @throws {ParameterError} for a value out of range
 */
export function rewardWeights(controls: ParameterValues): RewardWeights {
  return pickParameters(SEARCH_CONTROLS, controls);
}

/** Controls that may change during a run. */
export const SEARCH_REWARDS = [...SEARCH_CONTROLS, TURN_REWARD, ...UNRELIABILITY] as const;

/** Properties of a turn that does not end the episode. */
export interface CallFacts {
  /** True if the call is well-formed and the retriever ran it. */
  readonly executed: boolean;
  /** True if its document contains the answer. */
  readonly retrieved: boolean;
  /** Number of executed searches in the episode, including this search. */
  readonly searches: number;
  /** True if several searches are allowed (maxTurns above 2). There is then no reward for an execution. */
  readonly several: boolean;
}

/**
 * Returns the components of an intermediate turn's reward R^I. Every component is always present, so that means over
 * turns are correct.
 */
export function turnComponents(weights: RewardWeights, call: CallFacts): Record<string, number> {
  const { executed } = call;
  return {
    executed: executed && !call.several ? weights.rewardExecuted : 0,
    retrieved: executed && call.retrieved ? weights.rewardRetrieved : 0,
    format: executed ? weights.rewardFormat : 0,
    skip: executed ? 0 : weights.rewardSkip,
    searchCost: executed ? 0 - weights.searchCost * call.searches : 0,
  };
}

export type OutcomeKind = 'right' | 'wrong' | 'malformed';

/** Returns the components of the outcome R^O. One of the three has a value, the others are 0. */
export function outcomeComponents(weights: RewardWeights, outcome: OutcomeKind): Record<string, number> {
  return {
    right: outcome === 'right' ? weights.outcomeRight : 0,
    wrong: outcome === 'wrong' ? weights.outcomeWrong : 0,
    malformed: outcome === 'malformed' ? weights.outcomeMalformed : 0,
  };
}

/** Returns the sum of the components, in their order. */
export function total(components: Readonly<Record<string, number>>): number {
  return Object.values(components).reduce((sum, part) => sum + part, 0);
}
