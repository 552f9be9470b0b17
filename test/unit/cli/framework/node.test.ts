import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { restWhileMapping } from '../../../../src/cli/framework/node.ts';

afterEach(() => vi.restoreAllMocks());

/** Returns buffers whose mapping a test completes or rejects. */
function mappedBuffers() {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const buffer = {
    mapAsync: () =>
      new Promise<undefined>((resolve, reject) => ends.push({ resolve: () => resolve(undefined), reject })),
  };
  restWhileMapping(buffer);
  return { map: () => buffer.mapAsync.call(buffer as unknown as GPUBuffer), ends };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

test('the event loop rests on every turn until the buffer is mapped, and not afterwards', async () => {
  const wait = vi.spyOn(Atomics, 'wait');
  const { map, ends } = mappedBuffers();
  await turns(3);
  expect(wait).not.toHaveBeenCalled();
  const mapped = map();
  await turns(5);
  expect(wait.mock.calls.length).toBeGreaterThanOrEqual(4);
  ends[0]?.resolve();
  await mapped;
  const before = wait.mock.calls.length;
  await turns(5);
  expect(wait).toHaveBeenCalledTimes(before);
});

test('a failed mapping ends the rests and is rejected with its error', async () => {
  const wait = vi.spyOn(Atomics, 'wait');
  const { map, ends } = mappedBuffers();
  const mapped = map();
  ends[0]?.reject(new Error('lost'));
  await expect(mapped).rejects.toThrow('lost');
  const before = wait.mock.calls.length;
  await turns(5);
  expect(wait).toHaveBeenCalledTimes(before);
});
