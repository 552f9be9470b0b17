import { describe, expect, test } from 'vitest';
import { exactProcessValues, PROCESSES } from '../../../src/environments/bandit/decisionProcess.ts';
import type { TruthSampler } from '../../../src/experiments/truth/measuredGroup.ts';
import { measureTruth } from '../../../src/experiments/truth/measureTruth.ts';
import { OFFERED } from '../../../src/training/data/configurationTables.ts';
import type { MeasuredTurn, TruthPlan, TruthReport } from '../../../src/training/data/truthReport.ts';
import type { Trainer } from '../../../src/training/run/trainer.ts';
import { timeless } from '../../timeless.ts';
import { banditRun, update } from './banditRun.ts';

const NAMES = ['delayed', 'recovery', 'stopping'] as const;

/** Returns the measured turns of a report. */
const turnsOf = (report: TruthReport | undefined): readonly MeasuredTurn[] =>
  report?.groups.flatMap(({ turns }) => turns) ?? [];

/** Returns the trainer without the exact values of its environment, so that values are sampled. */
function sampling(trainer: Trainer): TruthSampler {
  const { counted: _, ...environment } = trainer.environment;
  return {
    ...{ environment, controls: trainer.controls, seed: trainer.seed },
    capacityFor: (sequences) => trainer.measurer.capacityFor(sequences),
    play: (tasks, key, evaluation) => trainer.measurer.play(tasks, key, evaluation),
    gradient: (batch, advantage) => trainer.measurer.gradient(batch, advantage),
    tokenProbabilities: (contexts) => trainer.measurer.tokenProbabilities(contexts),
    runCustomRules: (rules, groups) => trainer.measurer.runCustomRules(rules, groups),
    addRuleInputs: (rules, batch, key) => trainer.measurer.addRuleInputs(rules, batch, key),
    valuedBy: (rules, batch) => trainer.measurer.valuedBy(rules, batch),
  };
}

const PLAN: TruthPlan = {
  ...{ rules: ['grpo-or', 'rtmc'], groups: 2, continuations: 256, split: 'train', ties: 'keep', gradientGroups: 0 },
  counts: { kind: 'outcome', gamma: 1, bonus: 0 },
};

describe.each(NAMES)('the world %s', (process) => {
  test('a process world trains under every offered rule, and a saved run resumes exactly', async () => {
    const small = { questions: 2, groupSize: 4, criticUpdates: 1, vineContinuations: 2 };
    const run = await banditRun(small, { process });
    for (const rule of OFFERED.bandit) {
      run.change({ rule });
      const metrics = await update(run);
      expect(metrics.rule).toBe(rule);
      expect(metrics.facts?.key).toBeNull();
      expect(metrics.facts?.return).toBeGreaterThanOrEqual(0);
    }
    const resumed = await banditRun(small, { process });
    resumed.resume(await run.save());
    expect(timeless(await update(resumed))).toEqual(timeless(await update(run)));
  });

  test('the exact values of a process world agree with sampled values within their error', async () => {
    const { trainer } = await banditRun({ groupSize: 4 }, { process });
    const [exact, sampled] = [await measureTruth(trainer.measurer, PLAN), await measureTruth(sampling(trainer), PLAN)];
    expect([exact?.continuations, sampled?.continuations]).toEqual([0, 256 * (sampled?.histories ?? NaN)]);
    const turns = turnsOf(exact);
    expect(turns.length).toBe(turnsOf(sampled).length);
    for (const [index, estimate] of turnsOf(sampled).entries()) {
      const { before, advantage, forestTurn } = turns[index];
      expect([before.error, advantage.error, forestTurn]).toEqual([0, 0, estimate.forestTurn]);
      expect(Math.abs(estimate.before.mean - before.mean)).toBeLessThan(4.5 * estimate.before.error);
      // The sampled advantage of a last turn includes the sampled outcome.
      if (estimate.after)
        expect(Math.abs(estimate.advantage.mean - advantage.mean)).toBeLessThan(4.5 * estimate.advantage.error);
    }
  });
});

test('a policy samples both first actions of the delayed effect, and learns GOOD in 5 updates', async () => {
  const run = await banditRun({ rule: 'rtmc', learningRate: 1e-3 }, { process: 'delayed' });
  const good: number[] = [];
  for (let step = 0; step < 6; step++) good.push((await update(run)).facts?.good ?? NaN);
  expect(good[0]).toBeGreaterThan(0.3);
  expect(good[0]).toBeLessThan(0.8);
  expect(good[5]).toBeGreaterThan(0.9);
});

test('exact advantages of the delayed effect satisfy the Bellman equations, and idle turns have advantage 0', async () => {
  const { trainer } = await banditRun({ groupSize: 8 }, { process: 'delayed' });
  const report = await measureTruth(trainer.measurer, PLAN);
  const [probabilities] = await trainer.measurer.tokenProbabilities([
    trainer.environment.prompt({ process: 'delayed' }),
  ]);
  expect(probabilities.reduce((sum, probability) => sum + probability, 0)).toBeCloseTo(1, 12);
  // Even tokens are GOOD, odd tokens are BAD.
  const good = probabilities.reduce((sum, probability, token) => sum + (token % 2 === 0 ? probability : 0), 0);
  const policy = (turn: number) => (turn === 0 ? [good, 1 - good] : [0.5, 0.5]);
  const [{ actions, value }] = exactProcessValues(PROCESSES.delayed, policy);
  for (const { turn, action, before, advantage } of turnsOf(report)) {
    if (turn > 0) expect(Math.abs(advantage.mean)).toBeLessThan(1e-12);
    else {
      expect(before.mean).toBeCloseTo(value, 12);
      expect(advantage.mean).toBeCloseTo(actions.find((entry) => entry.action === action)?.advantage ?? NaN, 12);
    }
  }
  // Only one of eight turns has an advantage, and GRPO-OR assigns the same credit to all turns of a rollout.
  expect(report?.rules[0].leakage).toBeCloseTo(7 / 8, 6);
  expect(report?.precision).toMatchObject({ error: 0, reliability: 1 });
});

test('the exact values of payout tables with chance 0.5 agree with sampled values within their error', async () => {
  const { trainer } = await banditRun({ groupSize: 4 }, { chance: 0.5 });
  const plan: TruthPlan = { ...PLAN, counts: { kind: 'rewards', gamma: 0.9, bonus: 0 } };
  const [exact, sampled] = [await measureTruth(trainer.measurer, plan), await measureTruth(sampling(trainer), plan)];
  const turns = turnsOf(exact);
  for (const [index, estimate] of turnsOf(sampled).entries()) {
    const { before, advantage } = turns[index];
    expect(Math.abs(estimate.before.mean - before.mean)).toBeLessThan(4.5 * estimate.before.error);
    expect(Math.abs(estimate.advantage.mean - advantage.mean)).toBeLessThan(4.5 * estimate.advantage.error);
  }
});

test('values are sampled, not exact, if top-p removes tokens', async () => {
  const { trainer } = await banditRun({ groupSize: 4, topP: 0.9 }, { process: 'recovery' });
  const report = await measureTruth(trainer.measurer, { ...PLAN, continuations: 4 });
  expect(report?.continuations).toBe(4 * (report?.histories ?? NaN));
});
