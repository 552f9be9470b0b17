import type { ProgramDetail, TestDetail } from '../../rollouts/rolloutBatch.ts';
import { repr } from '../../sandbox/repr.ts';
import { type CallResult, returned } from '../shared/execution.ts';
import { resultText } from './feedback.ts';
import { type ProgramEvaluation, type ProgramRunner, syntaxErrors } from './programRunner.ts';
import type { RepairTask, UnitTest } from './repairTasks.ts';
import { programText } from './source.ts';
import { END, spell } from './vocabulary.ts';
import { readTests, type WrittenTest } from './writtenTests.ts';

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
