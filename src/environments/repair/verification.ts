import type { ProgramDetail, TestDetail } from '../../rollouts/turnDetail.ts';
import { repr } from '../../sandbox/repr.ts';
import { type CallResult, returned } from '../shared/execution.ts';
import { resultText } from './feedback.ts';
import { type Judgement, type ProgramRunner, syntaxErrors } from './programRunner.ts';
import type { RepairTask, UnitTest } from './repairTasks.ts';
import { programText } from './source.ts';
import { END, spell } from './vocabulary.ts';
import { readTests, type WrittenTest } from './writtenTests.ts';

// Tests that the policy writes for its own program, as in ReVeal (Jin et al. 2025, "ReVeal: Self-Evolving Code Agents via Reliable
// Self-Verification", arXiv 2506.11442): run with the right program, which pays them, and with the program that they are about.

/** One test that was written, and its result. */
export interface JudgedTest extends WrittenTest {
  /** The right program gives what the test wants. */
  readonly agrees: boolean;
  /** Result of the tested program; undefined if the test is not valid. */
  readonly result: CallResult | undefined;
  readonly passed: boolean;
}

/** Judges the tests of one verification. @param judged the program that they are about */
export async function judgeTests(
  runner: ProgramRunner,
  task: RepairTask,
  judged: Judgement,
  written: readonly number[],
): Promise<readonly JudgedTest[]> {
  const ended = written[written.length - 1] === END;
  const tests = readTests(ended ? written.slice(0, -1) : written, task.signature);
  const inputs = tests.flatMap(({ test }) => (test ? [test.args] : []));
  const [right, own] = await Promise.all([
    runner.calls(task, task.reference, inputs),
    judged.complete ? runner.calls(task, judged.attempt, inputs) : syntaxErrors(inputs.length),
  ]);
  let call = 0;
  return tests.map((one): JudgedTest => {
    if (!one.test) return { ...one, agrees: false, result: undefined, passed: false };
    const [known, result] = [right[call], own[call]];
    call++;
    return { ...one, agrees: returned(known, one.test.want), result, passed: returned(result, one.test.want) };
  });
}

/** Share of the tests that the right program passes; 0 where none was written. */
export function agreement(tests: readonly JudgedTest[]): number {
  return tests.length === 0 ? 0 : tests.filter(({ agrees }) => agrees).length / tests.length;
}

/**
 * The tests whose results the policy gets. In training a test counts only if the right program passes it, as in the
 * paper. In evaluations the right program is not used, and every valid test counts.
 */
export function toldTests(
  tests: readonly JudgedTest[],
  mode: 'train' | 'evaluate',
): readonly (JudgedTest & { readonly test: UnitTest; readonly result: CallResult })[] {
  return tests.flatMap((one) => {
    const { test, result, agrees } = one;
    return test && result && (agrees || mode === 'evaluate') ? [{ ...one, test, result }] : [];
  });
}

/** Facts of a verification's verdict. @param right the program passes all of its task's tests */
export function verificationFacts(
  tests: readonly JudgedTest[],
  told: readonly JudgedTest[],
  right: boolean,
): Record<string, number> {
  return {
    testsWritten: tests.length,
    testsAgree: agreement(tests),
    testsDistinct: new Set(tests.map(({ tokens }) => tokens.join())).size,
    testsUnreadable: tests.filter(({ test }) => !test).length,
    accepted: Number(told.length > 0 && told.every(({ passed }) => passed)),
    ...(right
      ? { wronged: Number(told.some(({ passed }) => !passed)) }
      : { caught: Number(tests.some(({ agrees, passed }) => agrees && !passed)) }),
  };
}

/** The turn in one short sentence. */
export function verificationSummary(tests: readonly JudgedTest[], told: readonly JudgedTest[]): string {
  if (tests.length === 0) return 'writes no test';
  const right = tests.filter(({ agrees }) => agrees).length;
  const failed = told.filter(({ passed }) => !passed).length;
  const count = `writes ${tests.length} ${tests.length === 1 ? 'test' : 'tests'}, ${right} of them right`;
  if (told.length === 0) return `${count}; none is run`;
  const those = told.length === 1 ? 'the one run' : `the ${told.length} run`;
  return `${count}; the program ${failed === 0 ? 'passes' : `fails ${failed} of`} ${those}`;
}

/** Details of a verification that the user can read: the program, and the tests that were written for it. */
export function verificationDetail(
  task: RepairTask,
  judged: Judgement,
  tests: readonly JudgedTest[],
  told: readonly WrittenTest[],
): ProgramDetail {
  const run = new Set(told.map(({ tokens }) => tokens));
  return {
    program: programText(judged.attempt, task.signature, task.entry),
    tests: tests.map((one): TestDetail => {
      const { test, result, agrees, passed, tokens } = one;
      if (!test || !result) {
        return { args: spell(tokens), want: '', got: 'not readable', passed: false, visible: false, agrees };
      }
      const shown = run.has(tokens);
      const { args, want } = test;
      return {
        ...{ args: args.map(repr).join(', '), want: repr(want), got: shown ? resultText(result) : 'not run' },
        ...{ passed, visible: shown, agrees },
      };
    }),
  };
}
