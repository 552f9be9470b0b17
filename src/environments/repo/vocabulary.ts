import type { Vocabulary } from '../environment.ts';

/**
 * Functions of the repositories: 14 families. Each is a function of a list `x` and a number `k` in two statements. A
 * token of the code represents several Python tokens, with `_` for a space. `{right|wrong|wrong}` is a choice site,
 * which is always one separate token. Its first option is the canonical one.
 */
const FAMILIES = {
  count: ['t= {0|1|2}', 'return_t+sum(v {>|>=|<} k_for_v_in_x)'],
  total: ['t= {0|1|2}', 'return_t {+|-|*} sum(x)'],
  keep: ['y=[v_for_v_in_x_if_v {>=|>|<} k]', 'return {len|sum|max} (y+[0])'],
  top: ['m= {max|min|sum} (x)', 'return_m {+|-|*} k'],
  gap: ['a= {max|min|sum} (x)', 'return_a {-|+|*} x[0]'],
  clip: ['y=[ {min|max} (v,k)_for_v_in_x]', 'return {sum|len|max} (y)'],
  tail: ['y=x[ {1|0|2} :]', 'return {sum|len|max} (y+[k])'],
  pair: ['y=[a {*|+|-} b_for_a,b_in_zip(x,x[1:])]', 'return {max|sum|min} (y+[0])'],
  mean: ['s= {sum|max|len} (x)', 'return_s// {len|max|sum} (x)'],
  even: ['y=[v_for_v_in_x_if_v% {2|3|1} ==0]', 'return {len|sum|max} (y_or[0])'],
  scale: ['t=k {*|+|-} 3', 'return_t+ {len|max|min} (x)'],
  span: ['n= {len|sum|max} (x)', 'return_n- {1|0|2}'],
  last: ['i= {1|0|2}', 'return_x[-i] {-|+|*} k'],
  power: ['y=[v {*|+|-} v_for_v_in_x]', 'return {sum|min|max} (y)'],
} as const;

/** Token, or the options of a choice site. */
export type Piece = string | readonly string[];
/** Two statements, which are also the two parts of a file that can be viewed. */
export type Statements<Item> = readonly [readonly Item[], readonly Item[]];

function parse(statement: string): Piece[] {
  return statement.split(' ').map((term) => (term.startsWith('{') ? term.slice(1, -1).split('|') : term));
}

/** Names of the families, which are the names of their functions. */
export const FUNCTIONS: readonly string[] = Object.keys(FAMILIES);
export const TEMPLATES: ReadonlyMap<string, Statements<Piece>> = new Map(
  Object.entries(FAMILIES).map(([name, [first, second]]) => [name, [parse(first), parse(second)]]),
);

/** Name of the function that calls two helpers: `a= F` and `return_a + G`. Its only site is the operator. */
export const APP = 'app';
export const APP_FILE = 'app.py';
export const APP_SITE: readonly string[] = ['+', '-', '*'];
export const appStatements = (first: string, second: string): Statements<string> => [
  ['a=', first],
  ['return_a', APP_SITE[0], second],
];

/** File names of helpers. */
export const HELPER_FILES: readonly string[] = [
  'core.py',
  'util.py',
  'calc.py',
  'data.py',
  'lib.py',
  'ops.py',
  'base.py',
];

const pieces = [...TEMPLATES.values()].flat(2);
/** Choice sites of all families. */
export const SITES: readonly (readonly string[])[] = pieces.filter((piece) => typeof piece !== 'string');
/** All options of choice sites, sorted. */
export const OPTIONS: readonly string[] = [...new Set(SITES.flat())].sort();
/** All tokens of code, sorted, except numbers. */
export const CODE: readonly string[] = [
  ...new Set([...pieces.filter((piece) => typeof piece === 'string'), ...OPTIONS, 'a=', 'return_a', ...APP_SITE]),
]
  .filter((token) => !/^\d$/.test(token))
  .sort();

/** Returns the tokens that can be confused with a token: the other options of every site that contains it, sorted. */
export function alternatives(token: string): readonly string[] {
  const candidates = SITES.filter((site) => site.includes(token)).flat();
  return [...new Set(candidates)].filter((option) => option !== token).sort();
}

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

/**
 * Tool call with its arguments, or `malformed` for a token that is not a tool and for missing arguments. The arguments
 * can still be invalid; the episode checks them.
 */
export interface Action {
  readonly tool: Tool | 'malformed';
  /** Names of the argument tokens. For a malformed action, names of all written tokens. */
  readonly args: readonly string[];
}

/**
 * Parses the tokens of a turn.
 * @throws {RangeError} for a number that is not a token, for no tokens, and for more tokens than the first one permits
 */
export function parseAction(tokens: readonly number[]): Action {
  const [tool, ...args] = tokens.map(tokenName);
  if (tool === undefined) throw new RangeError('an action has no tokens');
  const limit = ACTION_LENGTHS[tokens[0]];
  if (tokens.length > limit) {
    throw new RangeError(`an action that begins with "${tool}" has ${limit} tokens, not ${tokens.length}`);
  }
  if (isTool(tool) && args.length === ARITY[tool]) return { tool, args };
  return { tool: 'malformed', args: [tool, ...args] };
}
