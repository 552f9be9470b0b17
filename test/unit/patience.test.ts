import { expect, test } from 'vitest';
import { Expectation } from '../../src/cli/patience.ts';

/** Waits as often as there are durations, as a read-back does; returns the milliseconds slept. */
function wait(expectation: Expectation, durations: readonly number[]): number[] {
  return durations.map((duration) => {
    const { sleep } = expectation;
    expectation.learn(sleep, Math.max(0, duration - sleep));
    return sleep;
  });
}

test('sleeps through most of a steady wait, and never past it', () => {
  const slept = wait(new Expectation(), Array(20).fill(100));
  expect(slept[0]).toBe(0);
  expect(slept.at(-1)).toBeGreaterThan(80);
  expect(Math.max(...slept)).toBeLessThan(100);
});

test('goes by the shorter of two kinds of waits that take turns', () => {
  const slept = wait(
    new Expectation(),
    Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 30 : 90)),
  );
  expect(Math.max(...slept)).toBeLessThan(30);
  expect(slept.at(-1)).toBeGreaterThan(20);
});

test('gives way quickly when waits become shorter, and follows when they become longer', () => {
  const expectation = new Expectation();
  wait(expectation, Array(10).fill(100));
  const shorter = wait(expectation, Array(10).fill(20));
  expect(shorter.at(-1)).toBeLessThan(25);
  const longer = wait(expectation, Array(20).fill(200));
  expect(longer.at(-1)).toBeGreaterThan(150);
});

test('does not sleep through waits of a few milliseconds', () => {
  expect(wait(new Expectation(), Array(10).fill(2))).toEqual(Array(10).fill(0));
});
