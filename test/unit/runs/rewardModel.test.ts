import { expect, test } from 'vitest';
import { scoredTurns } from '../../../src/training/rewardModel/trainRewardModel.ts';
import { repairRun } from './begunRun.ts';

test('programs of all problems are scored by all tests, repairs among them', async () => {
  const { trainer } = await repairRun();
  const { modelPaid } = trainer.environment;
  if (!modelPaid) throw new Error('no model pays here');
  const tasks = modelPaid.tasks('held-out').slice(0, 7);
  Object.assign(trainer.environment, { modelPaid: { ...modelPaid, tasks: () => tasks } });
  const told: number[] = [];
  const plan = { samples: 4, seed: 1, bias: 0 };
  const programs = await scoredTurns(trainer, 'held-out', plan, (done) => told.push(done));
  expect(told.at(-1)).toBe(7);
  expect(programs.length).toBeGreaterThan(4 * 7);
  expect(new Set(programs.map(({ task }) => task)).size).toBe(7);
  for (const { score } of programs) expect(Math.abs(10 * score - Math.round(10 * score))).toBeLessThan(1e-9);
  expect(new Set(programs.map(({ score }) => score)).size).toBeGreaterThan(2);
});

test('the shipped model pays every program of an update by itself, alike for the same program, and tests stay true', async () => {
  const run = await repairRun({ rule: 'murphy-mers', turnReward: 'model' });
  const { batch, metrics } = await run.update();
  const { facts } = await metrics;
  const turns = batch.rollouts.flatMap(({ group, turns }) => turns.map((turn) => ({ group, ...turn })));
  const known = new Map<string, number>();
  for (const { group, reward, action, facts: own, forestTurn } of turns) {
    expect(reward).toBeGreaterThan(0);
    expect(reward).toBeLessThan(1);
    expect([own.modelReward, batch.forest.reward[forestTurn]]).toEqual([reward, reward]);
    const key = `${group} ${action}`;
    if (action !== 'unfinished') expect(known.get(key) ?? reward).toBe(reward);
    known.set(key, reward);
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(facts.modelReward).toBeCloseTo(mean(turns.map(({ reward }) => reward)), 6);
  expect(facts.passedOfAll).toBeCloseTo(mean(turns.map((turn) => turn.facts.passRate)), 6);
  for (const { solved, passed = [] } of turns) expect(solved).toBe(passed.every((one) => one === 1));
});

test('without a model the update says which command makes it, and nothing is learned', async () => {
  const missing = () => Promise.reject(new Error('there is no reward model of this world'));
  const run = await repairRun({ outcomeReward: 'model' }, missing);
  await expect(run.update()).rejects.toThrow('there is no reward model of this world');
  expect(run.step).toBe(0);
  run.change({ outcomeReward: 'solved' });
  await (await run.update()).metrics;
  expect(run.step).toBe(1);
});
