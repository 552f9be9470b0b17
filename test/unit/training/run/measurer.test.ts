import { describe, expect, test } from 'vitest';
import { ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { checkSavedRun } from '../../../../src/storage/savedRun.ts';
import type { Evaluation } from '../../../../src/training/collect/collector.ts';
import type { EnvironmentName } from '../../../../src/training/data/configuration.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { measuredAt, measureHeldOut } from '../../../../src/training/run/measurer.ts';
import { metricsOf, savedRun } from '../../app/appFixtures.ts';

type Sampler = Parameters<typeof measureHeldOut>[0];

/** Sampler that records its requests. Every third task of its pool is right. */
class RecordingSampler {
  readonly sampledCount: { tasks: readonly unknown[]; key: number; evaluation: Evaluation }[] = [];
  readonly seed = 5;
  readonly environment;

  constructor(
    name: EnvironmentName,
    public step: number,
    private readonly capacity: number,
    pool = 40,
  ) {
    const tasks = Array.from({ length: pool }, (_, index) => ({ index }));
    this.environment = {
      name,
      sampleTasks(random: { integer(bound: number): number }, count: number, split: string) {
        if (pool === 0) throw new Error('there are no tasks');
        if (split !== 'held-out') throw new Error(`tasks of ${split}`);
        return Array.from({ length: count }, () => tasks[random.integer(pool)]);
      },
    };
  }

  capacityFor(sequences = 1): number {
    return Math.floor(this.capacity / sequences);
  }

  async play(tasks: readonly { index: number }[], key: number, evaluation: Evaluation) {
    this.sampledCount.push({ tasks, key, evaluation });
    const episodes = tasks.map(({ index }, group) => {
      const right = index % 3 === 0 ? 1 : 0;
      const passed = [1, 1, 1, 1, right, 1];
      const facts = { answer: right, toolUse: 1, finished: 1, tested: right, hidden: right };
      const turn = { facts, reward: 0, components: {}, outcome: right, passed };
      return { group, turns: [turn] };
    });
    return { groups: episodes, trajectories: episodes, rollouts: episodes.map(() => ({ entropy: [] })) };
  }
}

const controlsOf = (environment: EnvironmentName, changes = {}) => ({
  ...defaultConfiguration(environment).controls,
  ...changes,
});

async function measure(sampler: RecordingSampler, changes = {}) {
  const controls = controlsOf(sampler.environment.name, { heldOutTasks: 12, ...changes });
  return measureHeldOut(sampler as unknown as Sampler, controls);
}

describe('held-out measurement', () => {
  test.each(['search', 'repair', 'repo'] as const)(
    'measureHeldOut in %s returns the metrics that the environment declares',
    async (name) => {
      const sampler = new RecordingSampler(name, 0, 100);
      const figures = await measure(sampler);
      const tasks = sampler.sampledCount.flatMap((batch) => batch.tasks as { index: number }[]);
      const right = tasks.filter(({ index }) => index % 3 === 0).length / tasks.length;
      expect(Object.keys(figures ?? {})).toEqual(ENVIRONMENTS[name].heldOut.map((fact) => fact.name));
      expect(Object.values(figures ?? {})[0]).toBeCloseTo(right, 12);
      expect(right).toBeGreaterThan(0);
    },
  );

  test('measureHeldOut samples the same distinct tasks in every step, with different draws', async () => {
    const [first, second] = [new RecordingSampler('repair', 10, 100), new RecordingSampler('repair', 20, 100)];
    await measure(first);
    await measure(second);
    const [a, b] = [first.sampledCount[0], second.sampledCount[0]];
    expect(new Set(a?.tasks).size).toBe(12);
    expect(b?.tasks).toEqual(a?.tasks);
    expect(b?.key).not.toBe(a?.key);
    const again = new RecordingSampler('repair', 10, 100);
    await measure(again);
    expect(again.sampledCount).toEqual(first.sampledCount);
  });

  test('measureHeldOut samples with the settings of evaluations, regardless of training controls', async () => {
    const [repair, repo] = [new RecordingSampler('repair', 0, 100), new RecordingSampler('repo', 0, 100)];
    await measure(repair, { temperature: 2, topK: 3 });
    await measure(repo, { temperature: 2, topK: 3 });
    expect(repair.sampledCount[0]?.evaluation).toEqual({
      sampling: { temperature: 0.6, topP: 0.95, topK: 0 },
      play: { mode: 'evaluate', maxTurns: 2 },
    });
    expect(repo.sampledCount[0]?.evaluation).toEqual({ sampling: { temperature: 1, topP: 1, topK: 0 } });
  });

  test('measureHeldOut divides tasks into batches within the capacity, with separate keys', async () => {
    const sampler = new RecordingSampler('repair', 3, 10);
    const full = new RecordingSampler('repair', 3, 100);
    expect(await measure(sampler)).toEqual(await measure(full));
    expect(sampler.sampledCount.map(({ tasks }) => tasks.length)).toEqual([5, 5, 2]);
    const next = new RecordingSampler('repair', 4, 10);
    await measure(next);
    expect(new Set([...sampler.sampledCount, ...next.sampledCount].map(({ key }) => key)).size).toBe(6);
  });

  test('measureHeldOut uses all tasks of a small pool, and returns null for an empty pool unless it is on', async () => {
    const small = new RecordingSampler('repo', 0, 100, 5);
    await measure(small);
    expect(small.sampledCount[0]?.tasks.length).toBe(5);
    expect(await measure(new RecordingSampler('repo', 0, 100, 0))).toBeNull();
    await expect(measure(new RecordingSampler('repo', 0, 100, 0), { heldOutMode: 'on' })).rejects.toThrow('no tasks');
  });

  test('measuredAt returns true at multiples of heldOutEvery, unless held-out measurement is off', () => {
    const due = (heldOutMode: string) =>
      [0, 1, 9, 10, 20].filter((step) => measuredAt(step, { heldOutMode, heldOutEvery: 10 }));
    expect([due('auto'), due('on')]).toEqual([
      [0, 10, 20],
      [0, 10, 20],
    ]);
    expect(due('off')).toEqual([]);
  });
});

describe('saved runs', () => {
  test('a saved run contains held-out metrics, which checkSavedRun checks', () => {
    const measured = metricsOf(0, { heldOut: { iter1: 0.4, iter2: null }, creditMs: 0.5, optimizeMs: 80 });
    const run = savedRun({ step: 2, metrics: [measured, metricsOf(1)] });
    expect(checkSavedRun(run).metrics).toEqual(run.metrics);
    const wrong = savedRun({ metrics: [{ ...measured, heldOut: { iter1: 'x' } } as unknown as typeof measured] });
    expect(() => checkSavedRun(wrong)).toThrow('metrics[0].heldOut.iter1 is "x", not a number');
  });
});
