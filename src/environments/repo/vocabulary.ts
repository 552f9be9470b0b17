import type { Vocabulary } from '../environment.ts';
import { APP, APP_FILE, CODE, FUNCTIONS, HELPER_FILES } from './families.ts';

/**
 * The 107 tokens of the repository world consist of these and of SECTIONS, in this order. Checkpoints of warm starts
 * depend on the order.
 */
const MARKUP = ['<pad>', '<issue>', '<repo>', '<a>', '<o>'] as const;

/** Number of arguments of each tool. */
export const ARITY = {
  view: 2,
  search: 1,
  modify: 3,
  create: 1,
  execute: 1,
  test: 0,
  think: 0,
  finish: 0,
} as const;
export type Tool = keyof typeof ARITY;
export const TOOLS = Object.keys(ARITY) as readonly Tool[];
/** Maximum number of tokens of an action. */
export const LONGEST_ACTION = 4;

/** Part of a file that is viewed: the entire file, or its first or second statement. */
export const SCOPES = ['full', 'p1', 'p2'] as const;
export type Scope = (typeof SCOPES)[number];

const RESULTS = ['ok', 'error', 'pass', 'fail', 'none', 'high', 'low', 'crash', '|'] as const;
/** All possible file names. */
export const FILES: readonly string[] = [APP_FILE, ...HELPER_FILES];
const DIGITS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
const NUMBERS = [...DIGITS, 'big', 'neg'];

const SECTIONS: readonly (readonly [string, readonly string[]])[] = [
  ['markup', MARKUP],
  ['tool', TOOLS],
  ['scope', SCOPES],
  ['result', RESULTS],
  ['file', FILES],
  ['function', [APP, ...FUNCTIONS]],
  ['number', NUMBERS],
  ['code', CODE],
];
const TOKENS = SECTIONS.flatMap(([, names]) => names);
const KINDS = SECTIONS.flatMap(([kind, names]) => names.map(() => kind));
const TOKEN_NUMBERS: ReadonlyMap<string, number> = new Map(TOKENS.map((name, number) => [name, number]));

/** Tokens that an edit can write into a file. */
const EDITABLE: ReadonlySet<string> = new Set([...CODE, ...DIGITS, ...FUNCTIONS]);

export const REPO_VOCABULARY: Vocabulary = {
  size: TOKENS.length,
  names: TOKENS,
  kind(token) {
    const kind = KINDS[token];
    if (kind === undefined) {
      throw new RangeError(`${token} is not a token of the repository world (0 to ${TOKENS.length - 1})`);
    }
    return kind;
  },
};

/**
 * Returns the number of a token.
 * @throws {RangeError} for an unknown token; the message names it
 */
export function tokenNumber(name: string): number {
  const number = TOKEN_NUMBERS.get(name);
  if (number === undefined) throw new RangeError(`the repository world has no token "${name}"`);
  return number;
}

/**
 * Returns the name of a token.
 * @throws {RangeError} for a number that is not a token
 */
export function tokenName(token: number): string {
  REPO_VOCABULARY.kind(token);
  return TOKENS[token];
}

export function isTool(name: string): name is Tool {
  return Object.hasOwn(ARITY, name);
}

export function isScope(name: string): name is Scope {
  return (SCOPES as readonly string[]).includes(name);
}

/** Returns true if an edit can write this token into a file. */
export function isEditable(name: string): boolean {
  return EDITABLE.has(name);
}

/** Returns true if a search for this token is valid. */
export function isSearchable(name: string): boolean {
  return name === APP || EDITABLE.has(name);
}

/**
 * Number of tokens of an action by its first token, [107]. A token that is not a tool is an invalid action of one
 * token.
 */
export const ACTION_LENGTHS: readonly number[] = TOKENS.map((name) => 1 + (isTool(name) ? ARITY[name] : 0));

/** Returns tokens as text. */
export function spell(tokens: readonly number[]): string {
  return tokens.map(tokenName).join(' ');
}
