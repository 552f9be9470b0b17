import { equal } from './compare.ts';
import { repr } from './repr.ts';
import type { Expected, Job, LimitKind, Outcome, ProgramResult, PythonError, Status, UnitTestResult } from './types.ts';

const ORDER: readonly Status[] = ['violation', 'limit', 'error', 'failed', 'passed'];

const LIMIT_MESSAGES: Readonly<Record<LimitKind, string>> = {
  fuel: 'the program takes more steps than the limit allows',
  time: 'the program takes longer than the limit allows',
  memory: 'the program needs more memory than the limit allows',
  stack: 'the program nests deeper than the stack allows',
  source: 'the program is longer than the limit allows',
  result: 'the result is larger or deeper than the limit allows',
};

/** Grades a job from the outcomes of its tests. */
export function judge(job: Job, outcomes: readonly Outcome[]): ProgramResult {
  const tests = job.tests.map(({ expected }, i) => judgeTest(outcomes[i], expected, job.tolerance));
  const worst = ORDER.find((status) => tests.some((test) => test.status === status)) ?? 'passed';
  return { status: worst, tests, fuel: tests.reduce((sum, { fuel }) => sum + fuel, 0) };
}

function judgeTest(outcome: Outcome, expected: Expected, tolerance: number | undefined): UnitTestResult {
  const { kind, output, fuel } = outcome;
  const failed = (status: Status, error: PythonError): UnitTestResult => ({ status, error, output, fuel });
  if (kind === 'error') return failed('error', outcome.error);
  if (kind === 'violation') return failed('violation', { type: 'tampered with the tests', message: outcome.reason });
  if (kind === 'limit')
    return failed('limit', { type: `${outcome.limit} limit`, message: LIMIT_MESSAGES[outcome.limit] });
  const status = equal(outcome.value, expected, tolerance) ? 'passed' : 'failed';
  return { status, actual: repr(outcome.value), output, fuel };
}
