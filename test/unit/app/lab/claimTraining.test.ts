import { afterEach, describe, expect, test, vi } from 'vitest';
import { LabLanes, LabTrainings } from '../../../../src/app/lab/labTrainings.ts';
import { computeUserDifferences } from '../../../../src/experiments/claims/claimRuns.ts';
import { mean } from '../../../../src/experiments/statistics.ts';
import { EXACT } from '../../../../src/training/data/configuration.ts';
import { FakeWorker, RunWorld } from '../runs/runWorld.ts';
import { labClaim, labExperiment } from './labFixtures.ts';

/** Returns a Lab in the same browser as a page: both share storage and workers. */
function labIn(world: RunWorld): LabTrainings {
  const openWorker = (onMessage: ConstructorParameters<typeof FakeWorker>[0]) => {
    const worker = new FakeWorker(onMessage);
    world.workers.push(worker);
    return worker;
  };
  const tabs = { lock: async () => true, releaseExcept() {}, broadcast() {}, listen() {} };
  return new LabTrainings(new LabLanes({ openStore: async () => world.store, openWorker, tabs, download() {} }));
}

async function open() {
  const world = new RunWorld();
  await world.settle();
  const before = world.worker;
  const trainings = labIn(world);
  return { world, trainings, before };
}

/** Trains each run of the current worker by `updates` updates, `times` times. */
async function trainOn(world: RunWorld, times: number, updates = 3): Promise<void> {
  for (let time = 0; time < times; time++) {
    for (const lane of [...(world.worker?.lanes ?? [])]) lane.train(updates);
    await world.settle();
  }
}

const statesOf = (trainings: LabTrainings) =>
  trainings
    .of(labClaim, labExperiment)
    ?.all.map(({ run, metrics, state }) => [run.arm.name, run.seed, metrics.length, state]);

describe('runs of a claim on this device', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  test('the runs of a claim train in parallel on the exact engine in a separate worker, and are saved', async () => {
    const { world, trainings, before } = await open();
    trainings.start(labClaim, labExperiment, [2]);
    await world.settle();
    expect(world.worker).not.toBe(before);
    const starts = world.worker?.lanes.map(({ commands }) => commands.find(({ type }) => type === 'start'));
    expect(starts).toEqual(
      Array(2).fill(expect.objectContaining({ configuration: expect.objectContaining({ engine: EXACT }) })),
    );
    await trainOn(world, 1);
    expect(statesOf(trainings)).toEqual([
      ['mt-grpo', 2, 3, 'going'],
      ['grpo-or', 2, 3, 'going'],
    ]);
    const training = trainings.of(labClaim, labExperiment);
    expect(training?.left).toBeGreaterThanOrEqual(0);
    await trainOn(world, 6);
    expect(statesOf(trainings)).toEqual([
      ['mt-grpo', 2, 9, 'done'],
      ['grpo-or', 2, 9, 'done'],
    ]);
    expect([training?.running, training?.finished, training?.updates]).toEqual([false, 2, { all: 18, done: 18 }]);
    const done = training?.all.filter(({ state }) => state === 'done') ?? [];
    const [result] = computeUserDifferences(labExperiment, done);
    const ends = done.map(({ metrics }) => mean(metrics.slice(-10).map(({ toolUse }) => toolUse ?? Number.NaN)));
    expect(result).toMatchObject({ higher: 'mt-grpo', lower: 'grpo-or', differences: [{ seed: 2 }] });
    expect(result?.differences[0]?.difference).toBeCloseTo((ends[0] ?? Number.NaN) - (ends[1] ?? Number.NaN), 5);
    const stored = [...world.store.runs.values()].map(({ saved }) => [saved.configuration.controls.rule, saved.step]);
    expect(stored.sort()).toEqual([
      ['grpo-or', 9],
      ['mt-grpo', 9],
    ]);
  });

  test('stopped runs of a claim continue from their last update, also in a page that is opened later', async () => {
    const { world, trainings } = await open();
    trainings.start(labClaim, labExperiment, [1]);
    await world.settle();
    await trainOn(world, 1, 4);
    trainings.of(labClaim, labExperiment)?.stop();
    await world.settle();
    expect(statesOf(trainings)).toEqual([
      ['mt-grpo', 1, 4, 'waiting'],
      ['grpo-or', 1, 4, 'waiting'],
    ]);
    const reopened = labIn(world);
    reopened.start(labClaim, labExperiment, [1]);
    await world.settle();
    expect(statesOf(reopened)?.map(([, , updates]) => updates)).toEqual([4, 4]);
    await trainOn(world, 6);
    expect(statesOf(reopened)?.map(([, , updates, state]) => [updates, state])).toEqual([
      [9, 'done'],
      [9, 'done'],
    ]);
  });

  test('starting more seeds of a claim trains only their runs and does not repeat finished runs', async () => {
    const { world, trainings } = await open();
    trainings.start(labClaim, labExperiment, [1]);
    await world.settle();
    await trainOn(world, 8);
    trainings.start(labClaim, labExperiment, [1, 2]);
    await world.settle();
    expect(statesOf(trainings)?.map(([, seed, , state]) => [seed, state])).toEqual([
      [1, 'done'],
      [1, 'done'],
      [2, 'going'],
      [2, 'going'],
    ]);
  });

  test('a worker failure in a claim is reported, and the next attempt uses another worker', async () => {
    const { world, trainings } = await open();
    trainings.start(labClaim, labExperiment, [1]);
    await world.settle();
    const { worker } = world;
    worker?.crash();
    await world.settle();
    const training = trainings.of(labClaim, labExperiment);
    expect([training?.running, training?.problem]).toEqual([false, 'x']);
    if (training) trainings.goOn(training);
    await world.settle();
    expect(world.worker).not.toBe(worker);
    expect(training?.running).toBe(true);
  });
});
