import { afterEach, describe, expect, test } from 'vitest';
import { openWorld } from '../../../src/cli/framework/openWorld.ts';
import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import type { CreditRule } from '../../../src/credit/rule.ts';
import { findRule } from '../../../src/credit/rules.ts';
import { byTurn, type UsedCredit } from '../../../src/engine/usedCredit.ts';
import { ENVIRONMENTS } from '../../../src/environments/registry.ts';
import { casesOf, comparedRule } from '../../../src/environments/watchedTurns.ts';
import { normalizeTokens } from '../../../src/objective/tokenStatistics.ts';
import { initialParameters } from '../../../src/policy/weights.ts';
import type { Group } from '../../../src/rollouts/forest.ts';
import type { RolloutBatch } from '../../../src/rollouts/rolloutBatch.ts';
import { mostTurns } from '../../../src/training/collect/budget.ts';
import type { EnvironmentName } from '../../../src/training/data/configuration.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { Metrics, SavedRun } from '../../../src/training/data/protocol.ts';
import { Run } from '../../../src/training/run/run.ts';
import { selectTurns } from '../../../src/training/update/selection.ts';
import { runParameters } from '../../../src/training/update/tokenAdvantages.ts';
import { timeless } from '../../timeless.ts';
import { expectClose } from '../../vectorFile.ts';
import { testDevice } from '../gpu.ts';

const runs: Run[] = [];

afterEach(() => {
  for (const run of runs.splice(0)) run.destroy();
});

/** Small batches of real programs, from the shipped warm start or from a kept run. */
async function open(environment: EnvironmentName, controls: Record<string, number | string>, saved?: SavedRun) {
  const base = defaultConfiguration(environment);
  const configuration = { ...base, controls: { ...base.controls, ...controls } };
  const opened = await openWorld(configuration);
  const run = await Run.create(await testDevice(), configuration, () => {}, opened);
  runs.push(run);
  if (saved) run.resume(saved);
  else run.beginWith(loadStart(opened.world, undefined).state);
  return run;
}

interface Step {
  readonly batch: RolloutBatch;
  readonly metrics: Metrics;
  readonly credit: UsedCredit;
}

async function step(run: Run): Promise<Step> {
  const { batch, metrics, credit } = await run.update();
  return { batch, metrics: await metrics, credit: await credit };
}

/** The advantages that were used are those of the float64 rule, and what was computed is what it selects. */
function expectCredit(run: Run, { batch, metrics, credit }: Step) {
  const { controls, environment } = run.trainer;
  const rule = findRule(controls.rule as string);
  const parameters = runParameters(rule, controls, environment.maxTurns);
  const exact = batch.groups.flatMap((group) => [...rule.credit(group, parameters).advantage]);
  const pruned = exact.map(Number.isNaN);
  expectClose(
    [...credit.turns].map((advantage, turn) => (pruned[turn] ? 0 : advantage)),
    exact.map((advantage) => (Number.isNaN(advantage) ? 0 : advantage)),
    1e-4,
  );
  const creditOf = (group: number) => rule.credit(batch.groups[group], parameters);
  const selection = selectTurns(batch, rule, creditOf, controls);
  const selected = selection?.turns ?? new Uint8Array(exact.length).fill(1);
  expect(metrics.retained).toBeCloseTo(selected.reduce((sum, turn) => sum + turn, 0) / exact.length, 10);
  expectPay(run, { batch, metrics, credit });
}

