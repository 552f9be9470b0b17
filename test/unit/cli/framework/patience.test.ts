import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Patience } from '../../../../src/cli/framework/patience.ts';

/** Patience that counts its rests, and waits that are ended by hand. */
function counting() {
  const counted = { rests: 0 };
  const patience = new Patience(() => {
    counted.rests++;
  });
  const wait = () => {
    let end = () => {};
    const begun = new Promise<string>((resolve) => {
      end = () => resolve('answer');
    });
    return { end, answer: patience.during(() => begun) };
  };
  return { counted, patience, wait };
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn();
}

test('every turn of the event loop rests once while something is waited for, however much', async () => {
  const { counted, wait } = counting();
  const waits = [wait(), wait(), wait()];
  // The chain of rests was begun before this chain of turns, so it is one ahead in every turn.
  for (let turn = 1; turn <= 20; turn++) {
    await turns(1);
    expect(counted.rests).toBe(turn);
  }
  for (const { end } of waits) end();
  expect(await Promise.all(waits.map(({ answer }) => answer))).toEqual(['answer', 'answer', 'answer']);
});

test('nothing rests before the first wait and after the last', async () => {
  const { counted, wait } = counting();
  await turns(5);
  expect(counted.rests).toBe(0);
  const { end, answer } = wait();
  await turns(5);
  end();
  await answer;
  await turns(2);
  const { rests } = counted;
  await turns(10);
  expect(counted.rests).toBe(rests);
});

test('waits that follow each other within a turn do not add up', async () => {
  const { counted, wait } = counting();
  for (let i = 0; i < 50; i++) {
    const { end, answer } = wait();
    end();
    await answer;
  }
  const { end, answer } = wait();
  const before = counted.rests;
  await turns(20);
  expect(counted.rests - before).toBeLessThanOrEqual(21);
  end();
  await answer;
});

test('a wait that fails ends its rests too, and its error arrives', async () => {
  const { counted, patience } = counting();
  await expect(patience.during(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  await turns(2);
  const { rests } = counted;
  await turns(10);
  expect(counted.rests).toBe(rests);
});
