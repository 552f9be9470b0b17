import { expect, test } from 'vitest';
import { repairRun } from './startedTestRun.ts';

test('an update without a reward model fails with the error of its loader, and the step does not change', async () => {
  const missing = () => Promise.reject(new Error('there is no reward model of this world'));
  const run = await repairRun({ outcomeReward: 'model' }, missing);
  await expect(run.update()).rejects.toThrow('there is no reward model of this world');
  expect(run.step).toBe(0);
  run.change({ outcomeReward: 'solved' });
  await (await run.update()).metrics;
  expect(run.step).toBe(1);
});
