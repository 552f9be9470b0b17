import type { LimitKind, Limits, Outcome, Program, Value } from '@turnwise/python-sandbox/types';

/** Result of one call: the returned value, or the name of an exception (`Timeout` if the call ran out of fuel). */
export type CallResult = { readonly value: Value } | { readonly exception: string };

/** A program and the inputs of its calls. */
export interface Execution {
  /** Python source of a module that defines the function to call. */
  readonly program: string;
  /** Name of the function to call; `f` if absent. */
  readonly entry?: string;
  /** Fuel of one call [steps]. If absent, the call has the limit for programs of policies. */
  readonly fuel?: number;
  /** Arguments of the calls, [calls][arguments]. */
  readonly inputs: readonly (readonly Value[])[];
}

/**
 * Function that runs programs and returns their results, [programs][calls], in order. It never receives expected
 * values.
 */
export type Execute = (executions: readonly Execution[]) => Promise<readonly (readonly CallResult[])[]>;

/** Returns true if a call returned exactly this value with the same type: `True` is not 1. Floats never match. */
export function returned(result: CallResult, expected: Value): boolean {
  return 'value' in result && same(result.value, expected);
}

/** Returns true if two plain values are equal and have the same type. Floats never match. */
export function same(a: Value, b: Value): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return typeof a !== 'object' || a === null ? a === b : false;
  return a.length === b.length && a.every((member, index) => same(member, b[index]));
}

/** Function that runs one program and returns its results, [calls]. */
export type ExecuteProgram = (execution: Execution) => Promise<readonly CallResult[]>;

/**
 * Number of microtasks for which a batch remains open. Episodes that continue after the same batch request their next
 * program within a few `await`s, some later than others.
 */
const TURNS = 16;

/**
 * Combines programs that many episodes request at nearly the same time into batches.
 * @param execute runs a batch; if it fails, all callers that wait for the batch receive the error
 * @returns a function that runs one program as part of the next batch
 */
export function batched(execute: Execute): ExecuteProgram {
  interface Waiting {
    readonly execution: Execution;
    readonly resolve: (results: readonly CallResult[]) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];

  async function flush() {
    for (let turn = 0; turn < TURNS; turn++) await undefined;
    const batch = waiting;
    waiting = [];
    try {
      const results = await execute(batch.map(({ execution }) => execution));
      if (results.length !== batch.length) {
        throw new Error(`${batch.length} programs were sent, and ${results.length} results came back`);
      }
      batch.forEach(({ resolve }, index) => {
        resolve(results[index]);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (execution) =>
    new Promise((resolve, reject) => {
      waiting.push({ execution, resolve, reject });
      if (waiting.length === 1) void flush();
    });
}

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

/** Maximum number of cached worlds. A run in a recently used world starts without a new construction. */
const LIMIT = 8;

/** Creates a cache of worlds by name. A world whose construction failed is constructed again at the next request. */
export function cachedTaskSets<World>(): (name: string, create: () => Promise<World>) => Promise<World> {
  const cached = new Map<string, Promise<World>>();
  return (name, create) => {
    const world = cached.get(name) ?? create();
    // Move the requested world to the end, so that the first entry is the least recently used.
    cached.delete(name);
    cached.set(name, world);
    world.catch(() => {
      if (cached.get(name) === world) cached.delete(name);
    });
    for (const oldest of cached.keys()) {
      if (cached.size <= LIMIT) break;
      cached.delete(oldest);
    }
    return world;
  };
}
