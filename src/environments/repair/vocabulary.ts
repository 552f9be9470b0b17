import type { Vocabulary } from '../environment.ts';

/** Tokens of the repair environment: Python code, values in feedback, and words of prompts. */

const SPECIALS = ['<pad>', '<p>', '<c>', '<eos>', '<fb>', 'in:', 'want', 'got', 'BIG', 'other', 'neg', ';'] as const;
const BLOCKS = ['NL', 'IND', 'DED'];
const NAMES = ['a', 'b', 'k', 'n', 's', 't', 'x', 'y', 'i', 'm'];
const KEYWORDS = ['for', 'in', 'if', 'else', 'while', 'return', 'not', 'and', 'or', 'True', 'False', 'None'];
const OPERATORS = [
  ...['=', '==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '//', '%', '+=', '-=', '*=', '//='],
  ...['(', ')', '[', ']', ',', ':'],
];
const BUILTINS = ['len', 'sum', 'max', 'min', 'abs', 'range', 'sorted', 'set', 'zip', '.append', '.count', 'list'];
const INTEGERS = Array.from({ length: 21 }, (_, value) => String(value));
const STRINGS = ['', 'a', 'b', 'c', 'd', 'e', 'A', 'aeiou'].map((text) => `"${text}"`);
/** Tokens of 20 to 90, the first of two tokens of a number: `T4 2` is 42. */
const TENS = Array.from({ length: 8 }, (_, index) => `T${index + 2}`);
/** Characters of strings in feedback. */
const CHARACTERS = [...'abcdeuxAB'].map((character) => `~${character}`);
/** Exception names in feedback for a program that did not return. OtherError represents all other exceptions. */
export const EXCEPTIONS = [
  ...['SyntaxError', 'NameError', 'TypeError', 'IndexError', 'ZeroDivisionError', 'ValueError', 'AttributeError'],
  ...['UnboundLocalError', 'Timeout', 'OtherError'],
];
/** Parameters of the function that a problem requests. */
export const SIGNATURES = {
  a: ['a'],
  ak: ['a', 'k'],
  ab: ['a', 'b'],
  n: ['n'],
  nk: ['n', 'k'],
  s: ['s'],
} as const satisfies Record<string, readonly string[]>;
export type Signature = keyof typeof SIGNATURES;

const PROMPT_TERMS =
  `sum count keep drop first last any all index squares double of even odd positive negative nonzero greater less
than least most at multiple above below equal to largest smallest spread mean clamp every from second running maximum total
unique differences absolute rises falls sorted ascending descending strictly take skip rotate left right kth value dot pairwise
product order frequency digits number gcd prime factorial fibonacci divisors up collatz steps power string char vowels reverse palindrome
remove replace with repeat letter else list minimum elements negate add scale swap ends is both lists middle`
    .split(/\s+/)
    .map((term) => `w_${term}`);

/** Tokens of programs that also occur in prompts. */
const PLAIN_TERMS = new Set([...INTEGERS, ...STRINGS, 'None', 'neg']);

const CODE = [...BLOCKS, ...NAMES, ...KEYWORDS, ...OPERATORS, ...BUILTINS, ...INTEGERS, ...STRINGS];
const SIGNATURE_NAMES = Object.values(SIGNATURES).map((parameters) => `def(${parameters.join(',')})`);
const PLAIN = [...SPECIALS, ...CODE, ...TENS, ...CHARACTERS, ...EXCEPTIONS, ...SIGNATURE_NAMES, ...PROMPT_TERMS];
/** Kinds of text that an edit inserts into a line or removes from it. */
export const EDIT_KINDS = ['operator', 'condition', 'constant', 'variable', 'call', 'structure'] as const;
/**
 * Tokens of reflections. They follow all tokens above, so that these have the same numbers with and without
 * reflections.
 */
const REFLECTION = ['<reflect>', '<program>', ...EDIT_KINDS, 'drop', 'same', 'more'];
/** Last token, which requests tests. */
const VERIFICATION = ['<test>'];
const TOKENS = [...PLAIN, ...REFLECTION, ...VERIFICATION];
const NUMBERS: ReadonlyMap<string, number> = new Map(TOKENS.map((token, number) => [token, number]));
const CODE_NUMBERS = new Set(CODE.map(tokenNumber));

/**
 * Returns the number of a token.
 * @throws {RangeError} for an unknown token; the message names it
 */
export function tokenNumber(token: string): number {
  const number = NUMBERS.get(token);
  if (number === undefined) throw new RangeError(`the repair environment has no token "${token}"`);
  return number;
}

/** Returns true if the vocabulary has this token. */
export function isToken(token: string): boolean {
  return NUMBERS.has(token);
}

/** Returns true if a token may occur in a program. */
export function isCode(token: number): boolean {
  return CODE_NUMBERS.has(token);
}

export const PROMPT = tokenNumber('<p>');
export const COMPLETE = tokenNumber('<c>');
export const END = tokenNumber('<eos>');
export const FEEDBACK = tokenNumber('<fb>');
/** Token in place of `<c>` at the end of a prompt. It requests a reflection before the program. */
export const REFLECT = tokenNumber('<reflect>');
/** Token between a reflection and its program. */
export const PROGRAM = tokenNumber('<program>');

/** Token in place of `<c>` at the end of a prompt. It requests tests of the program before it. */
export const VERIFY = tokenNumber('<test>');

/** Returns the token of a prompt word. Numbers, characters and `neg` have no prefix. */
export function promptToken(term: string): number {
  return tokenNumber(isToken(`w_${term}`) ? `w_${term}` : term);
}

/** Returns true if a word may occur in a prompt. */
export function isPromptTerm(term: string): boolean {
  return isToken(`w_${term}`) || (isToken(term) && PLAIN_TERMS.has(term));
}

export function signatureToken(signature: Signature): number {
  return tokenNumber(`def(${SIGNATURES[signature].join(',')})`);
}

const DISPLAY_NAMES = TOKENS.map((token) => token.replace(/^w_/, ''));

function kindOf(token: number): string {
  if (token < SPECIALS.length) return 'markup';
  if (CODE_NUMBERS.has(token)) return 'code';
  const name = TOKENS[token];
  if (VERIFICATION.includes(name)) return 'markup';
  if (REFLECTION.includes(name)) return name.startsWith('<') ? 'markup' : 'word';
  if (name.startsWith('w_') || name.startsWith('def(')) return 'word';
  return EXCEPTIONS.includes(name) ? 'error' : 'value';
}

/** Vocabulary of programs and feedback, 227 tokens. */
export const REPAIR_VOCABULARY: Vocabulary = {
  size: PLAIN.length,
  names: DISPLAY_NAMES.slice(0, PLAIN.length),
  kind: kindOf,
};

/** The same vocabulary, followed by the 11 tokens of reflections. */
export const REFLECTING_VOCABULARY: Vocabulary = {
  size: PLAIN.length + REFLECTION.length,
  names: DISPLAY_NAMES.slice(0, PLAIN.length + REFLECTION.length),
  kind: kindOf,
};

/** Vocabulary of all tokens. `<test>` follows the tokens of reflections, which are unused if tests are written. */
export const VERIFYING_VOCABULARY: Vocabulary = { size: TOKENS.length, names: DISPLAY_NAMES, kind: kindOf };

/** Returns tokens as text: "t = 0 NL for x in a". */
export function spell(tokens: readonly number[]): string {
  return tokens.map((token) => DISPLAY_NAMES[token] ?? `?${token}`).join(' ');
}
