import type { Value } from '../../sandbox/types.ts';
import { same } from '../shared/execution.ts';
import { MAX_WRITTEN_TESTS } from './repairSettings.ts';
import type { UnitTest } from './repairTasks.ts';
import { valueTokens } from './values.ts';
import { isToken, SIGNATURES, type Signature, tokenNumber } from './vocabulary.ts';

// Tests as the policy writes them, in the words of feedback: `in: [ 5 ; 7 ] want 0`, one behind the other.

/** One test that was written. */
export interface WrittenTest {
  readonly tokens: readonly number[];
  /**
   * The test that the text describes; undefined if the text is not valid: no value, too few arguments, a number that
   * feedback would call BIG.
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

/** The tokens of a test: `in: ARGS want VALUE`. */
export function testTokens({ args, expected }: UnitTest): readonly number[] {
  const each = args.flatMap((value, index) => [...(index > 0 ? [NEXT] : []), ...valueTokens(value)]);
  return [IN, ...each, EXPECTED, ...valueTokens(expected)];
}

/** True if a test is the same after it was written and read again. */
export function canBeWritten(test: UnitTest, signature: Signature): boolean {
  const read = readTest(testTokens(test), signature);
  return read !== undefined && same([...read.args, read.expected], [...test.args, test.expected]);
}

/**
 * The tests of a verification, up to the number that is read: the first MAX_WRITTEN_TESTS. Each begins with `in:`; any
 * tokens before the first one make a test that is not valid.
 * @param written without `<eos>`
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

/** The value that tokens write, all of them together; undefined where they write none. */
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

/** Tokens of the first member of a list: texts within lists are one character each. */
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

/** `7`, or `T4 2` for 42. */
function readInteger(tokens: readonly number[]): number | undefined {
  const last = tokens[tokens.length - 1] - ZERO;
  if (tokens.length === 1 && last >= 0 && last <= LARGEST_TOKEN) return last;
  const tens = TENS.indexOf(tokens[0]);
  if (tokens.length !== 2 || tens < 0 || last < 0 || last >= DIGITS) return undefined;
  const value = DIGITS * (tens + 2) + last;
  // 20 has a separate token, and one way to write it is enough.
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
