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
