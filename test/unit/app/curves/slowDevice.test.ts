import { expect, test } from 'vitest';
import { isSlowRun } from '../../../../src/app/curves/slowDevice.ts';
import { metricsOf } from '../appFixtures.ts';

const run = (updates: number, stepsPerSecond: number | undefined) => ({
  metrics: Array.from({ length: updates }, (_, step) => metricsOf(step, {})),
  stepsPerSecond,
});

test('a run is slow after three updates below 1.5 updates/s, and remains slow up to 2 updates/s', () => {
  expect(isSlowRun(run(2, 0.4), false)).toBe(false);
  expect(isSlowRun(run(3, 0.4), false)).toBe(true);
  expect(isSlowRun(run(9, 1.6), false)).toBe(false);
  expect(isSlowRun(run(9, 1.6), true)).toBe(true);
  expect(isSlowRun(run(9, 2), true)).toBe(false);
  expect(isSlowRun(run(9, undefined), true)).toBe(false);
});
