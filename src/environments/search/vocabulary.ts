import type { Vocabulary } from '../environment.ts';

/**
 * The 126 tokens of the search world: 14 markup tokens, fillers w0..w7, relations r0..r7, entities e0..e47 and values
 * v0..v47. Checkpoints of warm starts depend on this order. Displayed names are properties of a person for relations,
 * persons for entities, and cities for values.
 */

export const FILLERS = 8;
export const RELATIONS = 8;
export const ENTITIES = 48;
export const VALUES = 48;

/** Token numbers of the markup. */
export const MARKUP = {
  pad: 0,
  question: 1,
  questionEnd: 2,
  think: 3,
  thinkEnd: 4,
  search: 5,
  searchEnd: 6,
  information: 7,
  informationEnd: 8,
  answer: 9,
  answerEnd: 10,
  end: 11,
  error: 12,
  none: 13,
} as const;

const MARKUP_NAMES = [
  '<pad>',
  '<q>',
  '</q>',
  '<think>',
  '</think>',
  '<search>',
  '</search>',
  '<information>',
  '</information>',
  '<answer>',
  '</answer>',
  '<end>',
  'error',
  'none',
] as const;

const RELATION_NAMES = [
  ...['born in', 'lives in', 'works in', 'studied in'],
  ...['grew up in', 'married in', 'moved to', 'travels to'],
] as const;

/** First relation that leads to people, if questions have several hops. */
export const FIRST_LINK = 4;
const LINK_NAMES = ['taught by', 'hired by', 'raised by', 'married to'] as const;

const PEOPLE = [
  ...['Mira', 'Noor', 'Tomas', 'Aiko', 'Ravi', 'Lena', 'Omar', 'Ines', 'Jonas', 'Priya', 'Kofi', 'Elif'],
  ...['Hugo', 'Yuna', 'Amara', 'Pavel', 'Leila', 'Diego', 'Freya', 'Chen', 'Nadia', 'Emil', 'Zara', 'Luis'],
  ...['Hana', 'Bilal', 'Greta', 'Tariq', 'Olga', 'Samir', 'Ida', 'Mateo', 'Wanda', 'Idris', 'Clara', 'Viktor'],
  ...['Anika', 'Joao', 'Selma', 'Kenji', 'Rosa', 'Malik', 'Tilda', 'Bruno', 'Esra', 'Ivan', 'Lucia', 'Tove'],
] as const;

const CITIES = [
  ...['Oslo', 'Lima', 'Quito', 'Cairo', 'Paris', 'Tokyo', 'Delhi', 'Lagos', 'Seoul', 'Turin', 'Porto', 'Bergen'],
  ...['Riga', 'Sofia', 'Accra', 'Hanoi', 'Tunis', 'Dakar', 'Milan', 'Leeds', 'Osaka', 'Perth', 'Miami', 'Boston'],
  ...[
    'Dublin',
    'Prague',
    'Vienna',
    'Berlin',
    'Madrid',
    'Athens',
    'Ankara',
    'Tehran',
    'Havana',
    'Bogota',
    'Nairobi',
    'Harare',
  ],
  ...[
    'Lusaka',
    'Manila',
    'Jakarta',
    'Colombo',
    'Kyoto',
    'Geneva',
    'Zagreb',
    'Tallinn',
    'Vilnius',
    'Krakow',
    'Lisbon',
    'Naples',
  ],
] as const;

export const FIRST_FILLER = MARKUP_NAMES.length;
export const FIRST_RELATION = FIRST_FILLER + FILLERS;
export const FIRST_ENTITY = FIRST_RELATION + RELATIONS;
export const FIRST_VALUE = FIRST_ENTITY + ENTITIES;
export const VOCABULARY_SIZE = FIRST_VALUE + VALUES;

/** Tokens that end a turn when the policy writes them. */
export const STOP_TOKENS: readonly number[] = [MARKUP.searchEnd, MARKUP.answerEnd, MARKUP.end];

export type TokenKind = 'markup' | 'filler' | 'relation' | 'entity' | 'value';

/**
 * Returns the kind of a token.
 * @throws {RangeError} for a number that is not a token
 */
export function tokenKind(token: number): TokenKind {
  if (!Number.isInteger(token) || token < 0 || token >= VOCABULARY_SIZE) {
    throw new RangeError(`${token} is not a token of the search world (0 to ${VOCABULARY_SIZE - 1})`);
  }
  if (token < FIRST_FILLER) return 'markup';
  if (token < FIRST_RELATION) return 'filler';
  if (token < FIRST_ENTITY) return 'relation';
  return token < FIRST_VALUE ? 'entity' : 'value';
}

/** Returns true for markup and filler words, which the retriever ignores. */
export function isIgnoredToken(token: number): boolean {
  return token < FIRST_RELATION;
}

