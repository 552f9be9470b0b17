import { afterEach, describe, expect, test, vi } from 'vitest';
import { curvesCsv } from '../../../../src/app/runs/runFiles.ts';
import type { EngineDevice } from '../../../../src/engine/engine.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import { writeCheckpoint } from '../../../../src/policy/checkpoint.ts';
import { initialParameters } from '../../../../src/policy/weights.ts';
import type { RunConfiguration } from '../../../../src/training/data/configuration.ts';
import type { OpenEnvironment } from '../../../../src/training/run/openEnvironment.ts';
import { Run } from '../../../../src/training/run/run.ts';
import type { Trainer } from '../../../../src/training/run/trainer.ts';
import { policyOf } from '../../../searchPolicy.ts';
import { SETTINGS } from '../../../searchTables.ts';
import { savedRun } from '../appFixtures.ts';
import { LONG, longSavedRun } from './longSavedRun.ts';
import { RunWorld, row } from './runWorld.ts';

const config = policyOf(defaults(SETTINGS));
const state = { parameters: initialParameters(config, 3) };
const checkpoint = writeCheckpoint(config, state);

/** Trainer whose updates take no time. */
const trainer = {
  step: 0,
  fill: undefined as number | undefined,
  controls: {} as Record<string, unknown>,
  environment: {},
  engine: { config, readState: async () => state },
  load(_state: unknown, step: number) {
    this.step = step;
  },
  async update() {
    const step = this.step++;
    return { metrics: Promise.resolve({ step, loss: 0, gradientNorm: 1, valueLoss: null, valueGradientNorm: null }) };
  },
  destroy() {},
};

/** Creates a run with that trainer. */
const createRun = (configuration: RunConfiguration, limit?: number) =>
  Run.create(
    {} as EngineDevice,
    configuration,
    () => {},
    opened,
    limit,
    async () => trainer as unknown as Trainer,
  );

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const opened = { warmUp() {}, close() {}, environment: {} } as unknown as OpenEnvironment;

// The tests take some seconds, and many times longer if other tests use the processors.
vi.setConfig({ testTimeout: 300_000 });

describe('a run of 200,000 updates', () => {
  test('of 200,000 resumed updates, a worker retains only the newest rows, and the terminal all rows', async () => {
    const saved = { ...longSavedRun(), checkpoint };
    const { configuration } = saved;
    const worker = await createRun(configuration, 32);
    worker.resume(saved);
    expect(worker.metrics.length).toBeLessThan(64);
    expect(worker.metrics.at(-1)?.step).toBe(LONG - 1);
    const terminal = await createRun(configuration);
    terminal.resume(saved);
    expect(terminal.metrics).toHaveLength(LONG);
    expect((await terminal.save()).metrics).toHaveLength(LONG);
  });

  test('the number of rows in a worker remains below 64 over 200,000 updates', async () => {
    const run = await createRun(savedRun().configuration, 32);
    trainer.step = 0;
    trainer.controls = { heldOutMode: 'off' };
    for (let step = 0; step < LONG; step += 1) await (await run.update()).metrics;
    expect(run.metrics.length).toBeLessThan(64);
    expect(run.metrics.at(-1)?.step).toBe(LONG - 1);
    expect((await run.save()).metrics.length).toBeLessThan(64);
  });

  test('a run without storage recovers from its last checkpoint, and its file has a downsampled curve', async () => {
    const world = new RunWorld(async () => {
      throw new DOMException('a private window', 'SecurityError');
    });
    await world.settle();
    world.run.transport('play');
    await world.settle();
    for (let step = 0; step < 20_000; step += 2000) {
      world.worker?.train(2000);
      world.worker?.deliverAll();
    }
    world.frame();
    world.worker?.train(5);
    world.worker?.deliverSome(3);
    world.worker?.crash();
    await world.settle();
    void world.run.dispatch({ type: 'restart' });
    await world.settle();
    const { model } = world.run.session;
    expect(model.step).toBe(20_000);
    expect(model.metrics.at(-1)?.step).toBe(19_999);
    expect(model.curve.downsampled?.every).toBe(16);
    world.run.downloads.run();
    await world.settle();
    const [{ saved }] = world.files;
    expect(saved).toMatchObject({ step: 20_000, downsampled: { every: 16 } });
    expect(world.messages.at(-1)).toMatch('about one update in 16');
  });
});

test('the curves of 20,000 updates are exported as one table', () => {
  const metrics = Array.from({ length: 20_000 }, (_, step) => row(step, 3));
  const lines = curvesCsv(metrics).trimEnd().split('\n');
  expect(lines).toHaveLength(20_001);
  expect(lines[12_346]).toMatch(/^12345,/);
});
