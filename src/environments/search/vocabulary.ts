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
