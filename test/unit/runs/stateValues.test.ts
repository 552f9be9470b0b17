import { afterEach, expect, test } from 'vitest';
import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import { openWorld } from '../../../src/cli/framework/worldRuns.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import { Run } from '../../../src/training/run/run.ts';
import { testDevice } from './runDevice.ts';

const runs: Run[] = [];

afterEach(() => {
  for (const run of runs.splice(0)) run.destroy();
});

async function startRun(controls: Readonly<Record<string, string | number>>): Promise<Run> {
  const base = defaultConfiguration('bandit');
  const configuration = { ...base, controls: { ...base.controls, rule: 'vineppo', ...controls } };
  const opened = await openWorld(configuration);
  const run = await Run.create(await testDevice(), configuration, () => {}, opened);
  runs.push(run);
  run.beginWith(loadStart(opened.world, undefined).state);
  return run;
}

test('an update under VinePPO trains on its sampled turns, not on the continuations', async () => {
  const run = await startRun({ questions: 4, groupSize: 8, minibatches: 1, vineContinuations: 2 });
  const { batch, metrics, credit } = await run.update();
  const { klOldK3, clipLow, clipHigh } = await metrics;
  // The policy has not changed since it sampled the batch.
  expect(klOldK3).toBeLessThan(1e-6);
  expect([clipLow, clipHigh]).toEqual([0, 0]);
  const used = (await credit).turns;
  batch.groups.forEach(({ turns }, group) => {
    const first = batch.forest.groupOffset[group];
    turns.forEach(({ stateValue, outcome, parent }, turn) => {
      if (outcome !== undefined) expect(used[first + turn]).toBeCloseTo(outcome - (stateValue as number), 5);
      if (parent >= 0)
        expect(used[first + parent]).toBeCloseTo((stateValue as number) - (turns[parent].stateValue as number), 5);
    });
    // All rollouts of a question begin at the same state, which has one value.
    expect(new Set(turns.filter(({ parent }) => parent < 0).map(({ stateValue }) => stateValue)).size).toBe(1);
  });
});

test('state values under VinePPO estimate the following return without bias', async () => {
  const run = await startRun({ questions: 16, groupSize: 8, vineContinuations: 32 });
  const { batch, metrics } = await run.update();
  await metrics;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const outcomes = batch.groups.flatMap(({ turns }) => turns.flatMap(({ outcome }) => outcome ?? []));
  const before = (first: boolean) =>
    mean(
      batch.groups.flatMap(({ turns }) =>
        turns.filter(({ parent }) => parent < 0 === first).map(({ stateValue }) => stateValue as number),
      ),
    );
  const standardError = Math.sqrt(mean(outcomes.map((outcome) => (outcome - mean(outcomes)) ** 2)) / outcomes.length);
  expect(standardError).toBeGreaterThan(0);
  for (const estimate of [before(true), before(false)])
    expect(Math.abs(estimate - mean(outcomes))).toBeLessThan(4 * standardError);
});
