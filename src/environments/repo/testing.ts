import { batched, type ExecuteProgram } from '../shared/batchedExecution.ts';
import type { CallResult, Execute } from '../shared/execution.ts';
import { exampleCall, type RepoProblem, type Symptom, symptom, type UnitTest } from './problem.ts';
import { type CallValue, callProgram, type Repository, repositoryKey } from './repository.ts';

/** A test that fails. */
export interface Failure {
  readonly test: UnitTest;
  readonly got: CallValue;
  readonly symptom: Symptom;
}

/** Results of the tests of a repository. */
export interface TestReport {
  /** The first visible test that fails. */
  readonly visible?: Failure;
  /** The first hidden test that fails. */
  readonly hidden?: Failure;
  /** All tests pass, hidden ones too. */
  readonly solved: boolean;
  /** Result of the example call of `app`. */
  readonly example: CallValue;
}

/** Most reports that are stored; the oldest is removed first. */
const CACHE_LIMIT = 50_000;

/** Runs the tests of repositories in the sandbox; the same files of the same problem are run once. */
export class TestRunner {
  private readonly reports = new Map<string, Promise<TestReport>>();
  private readonly executeSingle: ExecuteProgram;
  /** Programs that have been run. */
  programs = 0;

  constructor(execute: Execute) {
    this.executeSingle = batched(execute);
  }

  run(problem: RepoProblem, repository: Repository): Promise<TestReport> {
    const key = `${problem.id}/${repositoryKey(repository)}`;
    const known = this.reports.get(key);
    if (known) return known;
    const report = this.execute(problem, repository);
    this.reports.set(key, report);
    // A failure for an unrelated reason, such as a lost worker, is tried again.
    report.catch(() => this.reports.delete(key));
    if (this.reports.size > CACHE_LIMIT) this.reports.delete(this.reports.keys().next().value as string);
    return report;
  }

  private async execute(problem: RepoProblem, repository: Repository): Promise<TestReport> {
    this.programs++;
    const tests = [...problem.visible, ...problem.hidden];
    const values = callValues(await this.executeSingle(callProgram(repository, tests)), tests.length);
    const visible = firstFailure(problem.visible, values);
    const hidden = firstFailure(problem.hidden, values.slice(problem.visible.length));
    return {
      ...(visible && { visible }),
      ...(hidden && { hidden }),
      solved: !visible && !hidden,
      example: values[problem.visible.indexOf(exampleCall(problem))],
    };
  }
}

/**
 * Results of the calls of a `callProgram`. A program that did not come to its end has no results: all of its calls
 * count as crashed.
 */
export function callValues([result]: readonly CallResult[], calls: number): readonly CallValue[] {
  const values = result && 'value' in result && Array.isArray(result.value) ? result.value : [];
  return Array.from({ length: calls }, (_, index): CallValue => {
    const value = values[index];
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 'crash';
  });
}

/** @param values of the tests, in their order */
function firstFailure(tests: readonly UnitTest[], values: readonly CallValue[]): Failure | undefined {
  const index = tests.findIndex(({ expected }, at) => values[at] !== expected);
  if (index < 0) return undefined;
  const [test, got] = [tests[index], values[index]];
  return { test, got, symptom: symptom(test.expected, got) };
}
