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
  test.each(['murphy-mars'])(
    'two updates of Repair have consistent metrics, rewards and credit under %s',
    expectTwoRepairUpdates,
  );

  test('a Repair run uses every offered rule for turns after a switch between two updates', async () => {
    const run = await runWithControls('repair', { ...SMALL_REPAIR, programs: 16 });
    for (const rule of OFFERED.repair) {
      // Rules for tokens need critic values, which the batch lacks. The long tests check these rules.
      if (findRule(rule).unit === 'token') continue;
      run.change({ rule });
      const stepResult = await step(run);
      expect(stepResult.metrics.rule).toBe(rule);
      expectCredit(run, stepResult);
    }
  });
});

describe('repo', () => {
  test.each(['rtmc'])(
    'two updates of the Repository environment have consistent metrics, actions and credit under %s',
    expectTwoRepoUpdates,
  );
});
