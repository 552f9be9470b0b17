import { describe, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import { mostTurns } from '../../../src/training/collect/budget.ts';
import { OFFERED } from '../../../src/training/data/configurationTables.ts';
import type { Metrics } from '../../../src/training/data/protocol.ts';
import { timeless } from '../../timeless.ts';
import { runWithControls } from './begunRun.ts';
import {
  expectCredit,
  expectTwoRepairUpdates,
  expectTwoRepoUpdates,
  SMALL_REPAIR,
  step,
} from './environmentUpdates.ts';

describe('repair', () => {
  test.each(['murphy-mars'])('two updates under %s', expectTwoRepairUpdates);

  test('every rule that is offered comes into force in one run, from one update to the next', async () => {
    const run = await runWithControls('repair', { ...SMALL_REPAIR, programs: 16 });
    for (const rule of OFFERED.repair) {
      // The batch has no critic values: the long tests check the rules that use them.
      if (findRule(rule).unit === 'token') continue;
      run.change({ rule });
      const one = await step(run);
      expect(one.metrics.rule).toBe(rule);
      expectCredit(run, one);
    }
  });

  test('a run goes on exactly, the number of problems that it samples too', async () => {
    const straight = await runWithControls('repair', { ...SMALL_REPAIR, rule: 'verpo' });
    const curve: Metrics[] = [];
    for (let update = 0; update < 3; update++) curve.push((await step(straight)).metrics);
    const first = await runWithControls('repair', { ...SMALL_REPAIR, rule: 'verpo' });
    await step(first);
    const second = await runWithControls(
      'repair',
      { ...SMALL_REPAIR, rule: 'verpo' },
      {
        saved: await first.save(),
      },
    );
    await step(second);
    await step(second);
    expect(second.metrics.map(timeless)).toEqual(curve.map(timeless));
    // The first update expects all turns to be taken, later ones what was.
    const layout = { branching: [4, 1], turns: 2 };
    expect(curve[0].tasks).toBe(Math.round(32 / mostTurns(layout)));
    expect(curve[1].tasks).toBe(Math.round(32 / (mostTurns(layout) * curve[0].fill)));
    expect(curve[0].fill).toBeLessThan(1);
  });
});

describe('repo', () => {
  test.each(['rtmc'])('two updates under %s', expectTwoRepoUpdates);
});
