import { expect, test } from 'vitest';
import { WgslDevice } from '../../../src/engine/wgsl/wgslEngine.ts';
import type { Metrics } from '../../../src/training/data/protocol.ts';
import { curve, SMALL, updates } from '../../unit/runs/measuredRuns.ts';
import { runWithControls } from '../../unit/runs/startedTestRun.ts';
import { testDevice } from '../gpu.ts';

test('an update reports the times of credit and optimisation; their sum is less than its total time', async () => {
  const { gpu, software } = await testDevice();
  const rows = await updates(await runWithControls('search', SMALL.search, { device: await testDevice() }), 3);
  for (const { creditMs, optimizeMs, encodeMs, updateMs } of rows) {
    expect(encodeMs).toBeGreaterThan(0);
    if (gpu.timestamps) {
      // Dawn rounds timestamps to 0.1 ms; credit may take less on a graphics card.
      if (software) expect(creditMs).toBeGreaterThan(0);
      else expect(creditMs).toBeGreaterThanOrEqual(0);
      expect((creditMs ?? 0) + (optimizeMs ?? 0)).toBeLessThan(updateMs);
    } else expect([creditMs, optimizeMs]).toEqual([null, null]);
  }
  // Least times are compared: a software device shares its processor, so that any time may contain a pause.
  const least = (name: 'creditMs' | 'optimizeMs') => Math.min(...rows.map((row) => row[name] ?? Number.NaN));
  if (gpu.timestamps) expect(least('optimizeMs')).toBeGreaterThan(least('creditMs'));
});

test('a run on a device without timestamps has the same curve and reports no times of credit', async () => {
  const device = new WgslDevice({ ...(await testDevice()).gpu, timestamps: false });
  const run = await runWithControls('search', SMALL.search, { device });
  const [row] = await updates(run, 1);
  expect([row?.creditMs, row?.optimizeMs]).toEqual([null, null]);
  const [timed] = await updates(await runWithControls('search', SMALL.search, { device: await testDevice() }), 1);
  expect(curve([row as Metrics])).toEqual(curve([timed as Metrics]));
});
