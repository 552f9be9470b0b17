import { describe, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import { OFFERED } from '../../../src/training/data/configurationTables.ts';
import {
  expectCredit,
  expectTwoRepairUpdates,
  expectTwoRepoUpdates,
  SMALL_REPAIR,
  step,
} from './environmentUpdates.ts';
import { runWithControls } from './startedTestRun.ts';

describe('repair', () => {
  test.each(['murphy-mars'])('two updates under %s', expectTwoRepairUpdates);

  test('every offered rule takes effect in one run, from one update to the next', async () => {
    const run = await runWithControls('repair', { ...SMALL_REPAIR, programs: 16 });
    for (const rule of OFFERED.repair) {
      // The batch has no critic values: the long tests check the rules that use them.
      if (findRule(rule).unit === 'token') continue;
      run.change({ rule });
      const stepResult = await step(run);
      expect(stepResult.metrics.rule).toBe(rule);
      expectCredit(run, stepResult);
    }
  });
});

describe('repo', () => {
  test.each(['rtmc'])('two updates under %s', expectTwoRepoUpdates);
});