/** Every turn is told of, with what it was paid: as the update used it, and under the other rule on the same rollouts. */
function expectPay(run: Run, { batch, metrics: { decision }, credit }: Step) {
  const { controls, environment } = run.trainer;
  const rule = findRule(controls.rule as string);
  const entry = ENVIRONMENTS[run.configuration.environment];
  const { watchedTurns } = entry;
  if (!watchedTurns || !decision) throw new Error('nothing is told of its turns');
  const exact = (one: CreditRule) => (group: Group) =>
    one.credit(group, runParameters(one, controls, environment.maxTurns));
  const creditOf = (group: number) => exact(rule)(batch.groups[group]);
  const left = selectTurns(batch, rule, creditOf, { ...controls, skipZero: 'off' })?.turns;
  const kept = (_: unknown, turn: number) => left?.[turn] !== 0;
  const compared = exact(findRule(comparedRule(entry, rule.name)));
  const total = (values: Iterable<number | null>) => [...values].reduce<number>((sum, value) => sum + (value || 0), 0);
  const told = (what: string) => total(casesOf(watchedTurns).map(({ name }) => decision[`${name}${what}`]));
  expect(told('Count')).toBe(batch.forest.parent.length);
  expect(told('Paid')).toBeCloseTo(total([...credit.turns].filter(kept)), 6);
  expect(told('Other')).toBeCloseTo(
    total(batch.groups.flatMap((group) => [...compared(group).advantage]).filter(kept)),
    6,
  );
  expect(decision).not.toHaveProperty('push');
}

