import { afterEach, describe, expect, test, vi } from 'vitest';
import { CHARTS } from '../../../../src/app/curves/chartDefinitions.ts';
import { metricOf } from '../../../../src/app/curves/series.ts';
import { seedCurves } from '../../../../src/app/lanes/seedPanel.ts';
import type { SeedRun } from '../../../../src/app/runs/trainingQueue.ts';
import { laneStrings } from '../../../../src/app/strings/runStrings.ts';
import { confidence } from '../../../../src/experiments/inference/inference.ts';
import { metricsOf } from '../appFixtures.ts';
import { RunWorld } from './runWorld.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Trains the current seed by two updates, `times` times. */
async function trainOn(world: RunWorld, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    for (const lane of world.worker?.lanes ?? []) lane.train(2);
    await world.settle();
  }
}

async function open(): Promise<RunWorld> {
  const world = new RunWorld();
  await world.settle();
  return world;
}

const seedsOf = ({ run }: RunWorld) => run.series?.seeds.map(({ seed, metrics, done }) => [seed, metrics.length, done]);

describe('a series of seeds', () => {
  test('a series trains its seeds in sequence and saves each run, while the first run is paused', async () => {
    const world = await open();
    void world.run.dispatch({ type: 'seeds', count: 3, steps: 4 });
    await world.settle();
    expect(world.run.session.model.status).toBe('paused');
    await trainOn(world, 1);
    expect(seedsOf(world)).toEqual([[1, 2, false]]);
    expect(world.run.series?.left).toBeGreaterThanOrEqual(0);
    await trainOn(world, 5);
    expect(seedsOf(world)).toEqual([1, 2, 3].map((seed) => [seed, 4, true]));
    const { series } = world.run;
    expect([series?.running, series?.finished]).toEqual([false, 3]);
    const stored = [...world.store.runs.values()].map(({ saved }) => [saved.configuration.seed, saved.step]);
    expect(stored.sort()).toEqual([1, 2, 3].map((seed) => [seed, 4]));
    // The memory of the series is released.
    expect(world.run.hasCapacity).toBe(true);
  });

  test('a series does not start if the user selected another run while its code was loading', async () => {
    const world = await open();
    void world.run.dispatch({ type: 'seeds', count: 2, steps: 4 });
    world.run.reset();
    await world.settle();
    expect(world.run.series).toBeUndefined();
    expect(world.run.session.model.status).toBe('playing');
  });

  test('a series ignores updates after the last required step, and trains the next seed', async () => {
    const world = await open();
    void world.run.dispatch({ type: 'seeds', count: 2, steps: 4 });
    await world.settle();
    const lane = () => world.worker?.lanes.at(-1);
    // The run is past its last required step before it receives the message to stop.
    lane()?.train(4);
    lane()?.train(2);
    await world.settle();
    expect(seedsOf(world)).toEqual([[1, 4, true]]);
    lane()?.train(2);
    await world.settle();
    expect(seedsOf(world)).toEqual([
      [1, 4, true],
      [2, 2, false],
    ]);
    await trainOn(world, 1);
    expect(seedsOf(world)).toEqual([1, 2].map((seed) => [seed, 4, true]));
  });

  test('a stopped series continues from its last update, also in a page that is opened later', async () => {
    const world = await open();
    void world.run.dispatch({ type: 'seeds', count: 2, steps: 6 });
    await world.settle();
    await trainOn(world, 4);
    expect(seedsOf(world)).toEqual([
      [1, 6, true],
      [2, 2, false],
    ]);
    world.run.series?.stop();
    await world.settle();
    expect(world.run.series?.running).toBe(false);
    void world.run.dispatch({ type: 'train-seeds' });
    await world.settle();
    expect(seedsOf(world)).toEqual([
      [1, 6, true],
      [2, 2, false],
    ]);
    void world.run.dispatch({ type: 'close-series' });
    await world.settle();

    const reopened = new RunWorld(async () => world.store);
    await reopened.settle();
    void reopened.run.dispatch({ type: 'seeds', count: 2, steps: 6 });
    await reopened.settle();
    expect(seedsOf(reopened)).toEqual([
      [1, 6, true],
      [2, 2, false],
    ]);
    await trainOn(reopened, 2);
    expect(seedsOf(reopened)).toEqual([
      [1, 6, true],
      [2, 6, true],
    ]);
    expect(world.store.runs.size).toBe(2);
  });

  test.each([
    ['has room for a fork', ['rtmc', 'grpo-or']],
    ['has no room for a fork', ['rtmc', 'grpo-or', 'grpo-mr']],
  ])('a series keeps its place between seeds on a page that %s', async (_, rules) => {
    const world = await open();
    world.run.compare(rules);
    await world.settle();
    const { storage } = world.run;
    const { find } = storage;
    let seeds = 0;
    vi.spyOn(storage, 'find').mockImplementation((link, excluded) => {
      if (++seeds === 2) void world.run.dispatch({ type: 'fork', changes: { rule: 'mt-grpo' } });
      return find.call(storage, link, excluded);
    });
    void world.run.dispatch({ type: 'seeds', count: 2, steps: 4 });
    await world.settle();
    await trainOn(world, 4);
    expect(seedsOf(world)).toEqual([1, 2].map((seed) => [seed, 4, true]));
    expect([world.run.all.length, world.run.series?.problem]).toEqual([3, undefined]);
  });

  test('a series on a page with four runs states that the page is full', async () => {
    const world = await open();
    world.run.compare(['mt-grpo', 'rtmc', 'grpo-or', 'grpo-mr']);
    await world.settle();
    void world.run.dispatch({ type: 'seeds', count: 2, steps: 4 });
    await world.settle();
    expect(world.run.series).toMatchObject({ running: false, problem: laneStrings.full(4) });
  });

  test('a worker crash in a series is reported, and the series continues in the next worker', async () => {
    const world = await open();
    void world.run.dispatch({ type: 'seeds', count: 2, steps: 4 });
    await world.settle();
    await trainOn(world, 1);
    world.worker?.crash();
    await world.settle();
    const { series } = world.run;
    expect([series?.running, series?.problem]).toEqual([false, 'x']);
    void world.run.dispatch({ type: 'restart' });
    await world.settle();
    void world.run.dispatch({ type: 'train-seeds' });
    await world.settle();
    await trainOn(world, 4);
    expect(seedsOf(world)).toEqual([1, 2].map((seed) => [seed, 4, true]));
  });
});

