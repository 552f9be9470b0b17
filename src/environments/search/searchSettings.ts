import type { ParameterTable, ParameterValues } from '../../parameters/parameters.ts';
import { ParameterError, readParameters } from '../../parameters/parameters.ts';
import { seedParameter, WARM_SEED } from '../shared/settings.ts';

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
export interface SearchSettings {
  readonly knownShare: number;
  readonly known: 'any' | 'asked';
  readonly stale: number;
  readonly hallucinate: number;
  readonly maxTurns: number;
  readonly hops: number;
  readonly worldSeed: number;
  readonly warmSeed: number;
}

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
