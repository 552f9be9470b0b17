import { expect } from 'vitest';
import type { CreditRule } from '../../../src/credit/rule.ts';
import { findRule } from '../../../src/credit/rules.ts';
import type { UsedCredit } from '../../../src/engine/updatePlan.ts';
import { ENVIRONMENTS } from '../../../src/environments/registry.ts';
import { casesOf, comparedRule } from '../../../src/environments/watchedTurns.ts';
import type { Group } from '../../../src/rollouts/forest.ts';
import type { RolloutBatch } from '../../../src/rollouts/rolloutBatch.ts';
import type { Metrics } from '../../../src/training/data/protocol.ts';
import type { Run } from '../../../src/training/run/run.ts';
import { runParameters, selectTurns } from '../../../src/training/update/planUpdate.ts';
import { expectClose } from '../../vectorFile.ts';
import { float64Advantages } from './float64Advantages.ts';
import { runWithControls } from './startedTestRun.ts';

export const SMALL_REPAIR = { programs: 32, groupSize: 4, singleSize: 8, treeRoots: 3, treeChildren: 2 };
export const SMALL_REPO = { questions: 2, groupSize: 4, filterUniform: 'off' };

interface Step {
  readonly batch: RolloutBatch;
  readonly metrics: Metrics;
  readonly credit: UsedCredit;
}

export async function step(run: Run): Promise<Step> {
  const { batch, metrics, credit } = await run.update();
  return { batch, metrics: await metrics, credit: await credit };
}

/** Expects that an update used the advantages of the float64 rule and trained on the turns that the rule selects. */
export function expectCredit(run: Run, { batch, metrics, credit }: Step) {
  const { controls, environment } = run.trainer;
  const rule = findRule(controls.rule as string);
  const parameters = runParameters(rule, controls, environment.maxTurns);
  const exact = float64Advantages(batch.groups, rule, parameters);
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

/**
 * Expects that an update reports each turn with the credit that it used, and with the credit of the compared rule on
 * the same rollouts.
 */
function expectPay(run: Run, { batch, metrics: { decision }, credit }: Step) {
  const { controls, environment } = run.trainer;
  const rule = findRule(controls.rule as string);
  const entry = ENVIRONMENTS[run.configuration.environment];
  const { watchedTurns } = entry;
  if (!watchedTurns || !decision) throw new Error('the environment reports no turns');
  const exact = (creditRule: CreditRule) => (group: Group) =>
    creditRule.credit(group, runParameters(creditRule, controls, environment.maxTurns));
  const creditOf = (group: number) => exact(rule)(batch.groups[group]);
  const left = selectTurns(batch, rule, creditOf, { ...controls, skipZero: 'off' })?.turns;
  const isRetained = (_: unknown, turn: number) => left?.[turn] !== 0;
  const compared = exact(findRule(comparedRule(entry, rule.name)));
  const total = (values: Iterable<number | null>) => [...values].reduce<number>((sum, value) => sum + (value || 0), 0);
  const sumCases = (suffix: string) => total(casesOf(watchedTurns).map(({ name }) => decision[`${name}${suffix}`]));
  expect(sumCases('Count')).toBe(batch.forest.parent.length);
  expect(sumCases('Credit')).toBeCloseTo(total([...credit.turns].filter(isRetained)), 6);
  expect(sumCases('Compared')).toBeCloseTo(
    total(batch.groups.flatMap((group) => [...compared(group).advantage]).filter(isRetained)),
    6,
  );
  expect(decision).not.toHaveProperty('push');
}

/** Checks metrics, rewards and credit of two repair updates under a rule. */
export async function expectTwoRepairUpdates(rule: string): Promise<void> {
  const run = await runWithControls('repair', { ...SMALL_REPAIR, rule });
  const before = await run.trainer.engine.readState();
  const steps = [await step(run), await step(run)];
  for (const stepResult of steps) {
    expectCredit(run, stepResult);
    const { batch, metrics } = stepResult;
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
    const { firstPassedCount, firstRepairedCount, firstLostCount, firstOnlyCount } = metrics.decision ?? {};
    expect(firstPassedCount).toBe(roots.filter(({ solved }) => solved).length);
    const failed = roots.length - Number(firstPassedCount);
    expect(rule === 'grpo-or' ? firstOnlyCount : Number(firstRepairedCount) + Number(firstLostCount)).toBe(failed);
    // Failed programs have a second attempt, except under GRPO-OR, which trains single turns.
    const deepest = Math.max(...batch.forest.depth);
    expect(deepest).toBe(rule === 'grpo-or' ? 0 : 1);
  }
  const after = await run.trainer.engine.readState();
  expect(after.steps).toBeGreaterThan(0);
  expect(after.parameters).not.toEqual(before.parameters);
}

/** Checks metrics, actions and credit of two updates of the repository environment under a rule. */
export async function expectTwoRepoUpdates(rule: string): Promise<void> {
  const run = await runWithControls('repo', { ...SMALL_REPO, rule });
  for (let update = 0; update < 2; update++) {
    const stepResult = await step(run);
    expectCredit(run, stepResult);
    const { batch, metrics } = stepResult;
    expect(Object.keys(metrics.facts)).toEqual(ENVIRONMENTS.repo.facts.map(({ name }) => name));
    expect([metrics.tasks, batch.rollouts.length, batch.trajectories.length]).toEqual([2, 8, 8]);
    expect(metrics.facts.steps).toBeCloseTo(batch.forest.parent.length / 8, 10);
    expect(metrics.decision?.invalidCount).toBeCloseTo(Number(metrics.facts.invalid) * batch.forest.parent.length, 6);
    expect(metrics.decision?.endedCount).toBe(batch.trajectories.filter(({ turns }) => turns.at(-1)?.solved).length);
    for (const { turns, turnOf, tokens } of batch.rollouts) {
      expect(turns.length).toBeGreaterThan(1);
      // The first token of an action determines its number of tokens.
      turns.forEach((_, turn) => {
        const action = [...tokens].filter((_token, at) => turnOf[at] === turn);
        expect(action.length).toBe(run.trainer.environment.turnLengths?.[action[0]]);
      });
    }
    // The policy of the first update is the reference policy.
    if (update === 0) expect(Math.abs(metrics.klReference)).toBeLessThan(1e-6);
  }
}