describe('the chart of a series', () => {
  const { main } = CHARTS.search;
  const [line] = main.series;
  if (!line) throw new Error('the chart has no line');
  const run = (seed: number, steps: number, done: boolean): SeedRun => ({
    seed,
    done,
    metrics: Array.from({ length: steps }, (_, step) => metricsOf(step, { toolUse: seed / 10 + step / 100 })),
  });

  test('the chart of a series has a thin line per seed, and the mean of finished seeds with its interval', () => {
    const { chart, metrics } = seedCurves(
      [run(1, 3, true), run(2, 3, true), run(3, 2, false), run(4, 3, true)],
      main,
      line,
    );
    expect(chart.series.map(({ label, thin = false }) => [label, thin])).toEqual([
      ['seed 1', true],
      ['seed 2', true],
      ['seed 3', true],
      ['seed 4', true],
      ['Mean of 3 seeds', false],
    ]);
    expect(metrics.map((row) => metricOf(row, 'fact:mean'))).toEqual([
      expect.closeTo(0.7 / 3),
      expect.closeTo(0.7 / 3 + 0.01),
      expect.closeTo(0.7 / 3 + 0.02),
    ]);
    // The third seed does not affect the mean before it is done.
    expect(metricOf(metrics[2] as (typeof metrics)[number], 'fact:seed3')).toBeNaN();
    const half = confidence([0.1, 0.2, 0.4]);
    expect(half).toBeGreaterThan(0.3);
    // The interval of a share is limited to 0 to 1.
    expect(metricOf(metrics[0] as (typeof metrics)[number], 'fact:low')).toBe(0);
    expect(metricOf(metrics[0] as (typeof metrics)[number], 'fact:high')).toBeCloseTo(0.7 / 3 + half);
    expect(chart.band).toMatchObject({ low: 'fact:low', high: 'fact:high' });
  });

  test('the chart of a series has no interval for two seeds and no mean without finished seeds', () => {
    const { metrics } = seedCurves([run(1, 3, true), run(2, 3, true)], main, line);
    expect(metrics.map((row) => metricOf(row, 'fact:low'))).toEqual([NaN, NaN, NaN]);
    expect(seedCurves([run(1, 3, false)], main, line).chart.series).toHaveLength(1);
  });
});
