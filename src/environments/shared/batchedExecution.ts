import type { CallResult, Execute, Execution } from './execution.ts';

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
