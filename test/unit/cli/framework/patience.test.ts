import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Patience } from '../../../../src/cli/framework/patience.ts';

/** An event loop that takes a turn when it is told to. */
class Loop {
  private due: (() => void)[] = [];
  readonly nextTurn = (turn: () => void) => {
    this.due.push(turn);
  };

  /** Nothing waits for a next turn. */
  get idle(): boolean {
    return this.due.length === 0;
  }

  turns(count: number): void {
    for (let i = 0; i < count; i++) for (const turn of this.due.splice(0)) turn();
  }
}

/** Patience that counts its rests, and waits that are ended by hand. */
function counting() {
  const counted = { rests: 0 };
  const loop = new Loop();
  const patience = new Patience(() => {
    counted.rests++;
  }, loop.nextTurn);
  const wait = () => {
    let end = () => {};
    const begun = new Promise<string>((resolve) => {
      end = () => resolve('answer');
    });
    return { end, answer: patience.during(() => begun) };
  };
  return { counted, loop, patience, wait };
}

test('every turn of the event loop rests once while something is waited for, however much', async () => {
  const { counted, loop, wait } = counting();
  const waits = [wait(), wait(), wait()];
  for (let turn = 1; turn <= 20; turn++) {
    loop.turns(1);
    expect(counted.rests).toBe(turn);
  }
  for (const { end } of waits) end();
  expect(await Promise.all(waits.map(({ answer }) => answer))).toEqual(['answer', 'answer', 'answer']);
});

test('nothing rests before the first wait and after the last', async () => {
  const { counted, loop, wait } = counting();
  expect(loop.idle).toBe(true);
  const { end, answer } = wait();
  expect(counted.rests).toBe(0);
  loop.turns(5);
  end();
  await answer;
  loop.turns(10);
  expect(counted.rests).toBe(5);
  expect(loop.idle).toBe(true);
});

test('waits that follow each other within a turn do not add up', async () => {
  const { counted, loop, wait } = counting();
  for (let i = 0; i < 50; i++) {
    const { end, answer } = wait();
    end();
    await answer;
  }
  const { end, answer } = wait();
  loop.turns(20);
  expect(counted.rests).toBe(20);
  end();
  await answer;
});

test('a wait that fails ends its rests too, and its error arrives', async () => {
  const { counted, loop, patience } = counting();
  await expect(patience.during(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  loop.turns(10);
  expect(counted.rests).toBe(0);
  expect(loop.idle).toBe(true);
});

test('on the event loop itself it rests while it waits, and no longer', async () => {
  let rests = 0;
  const patience = new Patience(() => {
    rests++;
  });
  let waits = true;
  const answer = patience.during(async () => {
    while (waits) await nextTurn();
  });
  while (rests < 3) await nextTurn();
  waits = false;
  await answer;
  const before = rests;
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(rests).toBe(before);
});
