import { describe, expect, it } from 'vitest';
import { batched } from '../../../../src/environments/shared/batchedExecution.ts';
import type { Execute, Execution } from '../../../../src/environments/shared/execution.ts';

/** Gives every call the program's text back. */
function echo() {
  const batches: string[][] = [];
  const execute: Execute = async (executions) => {
    batches.push(executions.map(({ program }) => program));
    return executions.map(({ program, inputs }) => inputs.map(() => ({ value: program })));
  };
  return { batches, one: batched(execute) };
}
const program = (text: string): Execution => ({ program: text, inputs: [[1], [2]] });

describe('programs that are requested separately', () => {
  it('run as one batch, each with its own results', async () => {
    const { batches, one } = echo();
    const results = await Promise.all(['a', 'b', 'c'].map((text) => one(program(text))));
    expect(batches).toEqual([['a', 'b', 'c']]);
    expect(results).toEqual(['a', 'b', 'c'].map((value) => [{ value }, { value }]));
  });

  it('run as one batch again after those before, though some get there some awaits later', async () => {
    const { batches, one } = echo();
    const episode = async (name: string, detours: number) => {
      for (let turn = 0; turn < 3; turn++) {
        await one(program(`${name}${turn}`));
        for (let detour = 0; detour < detours; detour++) await undefined;
      }
    };
    await Promise.all([episode('a', 0), episode('b', 3), episode('c', 7)]);
    expect(batches).toEqual([0, 1, 2].map((turn) => [`a${turn}`, `b${turn}`, `c${turn}`]));
  });

  it('all receive the error of a batch that fails, and the next batch runs', async () => {
    let fails = true;
    const one = batched(async (executions) => {
      if (fails) throw new Error('the worker is gone');
      return executions.map(() => []);
    });
    const outcomes = await Promise.allSettled([one(program('a')), one(program('b'))]);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual([
      'the worker is gone',
      'the worker is gone',
    ]);
    fails = false;
    expect(await one(program('c'))).toEqual([]);
  });

  it('refuse results that are not one for each program', async () => {
    const one = batched(async () => []);
    await expect(one(program('a'))).rejects.toThrow('1 programs were to be run, and 0 results came back');
  });
});
