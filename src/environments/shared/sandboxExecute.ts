import type { LimitKind, Limits, Outcome, Program } from '../../sandbox/types.ts';
import type { CallResult, Execute, Execution } from './execution.ts';

/** Part of a sandbox interface that runs programs. */
export interface ProgramSandbox {
  /** Runs programs and returns their outcomes, [programs][inputs]. */
  execute(programs: readonly Program[]): Promise<readonly (readonly Outcome[])[]>;
}

/**
 * Limits for programs of policies. These programs have a few lines and small values, so a call that exceeds the limits
 * most likely does not terminate.
 */
const LIMITS: Partial<Limits> = { fuel: 20_000, memory: 2 ** 22, output: 200, source: 4_000, result: 2_000 };

/** Exception names that report an exceeded limit. */
const EXCEPTIONS: Readonly<Record<LimitKind, string>> = {
  fuel: 'Timeout',
  time: 'Timeout',
  memory: 'MemoryError',
  stack: 'RecursionError',
  source: 'SyntaxError',
  result: 'OverflowError',
};

/** Creates a function that runs programs of policies in a sandbox. */
export function sandboxExecute(sandbox: ProgramSandbox): Execute {
  return async (executions) => {
    const reports = await sandbox.execute(executions.map(createWorkerProgram));
    return reports.map((outcomes) => outcomes.map(callResult));
  };
}

function createWorkerProgram({ program, entry = 'f', inputs, fuel }: Execution): Program {
  return { program, entry, inputs, limits: fuel === undefined ? LIMITS : { ...LIMITS, fuel } };
}

function callResult(outcome: Outcome): CallResult {
  switch (outcome.kind) {
    case 'value':
      return { value: outcome.value };
    case 'error':
      return { exception: outcome.error.type };
    case 'limit':
      return { exception: EXCEPTIONS[outcome.limit] };
    case 'violation':
      return { exception: 'Violation' };
  }
}
