import type { Value } from '../../sandbox/types.ts';
import { same } from '../shared/execution.ts';
import { MAX_WRITTEN_TESTS } from './repairSettings.ts';
import type { UnitTest } from './repairTasks.ts';
import { valueTokens } from './values.ts';
import { isToken, SIGNATURES, type Signature, tokenNumber } from './vocabulary.ts';

// Tests that the policy writes, in the format of feedback: `in: [ 5 ; 7 ] want 0`, one test after the other.

/** Test that the policy wrote. */
export interface WrittenTest {
  readonly tokens: readonly number[];
  /**
   * Parsed test; undefined if the text is not valid, for example without a value or with too few arguments. Numbers
   * that feedback shows as BIG are not valid either.
   */
  readonly test: UnitTest | undefined;
}

const [IN, EXPECTED, NEXT, OPEN, CLOSE, NEGATIVE] = ['in:', 'want', ';', '[', ']', 'neg'].map(tokenNumber);
const EMPTY = tokenNumber('""');
const CONSTANTS: ReadonlyMap<number, Value> = new Map<number, Value>([
  [tokenNumber('None'), null],
  [tokenNumber('True'), true],
  [tokenNumber('False'), false],
]);
const ZERO = tokenNumber('0');
const LARGEST_TOKEN = 20;
const DIGITS = 10;
const TENS = Array.from({ length: 8 }, (_, index) => tokenNumber(`T${index + 2}`));
const CHARACTERS: ReadonlyMap<number, string> = new Map(
  [...'abcdeuxAB'].filter((letter) => isToken(`~${letter}`)).map((letter) => [tokenNumber(`~${letter}`), letter]),
);

/** Returns the tokens of a test: `in: ARGS want VALUE`. */
export function testTokens({ args, expected }: UnitTest): readonly number[] {
  const each = args.flatMap((value, index) => [...(index > 0 ? [NEXT] : []), ...valueTokens(value)]);
  return [IN, ...each, EXPECTED, ...valueTokens(expected)];
}

/** Returns true if a test is unchanged after it is written and parsed. */
export function canBeWritten(test: UnitTest, signature: Signature): boolean {
  const read = readTest(testTokens(test), signature);
  return read !== undefined && same([...read.args, read.expected], [...test.args, test.expected]);
}

/**
 * Parses the tests of a verification, at most the first MAX_WRITTEN_TESTS. Each test begins with `in:`. Tokens before
 * the first `in:` are a test that is not valid.
 * @param written tokens without `<eos>`
 */
export function readTests(written: readonly number[], signature: Signature): readonly WrittenTest[] {
  const starts = [...written.keys()].filter((at) => at === 0 || written[at] === IN);
  return starts.slice(0, MAX_WRITTEN_TESTS).map((start, index) => {
    const tokens = written.slice(start, starts[index + 1]);
    return { tokens, test: readTest(tokens, signature) };
  });
}

function readTest(tokens: readonly number[], signature: Signature): UnitTest | undefined {
  const expectedAt = tokens.indexOf(EXPECTED);
  if (tokens[0] !== IN || expectedAt < 0) return undefined;
  const args = splitBy(tokens.slice(1, expectedAt), NEXT).map(readValue);
  const expected = readValue(tokens.slice(expectedAt + 1));
  if (expected === undefined || args.length !== SIGNATURES[signature].length) return undefined;
  return args.every((value) => value !== undefined) ? { args, expected } : undefined;
}

/** Parses all tokens as one value; undefined if they are not a value. */
function readValue(tokens: readonly number[]): Value | undefined {
  if (tokens[0] !== OPEN) return readScalar(tokens);
  if (tokens.length < 2 || tokens[tokens.length - 1] !== CLOSE) return undefined;
  const members: Value[] = [];
  for (let rest = tokens.slice(1, -1); rest.length > 0; ) {
    const length = lengthOf(rest);
    const member = readScalar(rest.slice(0, length));
    if (member === undefined) return undefined;
    members.push(member);
    rest = rest.slice(length);
  }
  return members;
}

/** Returns the number of tokens of the first member of a list. A text in a list is one character. */
function lengthOf(tokens: readonly number[]): number {
  const sign = tokens[0] === NEGATIVE ? 1 : 0;
  return sign + (TENS.includes(tokens[sign]) ? 2 : 1);
}

function readScalar(tokens: readonly number[]): Value | undefined {
  const [first] = tokens;
  if (tokens.length === 1 && CONSTANTS.has(first)) return CONSTANTS.get(first);
  if (tokens.length === 1 && first === EMPTY) return '';
  if (tokens.length > 0 && tokens.every((token) => CHARACTERS.has(token))) {
    return tokens.map((token) => CHARACTERS.get(token)).join('');
  }
  if (first !== NEGATIVE) return readInteger(tokens);
  const size = readInteger(tokens.slice(1));
  return size === undefined || size === 0 ? undefined : -size;
}

/** Parses an integer: `7`, or `T4 2` for 42. */
function readInteger(tokens: readonly number[]): number | undefined {
  const last = tokens[tokens.length - 1] - ZERO;
  if (tokens.length === 1 && last >= 0 && last <= LARGEST_TOKEN) return last;
  const tens = TENS.indexOf(tokens[0]);
  if (tokens.length !== 2 || tens < 0 || last < 0 || last >= DIGITS) return undefined;
  const value = DIGITS * (tens + 2) + last;
  // 20 has a separate token, so the form with two tokens is not valid.
  return value > LARGEST_TOKEN ? value : undefined;
}

function splitBy(tokens: readonly number[], separator: number): readonly (readonly number[])[] {
  const parts: number[][] = [[]];
  for (const token of tokens) {
    if (token === separator) parts.push([]);
    else parts[parts.length - 1].push(token);
  }
  return parts;
}
