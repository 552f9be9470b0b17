import { expect, test } from 'vitest';
import { repairRun } from './startedTestRun.ts';

test('without a model the update says which command makes it, and nothing is learned', async () => {
  const missing = () => Promise.reject(new Error('there is no reward model of this world'));
  const run = await repairRun({ outcomeReward: 'model' }, missing);
  await expect(run.update()).rejects.toThrow('there is no reward model of this world');
  expect(run.step).toBe(0);
  run.change({ outcomeReward: 'solved' });
  await (await run.update()).metrics;
  expect(run.step).toBe(1);
});