describe('repair', () => {
  const SMALL = { programs: 32, groupSize: 4, singleSize: 8, treeRoots: 3, treeChildren: 2 };

  test.each(['grpo-mt', 'grpo-or', 'murphy-mars', 'verpo'])('two updates under %s', async (rule) => {
    const run = await open('repair', { ...SMALL, rule });
    const before = await run.trainer.engine.readState();
    const steps = [await step(run), await step(run)];
    for (const one of steps) {
      expectCredit(run, one);
      const { batch, metrics } = one;
      expect(Object.keys(metrics.facts)).toEqual(ENVIRONMENTS.repair.facts.map(({ name }) => name));
      expect([metrics.tasks, metrics.turns]).toEqual([batch.groups.length, batch.forest.parent.length]);
      expect(metrics.toolUse).toBeNull();
      const widths = { 'murphy-mars': 3, 'grpo-or': 8 }[rule] ?? 4;
      for (const { turns } of batch.groups) {
        expect(turns.filter(({ parent }) => parent < 0).length).toBe(widths);
        expect(turns.every(({ passed }) => passed?.length === 10)).toBe(true);
      }
      const roots = batch.groups.flatMap(({ turns }) => turns.filter(({ parent }) => parent < 0));
      expect(metrics.facts.pass1).toBeCloseTo(roots.filter(({ solved }) => solved).length / roots.length, 10);
      const { firstPassedCount, firstMendedCount, firstLostCount, firstAloneCount } = metrics.decision ?? {};
      expect(firstPassedCount).toBe(roots.filter(({ solved }) => solved).length);
      const failed = roots.length - Number(firstPassedCount);
      expect(rule === 'grpo-or' ? firstAloneCount : Number(firstMendedCount) + Number(firstLostCount)).toBe(failed);
      // Programs that fail are tried again, those that pass are not, and single turns never.
      const deepest = Math.max(...batch.forest.depth);
      expect(deepest).toBe(rule === 'grpo-or' ? 0 : 1);
    }
    const after = await run.trainer.engine.readState();
    expect(after.steps).toBeGreaterThan(0);
    expect(after.parameters).not.toEqual(before.parameters);
  });

  test.each(['murphy-mers', 'verpo', 'rloo'])(
    '%s comes into force later, and does what it does from the start',
    async (rule) => {
      const straight = await open('repair', { ...SMALL, rule });
      const changed = await open('repair', { ...SMALL, rule: 'grpo-or' });
      changed.change({ rule });
      for (let update = 0; update < 2; update++) {
        const [own, other] = [await step(straight), await step(changed)];
        expectCredit(changed, other);
        expect(other.credit).toEqual(own.credit);
        expect(timeless(other.metrics)).toEqual(timeless(own.metrics));
      }
      expect((await changed.trainer.engine.readState()).parameters).toEqual(
        (await straight.trainer.engine.readState()).parameters,
      );
    },
  );

  test.each(['ppo-or', 'ppo-mr', 'mt-ppo', 'turn-ppo'])(
    'an update of %s over fresh prompts, with its critic',
    async (name) => {
      const run = await open('repair', { ...SMALL, rule: name, criticUpdates: 0 });
      const { batch, metrics, credit } = await step(run);
      expect([metrics.retained, credit.tokens?.length]).toEqual([1, batch.policyTokens]);
      expect(Math.max(...batch.forest.depth)).toBe(1);
      const values = byTurn(batch, credit.values ?? new Float32Array());
      const rule = findRule(name);
      let turn = 0;
      const exact = batch.groups.flatMap((group) => {
        const turns = group.turns.map((one) => ({ ...one, values: values[turn++] }));
        const { tokens } = rule.credit({ ...group, turns }, runParameters(rule, run.trainer.controls, 2));
        return [...(tokens?.advantages ?? [])];
      });
      expectClose([...(credit.tokens ?? [])], [...normalizeTokens(exact)], 1e-3);
      expect(new Set(exact.map((value) => value.toFixed(3))).size).toBeGreaterThan(10);
    },
  );

  test('an update of TAPO over programs and tests that take turns, with its critic', async () => {
    const base = defaultConfiguration('repair');
    const configuration = {
      ...base,
      settings: { ...base.settings, verification: 'written' },
      controls: { ...base.controls, ...SMALL, rule: 'tapo', criticUpdates: 0 },
    };
    const run = await Run.create(await testDevice(), configuration, () => {}, await openWorld(configuration));
    runs.push(run);
    // What was never taught writes nothing that can be read, and turns go on to the last.
    run.trainer.engine.start(initialParameters(run.trainer.engine.config, 1));
    const { batch, metrics, credit } = await step(run);
    expect([metrics.retained, credit.tokens?.length]).toEqual([1, batch.policyTokens]);
    expect(Math.max(...batch.forest.depth)).toBe(2);
    const turns = batch.groups.flatMap((group) => group.turns);
    expect(turns.filter(({ passed }) => passed).length).toBe((2 / 3) * turns.length);
    expect(metrics.facts.testsAgree).toBe(0);
    const values = byTurn(batch, credit.values ?? new Float32Array());
    let turn = 0;
    const exact = batch.groups.flatMap((group) => {
      const valued = group.turns.map((one) => ({ ...one, values: values[turn++] }));
      return [...(findRule('tapo').credit({ ...group, turns: valued }, run.trainer.controls).tokens?.advantages ?? [])];
    });
    expectClose([...(credit.tokens ?? [])], [...normalizeTokens(exact)], 1e-3);
    expect(() => run.change({ rule: 'murphy-mars' })).toThrow(
      'murphy-mars compares programs that continue one program',
    );
    expect(run.trainer.controls.rule).toBe('tapo');
  });

  test('the learning rate rises over the first updates, and is then what it is without', async () => {
    const moved = async (warmUp: number) => {
      const run = await open('repair', { ...SMALL, programs: 16, rule: 'verpo', minibatches: 1, warmUp });
      const before = (await run.trainer.engine.readState()).parameters;
      await step(run);
      const after = (await run.trainer.engine.readState()).parameters;
      return after.reduce((sum, value, at) => sum + Math.abs(value - before[at]), 0);
    };
    const [whole, once, tenth] = [await moved(0), await moved(1), await moved(10)];
    expect(once).toBe(whole);
    // The first step of AdamW moves every parameter by the learning rate.
    expect(tenth / whole).toBeCloseTo(0.1, 3);
  });

  test('every rule that is offered comes into force in one run, from one update to the next', async () => {
    const run = await open('repair', { ...SMALL, programs: 16 });
    for (const rule of ENVIRONMENTS.repair.offered) {
      // A critic's values are not among what the batch tells: the next test is about those rules.
      if (findRule(rule).unit === 'token') continue;
      run.change({ rule });
      const one = await step(run);
      expect(one.metrics.rule).toBe(rule);
      expectCredit(run, one);
    }
  });

  test('a run goes on exactly, the number of problems that it samples too', async () => {
    const straight = await open('repair', { ...SMALL, rule: 'verpo' });
    const curve: Metrics[] = [];
    for (let update = 0; update < 3; update++) curve.push((await step(straight)).metrics);
    const first = await open('repair', { ...SMALL, rule: 'verpo' });
    await step(first);
    const second = await open('repair', { ...SMALL, rule: 'verpo' }, await first.save());
    await step(second);
    await step(second);
    expect(second.metrics.map(timeless)).toEqual(curve.map(timeless));
    // The first update expects all turns to be taken, later ones what was.
    const layout = { branching: [4, 1], turns: 2 };
    expect(curve[0].tasks).toBe(Math.round(32 / mostTurns(layout)));
    expect(curve[1].tasks).toBe(Math.round(32 / (mostTurns(layout) * curve[0].fill)));
    expect(curve[0].fill).toBeLessThan(1);
  });

  test('turns of advantage 0 add nothing: without them the gradient is the same', async () => {
    const lines = [];
    for (const skipZero of ['on', 'off']) {
      const run = await open('repair', { ...SMALL, rule: 'grpo-mt', minibatches: 1, skipZero });
      const { metrics } = await step(run);
      lines.push(metrics);
    }
    const [skipped, whole] = lines;
    expect(skipped.retained).toBeLessThan(1);
    expect(whole.retained).toBe(1);
    expect(skipped.gradientNorm).toBeCloseTo(whole.gradientNorm ?? NaN, 4);
    expect(skipped.loss).toBeCloseTo(whole.loss ?? NaN, 5);
  });
});

