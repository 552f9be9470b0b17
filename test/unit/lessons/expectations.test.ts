import { expect, test } from 'vitest';
import { findingOf, meanBefore, valueIn } from '../../../src/lessons/expectations.ts';
import type { Expectation } from '../../../src/lessons/lesson.ts';
import { metricsOf } from '../app/appFixtures.ts';

const rows = Array.from({ length: 20 }, (_, step) =>
  metricsOf(step, { toolUse: step < 10 ? 1 : 0, heldOut: step % 5 === 0 ? { answer: step / 20 } : null }),
);
const expectation: Expectation = {
  run: 'a',
  line: 'toolUse',
  is: 'below',
  value: 0.1,
  by: 20,
  over: 5,
  held: 10,
  seeds: 10,
  text: '',
};

test('meanBefore averages five measured values before a step, or two of a held-out metric', () => {
  // Steps 7 to 11: 1, 1, 1, 0, 0.
  expect(meanBefore(rows, 'toolUse', 12)).toBeCloseTo(0.6, 12);
  // The mean of a held-out metric has its last two measured values: steps 10 and 15.
  expect(meanBefore(rows, 'heldOut:answer', 20)).toBeCloseTo((0.5 + 0.75) / 2, 12);
  expect(meanBefore([], 'toolUse', 12)).toBeNaN();
  expect(valueIn(rows[1], 'heldOut:answer')).toBeNaN();
});

test('an expectation is met on its side of the bound, and is not met without a measurement', () => {
  expect(findingOf(expectation, rows)).toEqual({ value: 0, met: true });
  expect(findingOf({ ...expectation, by: 12 }, rows).met).toBe(false);
  expect(findingOf({ ...expectation, is: 'above', by: 10, value: 0.9 }, rows)).toEqual({ value: 1, met: true });
  for (const is of ['below', 'above'] as const) expect(findingOf({ ...expectation, is }, []).met).toBe(false);
});
