import { beforeAll, expect, test } from 'vitest';
import { Guest } from '../../src/sandbox/guest/guest.ts';
import { nodePlace } from '../../src/sandbox/host/node.ts';
import { MARKS } from '../../src/sandbox/marks.ts';
import { LIMITS } from '../../src/sandbox/types.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.start({ ...(await nodePlace().parts()), memory: MARKS.memory });
});

/** Calls that C code works long at, how often they are made, and the steps that one takes at least. */
const CALLS: readonly (readonly [name: string, before: string, call: string, times: number, steps: number])[] = [
  ['the first item taken off a list of a million', 'l = [0] * 1_000_000', 'del l[0]', 20, 2_700],
  ['an item put before a million', 'l = [0] * 1_000_000', 'l.insert(0, 1)', 20, 2_700],
  ['every second byte of a million', 'm = memoryview(bytearray(1_000_000))[::2]', 'bytes(m)', 5, 40_000],
  ['the hash of an int of 8,000,000 bits', 'x = 1 << 8_000_000', 'hash(x)', 20, 2_600],
  ['the square of an int of 300,000 bits', 'x = (1 << 300_000) - 1', 'x * x', 3, 20_000],
];

test.each(CALLS)('%s costs its steps, the same each time', (_, before, call, times, steps) => {
  const fuel = (count: number) => {
    const program = `${before}\ndef f():\n  for _ in range(${count}): ${call}`;
    const [outcome] = guest.run({
      program,
      entry: 'f',
      inputs: [[]],
      limits: { ...LIMITS, fuel: 10_000_000 },
    }).outcomes;
    expect(outcome.kind).toBe('value');
    return outcome.fuel;
  };
  const [none, all] = [fuel(0), fuel(times)];
  expect((all - none) / times).toBeGreaterThanOrEqual(steps);
  expect(fuel(times)).toBe(all);
});
