import { afterEach, describe, expect, test } from 'vitest';
import { openWorld } from '../../../src/cli/framework/openWorld.ts';
import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import { WgslDevice } from '../../../src/engine/wgsl/wgslDevice.ts';
import { ENVIRONMENTS } from '../../../src/environments/registry.ts';
import type { EnvironmentName } from '../../../src/training/data/configuration.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { Metrics, SavedRun } from '../../../src/training/data/protocol.ts';
import { Run } from '../../../src/training/run/run.ts';
import { timeless } from '../../timeless.ts';
import { testDevice, testGpu } from '../gpu.ts';

const runs: Run[] = [];
afterEach(() => {
  for (const run of runs.splice(0)) run.destroy();
});

type Controls = Record<string, number | string>;

async function open(environment: EnvironmentName, controls: Controls, saved?: SavedRun): Promise<Run> {
  const base = defaultConfiguration(environment);
  const configuration = { ...base, controls: { ...base.controls, ...controls } };
  const opened = await openWorld(configuration);
  const run = await Run.create(await testDevice(), configuration, () => {}, opened);
  runs.push(run);
  if (saved) run.resume(saved);
  else run.beginWith(loadStart(opened.world, undefined).state);
  return run;
}

async function updates(run: Run, count: number): Promise<Metrics[]> {
  const told: Metrics[] = [];
  for (let update = 0; update < count; update++) told.push(await (await run.update()).metrics);
  return told;
}

const curve = (metrics: readonly Metrics[]) => metrics.map((row) => ({ ...timeless(row), heldOut: null }));
const SMALL: Readonly<Record<'search' | 'repair' | 'repo', Controls>> = {
  search: { questions: 2, groupSize: 4 },
  repair: { programs: 16, groupSize: 4, rule: 'verpo' },
  repo: { questions: 1, groupSize: 4, filterUniform: 'off', rule: 'grpo-step' },
};
const MEASURED = { heldOutMode: 'on', heldOutEvery: 2, heldOutTasks: 8 };

describe.each(['search', 'repair', 'repo'] as const)('%s', (environment) => {
  test('measured on held-out tasks or not, a run is the same', async () => {
    const plain = await updates(await open(environment, { ...SMALL[environment], heldOutMode: 'off' }), 3);
    const run = await open(environment, { ...SMALL[environment], ...MEASURED });
    const measured = await updates(run, 3);
    expect(curve(measured)).toEqual(curve(plain));
    expect(plain.map(({ heldOut }) => heldOut)).toEqual([null, null, null]);
    expect(measured.map(({ heldOut }) => heldOut !== null)).toEqual([true, false, true]);
    for (const { heldOut } of measured) {
      if (!heldOut) continue;
      expect(Object.keys(heldOut)).toEqual(ENVIRONMENTS[environment].heldOut.map(({ name }) => name));
      for (const [name, share] of Object.entries(heldOut)) {
        // Eight tasks, each right or wrong; what is mended is a share of those that were wrong at first.
        const of = name === 'mended' ? 8 * (1 - Number(heldOut.iter1)) : 8;
        expect(Number(share) * of).toBeCloseTo(Math.round(Number(share) * of), 9);
      }
    }
  });
});

test('a run that is continued measures what it would have measured', async () => {
  const controls = { ...SMALL.search, ...MEASURED, learningRate: 1e-3 };
  const straight = await updates(await open('search', controls), 4);
  const first = await open('search', controls);
  await updates(first, 2);
  const second = await open('search', controls, await first.save());
  await updates(second, 2);
  expect(second.metrics.map(timeless)).toEqual(straight.map(timeless));
  expect(second.metrics[2]?.heldOut).not.toBeNull();
});

test('credit and optimisation have times of their own, within the time of the update', async () => {
  const { gpu } = await testDevice();
  const rows = await updates(await open('search', SMALL.search), 3);
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
  const device = new WgslDevice({ ...(await testGpu()), timestamps: false });
  const base = defaultConfiguration('search');
  const configuration = { ...base, controls: { ...base.controls, ...SMALL.search } };
  const opened = await openWorld(configuration);
  const run = await Run.create(device, configuration, () => {}, opened);
  runs.push(run);
  run.beginWith(loadStart(opened.world, undefined).state);
  const [row] = await updates(run, 1);
  expect([row?.creditMs, row?.optimizeMs]).toEqual([null, null]);
  const [timed] = await updates(await open('search', SMALL.search), 1);
  expect(curve([row as Metrics])).toEqual(curve([timed as Metrics]));
});
