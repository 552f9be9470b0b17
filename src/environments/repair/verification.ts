import { repr } from '@turnwise/python-sandbox/repr';
import type { Value } from '@turnwise/python-sandbox/types';
import type { ProgramDetail, TestDetail } from '../../rollouts/rolloutBatch.ts';
import { type CallResult, returned, same } from '../shared/execution.ts';
import { resultText, valueTokens } from './feedback.ts';
import { type ProgramEvaluation, type ProgramRunner, syntaxErrors } from './programRunner.ts';
import { MAX_WRITTEN_TESTS } from './repairSettings.ts';
import type { RepairTask, UnitTest } from './repairTasks.ts';
import { programText } from './source.ts';
import { END, isToken, SIGNATURES, type Signature, spell, tokenNumber } from './vocabulary.ts';

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

// Tests that the policy writes for its own program, as in ReVeal (Jin et al. 2025, "ReVeal: Self-Evolving Code Agents
// via Reliable Self-Verification", arXiv 2506.11442). The right program runs on them, which determines their reward,
// and the tested program runs on them, too.

/** Written test with its results. */
export interface EvaluatedTest extends WrittenTest {
  /** True if the right program returns the expected value of the test. */
  readonly agrees: boolean;
  /** Result of the tested program; undefined if the test is not valid. */
  readonly result: CallResult | undefined;
  readonly passed: boolean;
}

/**
 * Evaluates the tests of a verification.
 * @param evaluation result of the program that the tests check
 */
export async function judgeTests(
  runner: ProgramRunner,
  task: RepairTask,
  evaluation: ProgramEvaluation,
  written: readonly number[],
): Promise<readonly EvaluatedTest[]> {
  const ended = written[written.length - 1] === END;
  const tests = readTests(ended ? written.slice(0, -1) : written, task.signature);
  const inputs = tests.flatMap(({ test }) => (test ? [test.args] : []));
  const [right, actual] = await Promise.all([
    runner.calls(task, task.reference, inputs),
    evaluation.complete ? runner.calls(task, evaluation.attempt, inputs) : syntaxErrors(inputs.length),
  ]);
  let call = 0;
  return tests.map((entry): EvaluatedTest => {
    if (!entry.test) return { ...entry, agrees: false, result: undefined, passed: false };
    const [known, result] = [right[call], actual[call]];
    call++;
    return {
      ...entry,
      agrees: returned(known, entry.test.expected),
      result,
      passed: returned(result, entry.test.expected),
    };
  });
}

/** Returns the share of tests that the right program passes; 0 if no test was written. */
export function agreement(tests: readonly EvaluatedTest[]): number {
  return tests.length === 0 ? 0 : tests.filter(({ agrees }) => agrees).length / tests.length;
}

/**
 * Returns the tests whose results the policy receives. In training, a test counts only if the right program passes it,
 * as in the paper. In evaluations, the right program is not used, and every valid test counts.
 */
export function revealedTests(
  tests: readonly EvaluatedTest[],
  mode: 'train' | 'evaluate',
): readonly (EvaluatedTest & { readonly test: UnitTest; readonly result: CallResult })[] {
  return tests.flatMap((entry) => {
    const { test, result, agrees } = entry;
    return test && result && (agrees || mode === 'evaluate') ? [{ ...entry, test, result }] : [];
  });
}

/**
 * Returns the facts of a verification.
 * @param right true if the program passes all tests of its task
 */
export function verificationFacts(
  tests: readonly EvaluatedTest[],
  reported: readonly EvaluatedTest[],
  right: boolean,
): Record<string, number> {
  return {
    testsWritten: tests.length,
    testsAgree: agreement(tests),
    testsDistinct: new Set(tests.map(({ tokens }) => tokens.join())).size,
    testsUnreadable: tests.filter(({ test }) => !test).length,
    accepted: Number(reported.length > 0 && reported.every(({ passed }) => passed)),
    ...(right
      ? { wronged: Number(reported.some(({ passed }) => !passed)) }
      : { caught: Number(tests.some(({ agrees, passed }) => agrees && !passed)) }),
  };
}

/** Returns a description of the turn in one short sentence. */
export function verificationSummary(tests: readonly EvaluatedTest[], reported: readonly EvaluatedTest[]): string {
  if (tests.length === 0) return 'writes no test';
  const right = tests.filter(({ agrees }) => agrees).length;
  const failed = reported.filter(({ passed }) => !passed).length;
  const count = `writes ${tests.length} ${tests.length === 1 ? 'test' : 'tests'}, ${right} of them right`;
  if (reported.length === 0) return `${count}; none is run`;
  const subject = reported.length === 1 ? 'the one run' : `the ${reported.length} run`;
  return `${count}; the program ${failed === 0 ? 'passes' : `fails ${failed} of`} ${subject}`;
}

/** Returns details of a verification for users: the program, and the tests that were written for it. */
export function verificationDetail(
  task: RepairTask,
  evaluation: ProgramEvaluation,
  tests: readonly EvaluatedTest[],
  reported: readonly WrittenTest[],
): ProgramDetail {
  const run = new Set(reported.map(({ tokens }) => tokens));
  return {
    program: programText(evaluation.attempt, task.signature, task.entry),
    tests: tests.map((entry): TestDetail => {
      const { test, result, agrees, passed, tokens } = entry;
      if (!test || !result) {
        return { args: spell(tokens), expected: '', got: 'not readable', passed: false, visible: false, agrees };
      }
      const isVisible = run.has(tokens);
      const { args, expected } = test;
      return {
        ...{
          args: args.map(repr).join(', '),
          expected: repr(expected),
          got: isVisible ? resultText(result) : 'not run',
        },
        ...{ passed, visible: isVisible, agrees },
      };
    }),
  };
}