const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index}`);

/** Short names of the tokens, [126], which never change. States and actions consist of these names. */
export const SEARCH_CODES: readonly string[] = [
  ...MARKUP_NAMES,
  ...numbered('w', FILLERS),
  ...numbered('r', RELATIONS),
  ...numbered('e', ENTITIES),
  ...numbered('v', VALUES),
];

const vocabulary = (relations: readonly string[]): Vocabulary => ({
  size: VOCABULARY_SIZE,
  names: [...MARKUP_NAMES, ...numbered('w', FILLERS), ...relations, ...PEOPLE, ...CITIES],
  kind: tokenKind,
});

export const SEARCH_VOCABULARY = vocabulary(RELATION_NAMES);

/** The same tokens for questions with several hops: half of the relations lead to people. */
export const LINKED_VOCABULARY = vocabulary([...RELATION_NAMES.slice(0, FIRST_LINK), ...LINK_NAMES]);

/** Returns tokens as text with their short names: "r3 e17". */
export function spell(tokens: readonly number[]): string {
  return tokens.map((token) => SEARCH_CODES[token] ?? `?${token}`).join(' ');
}

/** Returns tokens as text with their displayed names: "born in Mira". */
export function formatSearchTokens(tokens: readonly number[], { names } = SEARCH_VOCABULARY): string {
  return tokens.map((token) => names[token] ?? `?${token}`).join(' ');
}

/** Result of parsing a turn: the value, or the reason of the failure. The reason follows "malformed call: ". */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string };

const MAX_FILLERS = 4;
const MAX_QUERY_TOKENS = 4;

const fail = (reason: string): Parsed<never> => ({ ok: false, reason });
const isFiller = (token: number | undefined) => token !== undefined && token >= FIRST_FILLER && token < FIRST_RELATION;

/** Parses `<think> w{0..4} </think>`. Returns the index after it. */
export function parseReasoning(tokens: readonly number[]): Parsed<number> {
  if (tokens[0] !== MARKUP.think) return fail('it does not start with <think>');
  let next = 1;
  while (isFiller(tokens[next])) next++;
  if (next - 1 > MAX_FILLERS) return fail(`more than ${MAX_FILLERS} filler words`);
  if (tokens[next] !== MARKUP.thinkEnd) return fail('the thought is not closed by </think>');
  return { ok: true, value: next + 1 };
}

/**
 * Parses the start of a turn. A turn that reached its token limit has no stop token, so it is malformed regardless of
 * its text.
 */
function parseOpening(tokens: readonly number[]): Parsed<number> {
  const last = tokens.at(-1);
  if (last === undefined || !STOP_TOKENS.includes(last)) return fail('it reached the token limit');
  return parseReasoning(tokens);
}

/**
 * Parses `<think> w{0..4} </think> <search> x{1..4} </search>` and returns the query. x is any token except markup. The
 * function does not check the token limit of the turn.
 */
export function parseSearch(tokens: readonly number[]): Parsed<readonly number[]> {
  const reasoning = parseOpening(tokens);
  if (!reasoning.ok) return reasoning;
  if (tokens[reasoning.value] !== MARKUP.search) return fail('no <search> after the thought');
  if (tokens.at(-1) !== MARKUP.searchEnd) return fail('the query is not closed by </search>');
  const query = tokens.slice(reasoning.value + 1, -1);
  if (query.length === 0) return fail('the query is empty');
  if (query.length > MAX_QUERY_TOKENS) return fail(`the query has more than ${MAX_QUERY_TOKENS} tokens`);
  if (query.some((token) => token < FIRST_FILLER)) return fail('markup in the query');
  return { ok: true, value: query };
}

/** Parses `<think> w{0..4} </think> <answer> value </answer>`. Returns the value token. */
export function parseAnswer(tokens: readonly number[]): Parsed<number> {
  const reasoning = parseOpening(tokens);
  if (!reasoning.ok) return reasoning;
  const start = reasoning.value;
  if (tokens[start] !== MARKUP.answer) return fail('no <answer> after the thought');
  const value = tokens[start + 1];
  if (value === undefined || value < FIRST_VALUE) return fail('no value after <answer>');
  if (tokens.length !== start + 3 || tokens[start + 2] !== MARKUP.answerEnd) {
    return fail('the value is not followed by </answer>');
  }
  return { ok: true, value };
}

/**
 * Returns `<q> relation entity </q>`. Arguments are numbers, not tokens. With several hops the last relation is first,
 * as in "the birthplace of the teacher of Mira".
 * @param relations relations in the order in which they are followed
 */
export function questionTokens(relations: readonly number[], entity: number): number[] {
  const relationTokens = relations.toReversed().map((relation) => FIRST_RELATION + relation);
  return [MARKUP.question, ...relationTokens, FIRST_ENTITY + entity, MARKUP.questionEnd];
}

/** Returns the tokens that the environment writes between two turns. */
export function replyTokens(content: readonly number[]): number[] {
  return [MARKUP.information, ...content, MARKUP.informationEnd];
}

/** Tokens that decide in turn 1 to search, to skip the tool, or to answer. */
export const DECISION_TOKENS = { search: MARKUP.search, skip: MARKUP.end, answer: MARKUP.answer } as const;

/** Returns the index of the first decision token among the written tokens of turn 1; -1 if the turn has no such token. */
export function decisionIndex(tokens: readonly number[]): number {
  const deciding: readonly number[] = Object.values(DECISION_TOKENS);
  return tokens.findIndex((token) => deciding.includes(token));
}

/**
 * Returns the action of a turn, as a credit rule compares it (Turn.action). Thoughts and fillers are omitted. Queries
 * with the same bag of words are one action, because the retriever ignores the order. All malformed turns are one
 * action.
 *
 * Examples: `search e17 r3`, `answer v5`, `skip`, `malformed`.
 */
export function actionSignature(tokens: readonly number[]): string {
  const call = parseSearch(tokens);
  if (call.ok) {
    const terms = call.value.filter((token) => !isIgnoredToken(token)).sort((a, b) => a - b);
    return ['search', ...terms.map((token) => spell([token]))].join(' ');
  }
  const answer = parseAnswer(tokens);
  if (answer.ok) return `answer ${spell([answer.value])}`;
  return skips(tokens) ? 'skip' : 'malformed';
}

/** Returns true if a turn without a well-formed call ends without an attempt at one. */
export function skips(tokens: readonly number[]): boolean {
  return !tokens.includes(MARKUP.search) && tokens.at(-1) === MARKUP.end;
}
