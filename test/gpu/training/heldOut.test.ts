import { describe, expect, test } from 'vitest';
import { WgslDevice } from '../../../src/engine/wgsl/wgslDevice.ts';
import type { Metrics } from '../../../src/training/data/protocol.ts';
import { timeless } from '../../timeless.ts';
import { testDevice } from '../gpu.ts';
import { runWithControls } from './begunRun.ts';
import { curve, expectSameRunMeasured, isMeasured, MEASURED, SMALL, updates } from './measuredRuns.ts';

describe.each(['search'] as const)('%s', (environment) => {
  test('measured on held-out tasks or not, a run is the same', () => expectSameRunMeasured(environment));
});

test('a run that is continued measures what it would have measured', async () => {
  const controls = { ...SMALL.search, ...MEASURED, learningRate: 1e-3 };
  const straight = await updates(await runWithControls('search', controls), 4);
  const first = await runWithControls('search', controls);
  await updates(first, 2);
  const second = await runWithControls('search', controls, { saved: await first.save() });
  await updates(second, 2);
  expect(second.metrics.map(timeless)).toEqual(straight.map(timeless));
  expect(second.metrics.map(isMeasured)).toEqual([true, false, true, false]);
});

test('credit and optimisation have times of their own, within the time of the update', async () => {
  const { gpu } = await testDevice();
  const rows = await updates(await runWithControls('search', SMALL.search), 3);
  for (const { creditMs, optimizeMs, encodeMs, updateMs } of rows) {
    expect(encodeMs).toBeGreaterThan(0);
    if (gpu.timestamps) {
      expect(creditMs).toBeGreaterThan(0);
      expect((creditMs ?? 0) + (optimizeMs ?? 0)).toBeLessThan(updateMs);
    } else expect([creditMs, optimizeMs]).toEqual([null, null]);
  }
  // The least of each: a software device shares its processor, and any one time may hold a pause.
  const least = (name: 'creditMs' | 'optimizeMs') => Math.min(...rows.map((row) => row[name] ?? Number.NaN));
  if (gpu.timestamps) expect(least('optimizeMs')).toBeGreaterThan(least('creditMs'));
});

test('without timestamps a run is the same, and has no such times', async () => {
  const device = new WgslDevice({ ...(await testDevice()).gpu, timestamps: false });
  const run = await runWithControls('search', SMALL.search, { device });
  const [row] = await updates(run, 1);
  expect([row?.creditMs, row?.optimizeMs]).toEqual([null, null]);
  const [timed] = await updates(await runWithControls('search', SMALL.search), 1);
  expect(curve([row as Metrics])).toEqual(curve([timed as Metrics]));
});
