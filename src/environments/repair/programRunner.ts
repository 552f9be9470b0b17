import {
  batched,
  type CallResult,
  type Execute,
  type ExecuteProgram,
  type Execution,
  returned,
} from '../shared/execution.ts';
import { readTurn } from './reflection.ts';
import { PROGRAM_LIMIT } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';
import { programText } from './source.ts';
import { END, isCode } from './vocabulary.ts';

/** Program with the results of its task's tests. */
export interface ProgramEvaluation {
  /** The program that the policy wrote, without `<eos>`. */
  readonly attempt: readonly number[];
  /** Text that the policy wrote before the program, without `<program>`; absent if there is no such text. */
  readonly reflection?: readonly number[];
  /** True if the turn ended with `<eos>` before its limit. A turn that was cut off counts as a syntax error. */
  readonly complete: boolean;
  /** Result of the program for each test, [tests]. */
  readonly results: readonly CallResult[];
  /** True for each passed test, [tests]. */
  readonly passed: readonly boolean[];
}

/**
 * Fuel of a program for one test [steps]. The right programs of the shipped problems need at most 125. A program that
 * does not terminate uses its entire budget for each test.
 */
export const FUEL = 2_000;
/** Maximum number of programs with cached results. The oldest entry is removed first. */
const CACHE_LIMIT = 40_000;

/**
 * Runner for programs and the tests of their tasks. Policies write the same program many times, so results are cached.
 * Requests at nearly the same time run as one batch.
 */
export class ProgramRunner {
  private readonly cache = new Map<string, Promise<readonly CallResult[]>>();
  /** Numbers of the task objects. Two tasks can have the same id and different tests. */
  private readonly numbers = new WeakMap<RepairTask, number>();
  private tasks = 0;
  private readonly executeSingle: ExecuteProgram;
  /** Number of requested programs. `run` is the number of programs that ran. */
  requestCount = 0;
  run = 0;

  constructor(execute: Execute) {
    this.executeSingle = batched(execute);
  }

  /** Evaluates the tokens of a policy in one turn. */
  async judge(task: RepairTask, written: readonly number[]): Promise<ProgramEvaluation> {
    const { reflection, program } = readTurn(written);
    const evaluation = await this.judgeProgram(task, program);
    return reflection ? { ...evaluation, reflection } : evaluation;
  }

  /**
   * Evaluates a program that was already separated from its turn. A program with the token `<program>` is not valid. If
   * it were read as a turn again, the tokens after `<program>` would count as the program.
   */
  async judgeProgram(task: RepairTask, program: readonly number[]): Promise<ProgramEvaluation> {
    // A program must not use the tokens that a reflection leaves unused.
    const complete = program.length <= PROGRAM_LIMIT && program[program.length - 1] === END;
    const attempt = complete ? program.slice(0, -1) : program.slice(0, PROGRAM_LIMIT);
    const results = complete ? await this.results(task, attempt) : syntaxErrors(task.tests.length);
    return {
      attempt,
      complete,
      results,
      passed: results.map((result, test) => returned(result, task.tests[test].expected)),
    };
  }

  /** Returns the results of a complete program for the inputs of its task's tests, [tests]. */
  results(task: RepairTask, program: readonly number[]): Promise<readonly CallResult[]> {
    const key = `${this.numberOf(task)} ${String.fromCharCode(...program)}`;
    return this.called(
      task,
      program,
      key,
      task.tests.map(({ args }) => args),
    );
  }

  /** Returns the results of a complete program for inputs that are not tests of its task, [inputs]. */
  calls(task: RepairTask, program: readonly number[], inputs: Execution['inputs']): Promise<readonly CallResult[]> {
    if (inputs.length === 0) return Promise.resolve([]);
    const key = `${task.signature} ${task.entry} ${String.fromCharCode(...program)} ${JSON.stringify(inputs)}`;
    return this.called(task, program, key, inputs);
  }

  private called(
    task: RepairTask,
    program: readonly number[],
    key: string,
    inputs: Execution['inputs'],
  ): Promise<readonly CallResult[]> {
    this.requestCount++;
    if (program.length === 0 || !program.every(isCode)) return Promise.resolve(syntaxErrors(inputs.length));
    const known = this.cache.get(key);
    if (known) return known;
    this.run++;
    const results = this.executeSingle({
      program: programText(program, task.signature, task.entry),
      entry: task.entry,
      inputs,
      fuel: FUEL,
    });
    this.cache.set(key, results);
    // A failure for an unrelated reason, such as a lost worker, is not cached.
    results.catch(() => this.cache.delete(key));
    if (this.cache.size > CACHE_LIMIT) this.cache.delete(this.cache.keys().next().value as string);
    return results;
  }

  private numberOf(task: RepairTask): number {
    const number = this.numbers.get(task) ?? this.tasks++;
    this.numbers.set(task, number);
    return number;
  }
}

/** Returns the results of calls of a program that is not valid Python. */
export function syntaxErrors(calls: number): readonly CallResult[] {
  return Array.from({ length: calls }, () => ({ exception: 'SyntaxError' }));
}
