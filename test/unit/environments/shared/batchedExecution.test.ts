import { describe, expect, it } from 'vitest';
import { batched, type Execute, type Execution } from '../../../../src/environments/shared/execution.ts';

/** Creates an executor that records its batches and returns the text of the program for each call. */
function echo() {
  const batches: string[][] = [];
  const execute: Execute = async (executions) => {
    batches.push(executions.map(({ program }) => program));
    return executions.map(({ program, inputs }) => inputs.map(() => ({ value: program })));
  };
  return { batches, executeSingle: batched(execute) };
}
const program = (text: string): Execution => ({ program: text, inputs: [[1], [2]] });

describe('programs that are requested separately', () => {
  it('programs that are requested separately run as one batch, and each request receives its results', async () => {
    const { batches, executeSingle } = echo();
    const results = await Promise.all(['a', 'b', 'c'].map((text) => executeSingle(program(text))));
    expect(batches).toEqual([['a', 'b', 'c']]);
    expect(results).toEqual(['a', 'b', 'c'].map((value) => [{ value }, { value }]));
  });

  it('requests after a batch form one batch, even if they arrive a few microtasks apart', async () => {
    const { batches, executeSingle } = echo();
    const episode = async (name: string, detours: number) => {
      for (let turn = 0; turn < 3; turn++) {
        await executeSingle(program(`${name}${turn}`));
        for (let detour = 0; detour < detours; detour++) await undefined;
      }
    };
    await Promise.all([episode('a', 0), episode('b', 3), episode('c', 7)]);
    expect(batches).toEqual([0, 1, 2].map((turn) => [`a${turn}`, `b${turn}`, `c${turn}`]));
  });

  it('all requests of a failed batch reject with its error, and the next batch runs', async () => {
    let fails = true;
    const executeSingle = batched(async (executions) => {
      if (fails) throw new Error('the worker was lost');
      return executions.map(() => []);
    });
    const outcomes = await Promise.allSettled([executeSingle(program('a')), executeSingle(program('b'))]);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual([
      'the worker was lost',
      'the worker was lost',
    ]);
    fails = false;
    expect(await executeSingle(program('c'))).toEqual([]);
  });

  it('a request rejects if the number of results differs from the number of programs', async () => {
    const executeSingle = batched(async () => []);
    await expect(executeSingle(program('a'))).rejects.toThrow('1 programs were sent, and 0 results came back');
  });
});
