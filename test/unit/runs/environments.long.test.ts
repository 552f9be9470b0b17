import { describe, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import { byTurn } from '../../../src/engine/updatePlan.ts';
import { normalizeTokens } from '../../../src/objective/objective.ts';
import { computeMaxTurns } from '../../../src/training/collect/batch.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { Metrics } from '../../../src/training/data/protocol.ts';
import { runParameters } from '../../../src/training/update/planUpdate.ts';
import { timeless } from '../../timeless.ts';
import { expectClose } from '../../vectorFile.ts';
import {
  expectCredit,
  expectTwoRepairUpdates,
  expectTwoRepoUpdates,
  SMALL_REPAIR,
  SMALL_REPO,
  step,
} from './environmentUpdates.ts';
import { runWithControls, startTestRun } from './startedTestRun.ts';

describe('repair', () => {
  test.each(['grpo-mt', 'grpo-or', 'verpo'])(
    'two updates of Repair have consistent metrics, rewards and credit under %s',
    expectTwoRepairUpdates,
  );

  test.each(['murphy-mers', 'verpo', 'rloo'])(
    'the rule %s has the same effect after a switch before the first update as from the start',
    async (rule) => {
      const straight = await runWithControls('repair', { ...SMALL_REPAIR, rule });
      const changed = await runWithControls('repair', { ...SMALL_REPAIR, rule: 'grpo-or' });
      changed.change({ rule });
      for (let update = 0; update < 2; update++) {
        const [expected, actual] = [await step(straight), await step(changed)];
        expectCredit(changed, actual);
        expect(actual.credit).toEqual(expected.credit);
        expect(timeless(actual.metrics)).toEqual(timeless(expected.metrics));
      }
      expect((await changed.trainer.engine.readState()).parameters).toEqual(
        (await straight.trainer.engine.readState()).parameters,
      );
    },
  );

  test('a resumed run has the curve of an uninterrupted run, with the same numbers of sampled problems', async () => {
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
    // The first update assumes that all turns are taken. Later updates use the measured fill.
    const layout = { branching: [4, 1], turns: 2 };
    expect(curve[0].tasks).toBe(Math.round(32 / computeMaxTurns(layout)));
    expect(curve[1].tasks).toBe(Math.round(32 / (computeMaxTurns(layout) * curve[0].fill)));
    expect(curve[0].fill).toBeLessThan(1);
  });

  test.each(['ppo-or', 'ppo-mr', 'mt-ppo', 'turn-ppo'])(
    'an update of Repair under %s uses the token advantages that the rule computes from critic values',
    async (name) => {
      const run = await runWithControls('repair', { ...SMALL_REPAIR, rule: name, criticUpdates: 0 });
      const { batch, metrics, credit } = await step(run);
      expect([metrics.retained, credit.tokens?.length]).toEqual([1, batch.policyTokens]);
      expect(Math.max(...batch.forest.depth)).toBe(1);
      const values = byTurn(batch, credit.values ?? new Float32Array());
      const rule = findRule(name);
      let turn = 0;
      const exact = batch.groups.flatMap((group) => {
        const turns = group.turns.map((item) => ({ ...item, values: values[turn++] }));
        const { tokens } = rule.credit({ ...group, turns }, runParameters(rule, run.trainer.controls, 2));
        return [...(tokens?.advantages ?? [])];
      });
      expectClose([...(credit.tokens ?? [])], [...normalizeTokens(exact)], 1e-3);
      expect(new Set(exact.map((value) => value.toFixed(3))).size).toBeGreaterThan(10);
    },
  );

  test('an update of TAPO over alternating programs and tests uses token advantages from critic values', async () => {
    const base = defaultConfiguration('repair');
    const configuration = {
      ...base,
      settings: { ...base.settings, verification: 'written' },
      controls: { ...base.controls, ...SMALL_REPAIR, rule: 'tapo', criticUpdates: 0 },
    };
    // Initial weights write no readable program, so an episode has the maximum number of turns.
    const run = await startTestRun(configuration, { initialWeights: 1 });
    const { batch, metrics, credit } = await step(run);
    expect([metrics.retained, credit.tokens?.length]).toEqual([1, batch.policyTokens]);
    expect(Math.max(...batch.forest.depth)).toBe(2);
    const turns = batch.groups.flatMap((group) => group.turns);
    expect(turns.filter(({ passed }) => passed).length).toBe((2 / 3) * turns.length);
    expect(metrics.facts.testsAgree).toBe(0);
    const values = byTurn(batch, credit.values ?? new Float32Array());
    let turn = 0;
    const exact = batch.groups.flatMap((group) => {
      const valued = group.turns.map((item) => ({ ...item, values: values[turn++] }));
      return [...(findRule('tapo').credit({ ...group, turns: valued }, run.trainer.controls).tokens?.advantages ?? [])];
    });
    expectClose([...(credit.tokens ?? [])], [...normalizeTokens(exact)], 1e-3);
    expect(() => run.change({ rule: 'murphy-mars' })).toThrow(
      'murphy-mars compares programs that continue one program',
    );
    expect(run.trainer.controls.rule).toBe('tapo');
  });

  test('the first of 10 warm-up updates has a tenth of the learning rate, and one warm-up update has no effect', async () => {
    const moved = async (warmUp: number) => {
      const run = await runWithControls('repair', {
        ...SMALL_REPAIR,
        programs: 16,
        rule: 'verpo',
        minibatches: 1,
        warmUp,
      });
      const before = (await run.trainer.engine.readState()).parameters;
      await step(run);
      const after = (await run.trainer.engine.readState()).parameters;
      return after.reduce((sum, value, at) => sum + Math.abs(value - before[at]), 0);
    };
    const [full, once, tenth] = [await moved(0), await moved(1), await moved(10)];
    expect(once).toBe(full);
    // The first step of AdamW moves every parameter by the learning rate.
    expect(tenth / full).toBeCloseTo(0.1, 3);
  });

  test('skipped turns with advantage 0 do not change the loss and the gradient norm', async () => {
    const lines = [];
    for (const skipZero of ['on', 'off']) {
      const run = await runWithControls('repair', { ...SMALL_REPAIR, rule: 'grpo-mt', minibatches: 1, skipZero });
      const { metrics } = await step(run);
      lines.push(metrics);
    }
    const [skipped, full] = lines;
    expect(skipped.retained).toBeLessThan(1);
    expect(full.retained).toBe(1);
    expect(skipped.gradientNorm).toBeCloseTo(full.gradientNorm ?? NaN, 4);
    expect(skipped.loss).toBeCloseTo(full.loss ?? NaN, 5);
  });
});

describe('repo', () => {
  test.each(['grpo-step'])(
    'two updates of the Repository environment have consistent metrics, actions and credit under %s',
    expectTwoRepoUpdates,
  );

  test('an update with filterUniform drops groups with equal outcomes', async () => {
    const run = await runWithControls('repo', { ...SMALL_REPO, filterUniform: 'on', rule: 'rtmc' });
    const result = await step(run);
    expectCredit(run, result);
    const ties = result.batch.groups.map(
      ({ turns }) => new Set(turns.flatMap(({ outcome }) => outcome ?? [])).size <= 1,
    );
    const retained = result.batch.groups.reduce((sum, { turns }, group) => sum + (ties[group] ? 0 : turns.length), 0);
    expect(result.metrics.retained).toBeCloseTo(retained / result.metrics.turns, 10);
    expect(result.metrics.facts.uniform).toBe(ties.filter(Boolean).length / 2);
  });

  test('an update of the Repository environment under mt-ppo trains the critic and uses every turn', async () => {
    const run = await runWithControls('repo', { ...SMALL_REPO, rule: 'mt-ppo', criticUpdates: 0 });
    const { metrics, credit, batch } = await step(run);
    expect([metrics.retained, credit.tokens?.length]).toEqual([1, batch.policyTokens]);
    expect(metrics.valueLoss).toBeGreaterThan(0);
    expect(metrics.gradientNorm).toBeGreaterThan(0);
  });
});
