import type { Vocabulary } from '../environment.ts';
import { APP, APP_FILE, CODE, FUNCTIONS, HELPER_FILES } from './families.ts';

/** The 107 tokens of the repository world, in this order. Checkpoints of warm starts depend on the order. */
const MARKUP = ['<pad>', '<issue>', '<repo>', '<a>', '<o>'] as const;

/** Tools, and how many arguments each takes. */
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
/** Most tokens of an action. */
export const LONGEST_ACTION = 4;

/** Part of a file that is viewed: all of it, or its first or second statement. */
export const SCOPES = ['full', 'p1', 'p2'] as const;
export type Scope = (typeof SCOPES)[number];

const RESULTS = ['ok', 'error', 'pass', 'fail', 'none', 'high', 'low', 'crash', '|'] as const;
/** All names that files have. */
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

/** Tokens that an edit may write into a file. */
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

/** Number of a token. @throws {RangeError} naming a token that there is not */
export function tokenNumber(name: string): number {
  const number = TOKEN_NUMBERS.get(name);
  if (number === undefined) throw new RangeError(`the repository world has no token "${name}"`);
  return number;
}

/** Name of a token. @throws {RangeError} for a number that is no token */
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

/** True if an edit may write this token into a file. */
export function isEditable(name: string): boolean {
  return EDITABLE.has(name);
}

/** True if a search for this token is possible. */
export function isSearchable(name: string): boolean {
  return name === APP || EDITABLE.has(name);
}

/**
 * [107]: tokens of an action that begins with each token. A token that is not a tool is a separate action, which is
 * invalid.
 */
export const ACTION_LENGTHS: readonly number[] = TOKENS.map((name) => 1 + (isTool(name) ? ARITY[name] : 0));

/** Tokens as people read them. */
export function spell(tokens: readonly number[]): string {
  return tokens.map(tokenName).join(' ');
}
