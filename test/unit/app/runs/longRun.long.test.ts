import { describe, expect, test, vi } from 'vitest';
import { readRunFile, writeRunFile } from '../../../../src/storage/runFile.ts';
import { LONG, longSavedRun } from './longSavedRun.ts';
import { lineageOf, RunWorld } from './runWorld.ts';

// The tests take some seconds, and many times longer if other tests use the processors.
vi.setConfig({ testTimeout: 300_000 });

describe('a run of 200,000 updates', () => {
  test('a run of 200,000 updates has all its metrics after a round trip through a file', () => {
    const saved = longSavedRun();
    const read = readRunFile(writeRunFile(saved));
    expect(read.metrics).toHaveLength(LONG);
    for (const at of [0, 1, 99_999, LONG - 1]) expect(read.metrics[at]).toEqual(saved.metrics[at]);
    expect(read.downsampled).toBeUndefined();
  });

  test('a run of 200,000 updates is displayed with at most 4096 rows, and stored with all rows', async () => {
    const world = new RunWorld();
    await world.settle();
    const { run } = world;
    const lineage = lineageOf(run.session.model.configuration);
    run.transport('play');
    await world.settle();
    // Delivers the messages of 2000 updates at a time. The clock advances so that the page saves a state each time.
    const worker = world.worker;
    for (let step = 0; step < LONG; step += 2000) {
      worker?.train(2000);
      worker?.deliverAll();
      world.clock += 16_000;
      await world.run.storage.written;
      world.frame();
    }
    run.transport('pause');
    await world.settle();
    const { model, id } = run.session;
    expect(model.step).toBe(LONG);
    expect(model.metrics.length).toBeLessThanOrEqual(4096);
    expect(model.curve.downsampled?.every).toBe(128);
    expect(model.checkpoint?.metrics.length).toBeLessThan(100);
    const metrics = world.store.runs.get(id)?.saved.metrics ?? [];
    expect(metrics).toHaveLength(LONG);
    expect([metrics[150_001].step, metrics[150_001].tokensPerSecond]).toEqual([150_001, lineage]);
    // Each save contains only the rows since the previous save.
    expect(Math.max(...world.store.savedRows)).toBeLessThanOrEqual(2 * 2000);
    const curve = await run.storage.curveOf(run.session.run, LONG);
    expect([curve?.rows.length, curve?.downsampled]).toEqual([LONG, undefined]);
  });
});
