import { pythonLanguage } from '@codemirror/lang-python';
import type { Job, UnitTestResult } from '../../sandbox/types.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';

/** Maximum number of tests. The terminal runs files with more tests. */
export const MAX_TESTS = 50;

/** Program with its tests, as text that the user edits. */
export interface Draft {
  readonly program: string;
  /** Python `assert` statements, one per line. */
  readonly tests: string;
}

/** One `assert` statement of a draft. */
export interface TestLine {
  /** Line number in the tests, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Reason why the tests cannot run, and its line (from 1). */
export interface DraftProblem {
  readonly problem: string;
  readonly line: number;
}

const ENTRY = '_turnwise_test';
const ACTUAL = '_turnwise_actual';

/** Returns the `assert` statements of a draft, or the first invalid line. Blank lines and comments are skipped. */
export function readTests(
  tests: string,
): { readonly lines: readonly TestLine[] } | { readonly rejection: DraftProblem } {
  const lines = tests
    .split('\n')
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
  const invalid = lines.find(({ text }) => !/^assert\b/.test(text));
  if (invalid) return { rejection: { line: invalid.line, problem: pythonStrings.notAssert(invalid.line) } };
  if (lines.length === 0) return { rejection: { line: 1, problem: pythonStrings.noTest } };
  const extra = lines[MAX_TESTS];
  if (extra) return { rejection: { line: extra.line, problem: pythonStrings.maximum(MAX_TESTS) } };
  return { lines };
}

/** Returns a job for each test: the program, followed by a function with the assert statement. */
export function testJobs(program: string, lines: readonly TestLine[]): Job[] {
  return lines.map(({ text }) => ({
    program: `${program}\n\ndef ${ENTRY}():\n    ${withActual(text)}\n`,
    entry: ENTRY,
    tests: [{ args: [], expected: null }],
  }));
}

/**
 * Adds the actual value of `assert CALL == VALUE` to its error message. Other statements are unchanged, for example a
 * comparison of more than two values or a statement with a custom message.
 */
function withActual(text: string): string {
  const tree = pythonLanguage.parser.parse(text);
  let isWrong = false;
  tree.iterate({
    enter: ({ type }) => {
      isWrong ||= type.isError;
    },
  });
  const statement = tree.topNode.firstChild;
  const compared = statement?.getChild('BinaryExpression');
  const operator = compared?.getChild('CompareOp');
  const left = compared?.firstChild;
  if (isWrong || statement?.nextSibling || statement?.getChild(',') || !compared || !operator || !left) return text;
  if (text.slice(operator.from, operator.to) !== '==' || left.getChild('CompareOp')) return text;
  const [call, value] = [text.slice(left.from, left.to), text.slice(operator.to, compared.to).trim()];
  return `${ACTUAL} = (${call}); assert ${ACTUAL} == (${value}), ${JSON.stringify(pythonStrings.returned)} + repr(${ACTUAL})`;
}

/**
 * Returns a result in terms of the draft: a test whose assertion fails is `failed`, and an error outside the program
 * has no line.
 */
export function toDraftTestResult(result: UnitTestResult, program: string): UnitTestResult {
  const { error } = result;
  if (error?.line === undefined || error.line <= program.split('\n').length) return result;
  const { line: _, ...outside } = error;
  if (error.type !== 'AssertionError') return { ...result, error: outside };
  return { ...result, status: 'failed', error: outside };
}
