import { batched, type CallResult, type Execute, type ExecuteProgram } from '../shared/execution.ts';
import {
  type CallValue,
  callProgram,
  exampleCall,
  type RepoProblem,
  type Repository,
  repositoryKey,
  type Symptom,
  symptom,
  type UnitTest,
} from './repository.ts';

/** Failing test with its result. */
export interface Failure {
  readonly test: UnitTest;
  readonly got: CallValue;
  readonly symptom: Symptom;
}

/** Results of the tests of a repository. */
export interface TestReport {
  /** First visible test that fails; absent if all pass. */
  readonly visible?: Failure;
  /** First hidden test that fails; absent if all pass. */
  readonly hidden?: Failure;
  /** True if all tests pass, including the hidden tests. */
  readonly solved: boolean;
  /** Result of the call of `execute app.py`. */
  readonly example: CallValue;
}

/** Maximum number of cached reports. The oldest report is removed first. */
const CACHE_LIMIT = 50_000;

/** Runner for the tests of repositories in the sandbox. The same files of a problem run only once. */
export class TestRunner {
  private readonly reports = new Map<string, Promise<TestReport>>();
  private readonly executeSingle: ExecuteProgram;
  /** Number of programs that have run. */
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
    // A failure for an unrelated reason, such as a lost worker, is not cached.
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
 * Returns the results of the calls of a `callProgram`. If the program did not terminate, all of its calls count as
 * crashed.
 */
export function callValues([result]: readonly CallResult[], calls: number): readonly CallValue[] {
  const values = result && 'value' in result && Array.isArray(result.value) ? result.value : [];
  return Array.from({ length: calls }, (_, index): CallValue => {
    const value = values[index];
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 'crash';
  });
}

/**
 * Returns the first failing test.
 * @param values results of the tests, in their order
 */
function firstFailure(tests: readonly UnitTest[], values: readonly CallValue[]): Failure | undefined {
  const index = tests.findIndex(({ expected }, at) => values[at] !== expected);
  if (index < 0) return undefined;
  const [test, got] = [tests[index], values[index]];
  return { test, got, symptom: symptom(test.expected, got) };
}
