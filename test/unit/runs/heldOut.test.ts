import { describe, expect, test } from 'vitest';
import { timeless } from '../../timeless.ts';
import { expectSameRunMeasured, isMeasured, MEASURED, SMALL, updates } from './measuredRuns.ts';
import { runWithControls } from './startedTestRun.ts';

describe.each(['search'] as const)('%s', (environment) => {
  test('held-out measurements do not change a run', () => expectSameRunMeasured(environment));
});

test('a resumed run has the held-out measurements of an uninterrupted run', async () => {
  const controls = { ...SMALL.search, ...MEASURED, learningRate: 1e-3 };
  const straight = await updates(await runWithControls('search', controls), 4);
  const first = await runWithControls('search', controls);
  await updates(first, 2);
  const second = await runWithControls('search', controls, { saved: await first.save() });
  await updates(second, 2);
  expect(second.metrics.map(timeless)).toEqual(straight.map(timeless));
  expect(second.metrics.map(isMeasured)).toEqual([true, false, true, false]);
});