describe('repo', () => {
  const SMALL = { questions: 2, groupSize: 4, filterUniform: 'off' };

  test.each(['rtmc', 'grpo-step'])('two updates under %s', async (rule) => {
    const run = await open('repo', { ...SMALL, rule });
    for (let update = 0; update < 2; update++) {
      const one = await step(run);
      expectCredit(run, one);
      const { batch, metrics } = one;
      expect(Object.keys(metrics.facts)).toEqual(ENVIRONMENTS.repo.facts.map(({ name }) => name));
      expect([metrics.tasks, batch.rollouts.length, batch.trajectories.length]).toEqual([2, 8, 8]);
      expect(metrics.facts.steps).toBeCloseTo(batch.forest.parent.length / 8, 10);
      expect(metrics.decision?.invalidCount).toBeCloseTo(Number(metrics.facts.invalid) * batch.forest.parent.length, 6);
      expect(metrics.decision?.endedCount).toBe(batch.trajectories.filter(({ turns }) => turns.at(-1)?.solved).length);
      for (const { turns, turnOf, tokens } of batch.rollouts) {
        expect(turns.length).toBeGreaterThan(1);
        // An action has as many tokens as its first one says.
        turns.forEach((_, turn) => {
          const action = [...tokens].filter((_token, at) => turnOf[at] === turn);
          expect(action.length).toBe(run.trainer.environment.turnLengths?.[action[0]]);
        });
      }
      // The old policy is the one that sampled: nothing has moved before the first minibatch.
      if (update === 0) expect(Math.abs(metrics.klReference)).toBeLessThan(1e-6);
    }
  });

  test('groups that tie are dropped', async () => {
    const run = await open('repo', { ...SMALL, filterUniform: 'on', rule: 'rtmc' });
    const one = await step(run);
    expectCredit(run, one);
    const ties = one.batch.groups.map(({ turns }) => new Set(turns.flatMap(({ outcome }) => outcome ?? [])).size <= 1);
    const kept = one.batch.groups.reduce((sum, { turns }, group) => sum + (ties[group] ? 0 : turns.length), 0);
    expect(one.metrics.retained).toBeCloseTo(kept / one.metrics.turns, 10);
    expect(one.metrics.facts.uniform).toBe(ties.filter(Boolean).length / 2);
  });

  test('an update of mt-ppo, with its critic', async () => {
    const run = await open('repo', { ...SMALL, rule: 'mt-ppo', criticUpdates: 0 });
    const { metrics, credit, batch } = await step(run);
    expect([metrics.retained, credit.tokens?.length]).toEqual([1, batch.policyTokens]);
    expect(metrics.valueLoss).toBeGreaterThan(0);
    expect(metrics.gradientNorm).toBeGreaterThan(0);
  });
});
