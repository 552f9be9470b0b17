import { batched, type ExecuteProgram } from '../shared/batchedExecution.ts';
import type { CallResult, Execute, Execution } from '../shared/execution.ts';
import { returned } from '../shared/execution.ts';
import { readTurn } from './reflection.ts';
import { PROGRAM_LIMIT } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';
import { programText } from './source.ts';
import { END, isCode } from './vocabulary.ts';

/** A program and what its task's tests say of it. */
export interface ProgramEvaluation {
  /** The program that the policy wrote, without `<eos>`. */
  readonly attempt: readonly number[];
  /** Text that the policy wrote before the program, without `<program>`; absent if there is no such text. */
  readonly reflection?: readonly number[];
  /** True if the turn ended with `<eos>` before its limit; a turn that was cut off counts as a syntax error. */
  readonly complete: boolean;
  /** [tests] */
  readonly results: readonly CallResult[];
  /** [tests] */
  readonly passed: readonly boolean[];
}

/**
 * Steps that a program may take for one test. The right programs of the shipped problems need 125 at most; an endless one
 * costs its whole budget for each test.
 */
export const FUEL = 2_000;
/** Most programs whose results are stored; the oldest is removed first. */
const CACHE_LIMIT = 40_000;

/**
 * Runs programs against the tests of their tasks. Policies write the same program many times: it is run once. Requests
 * at about the same time run as one batch.
 */
export class ProgramRunner {
  private readonly cache = new Map<string, Promise<readonly CallResult[]>>();
  /** Tasks by the object: two may have the same id and other tests. */
  private readonly numbers = new WeakMap<RepairTask, number>();
  private tasks = 0;
  private readonly executeSingle: ExecuteProgram;
  /** Programs asked for, and those of them that were run. */
  requestCount = 0;
  run = 0;

  constructor(execute: Execute) {
    this.executeSingle = batched(execute);
  }

  /** Judges what a policy wrote in one turn. */
  async judge(task: RepairTask, written: readonly number[]): Promise<ProgramEvaluation> {
    const { reflection, program } = readTurn(written);
    const evaluation = await this.judgeProgram(task, program);
    return reflection ? { ...evaluation, reflection } : evaluation;
  }

  /**
   * Judges a program that was already read from a turn. If it contains `<program>`, it is not a valid program. If it
   * were read as a turn again, only the part behind that token would be the program.
   */
  async judgeProgram(task: RepairTask, program: readonly number[]): Promise<ProgramEvaluation> {
    // The part of a turn that a reflection does not use gives no room for a longer program.
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

  /** [tests]: what a whole program gives for the inputs of its task's tests. */
  results(task: RepairTask, program: readonly number[]): Promise<readonly CallResult[]> {
    const key = `${this.numberOf(task)} ${String.fromCharCode(...program)}`;
    return this.called(
      task,
      program,
      key,
      task.tests.map(({ args }) => args),
    );
  }

  /** [inputs]: what a whole program gives for inputs that are none of its task's tests. */
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
    // A failure for an unrelated reason, such as a lost worker, is tried again.
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

/** Results of the calls of a program that is not Python. */
export function syntaxErrors(calls: number): readonly CallResult[] {
  return Array.from({ length: calls }, () => ({ exception: 'SyntaxError' }));
}
