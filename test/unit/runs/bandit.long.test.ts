import { expect, test } from 'vitest';
import { banditRun, update } from './banditRun.ts';
import { isMeasured } from './measuredRuns.ts';

test('MT-GRPO learns the key and the door from initial weights in 40 updates', async () => {
  const run = await banditRun();
  const first = await update(run);
  expect(first.facts.key).toBeLessThan(0.5);
  let last = first;
  for (let step = 1; step < 40; step++) last = await update(run);
  expect(last.facts.key).toBeGreaterThan(0.95);
  expect(last.facts.right).toBeGreaterThan(0.95);
  expect(last.facts.return).toBeGreaterThan(1.2);
  expect(isMeasured(last)).toBe(false);
});
