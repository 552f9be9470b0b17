/**
 * The functions that repositories are made of: 14 families, each a function of a list `x` and a number `k` in two
 * statements. Code is stored in tokens of several Python tokens each, `_` for a space. `{right|wrong|wrong}` is a
 * choice site: its first option is the canonical one, and a site is always one separate token.
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

/** A token, or the options of a choice site. */
export type Piece = string | readonly string[];
/** Two statements, which are also the two parts that a file can be viewed in. */
export type Statements<Item> = readonly [readonly Item[], readonly Item[]];

function parse(statement: string): Piece[] {
  return statement.split(' ').map((term) => (term.startsWith('{') ? term.slice(1, -1).split('|') : term));
}

/** Names of the families, which are the names of their functions. */
export const FUNCTIONS: readonly string[] = Object.keys(FAMILIES);
export const TEMPLATES: ReadonlyMap<string, Statements<Piece>> = new Map(
  Object.entries(FAMILIES).map(([name, [first, second]]) => [name, [parse(first), parse(second)]]),
);

/** The function that uses two of the helpers: `a= F` and `return_a + G`, its one site the operator. */
export const APP = 'app';
export const APP_FILE = 'app.py';
export const APP_SITE: readonly string[] = ['+', '-', '*'];
export const appStatements = (first: string, second: string): Statements<string> => [
  ['a=', first],
  ['return_a', APP_SITE[0], second],
];

/** Names that the files of helpers have. */
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
/** Every option of a choice site, sorted. */
export const OPTIONS: readonly string[] = [...new Set(SITES.flat())].sort();
/** Every token of code, sorted; numbers are not among them. */
export const CODE: readonly string[] = [
  ...new Set([...pieces.filter((piece) => typeof piece === 'string'), ...OPTIONS, 'a=', 'return_a', ...APP_SITE]),
]
  .filter((token) => !/^\d$/.test(token))
  .sort();

/** Tokens that a token may be mistaken for: the other options of every site that has it, sorted. */
export function alternatives(token: string): readonly string[] {
  const candidates = SITES.filter((site) => site.includes(token)).flat();
  return [...new Set(candidates)].filter((option) => option !== token).sort();
}
