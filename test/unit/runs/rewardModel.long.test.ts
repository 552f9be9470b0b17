import { expect, test } from 'vitest';
import { type Pair, pairsOf, type Scored } from '../../../src/training/rewardModel/pairs.ts';
import { finished, readRewardModel, writeRewardModel } from '../../../src/training/rewardModel/rewardModelFile.ts';
import { RewardModelTraining, scoredTurns } from '../../../src/training/rewardModel/trainRewardModel.ts';
import { repairRun } from './startedTestRun.ts';

/** Returns a program of four tokens whose score is its third token. */
const program = (task: number, token: number): Scored => ({ task, tokens: [1, 30 + task, token, 4], score: token });
const PAIRS: readonly Pair[] = pairsOf(
  [0, 1, 2, 3].flatMap((task) => [5, 6, 7].map((token) => program(task, token))),
  1,
);

test('a reward model learns which program is better, and stopped training continues to the same bits', async () => {
  const { trainer } = await repairRun();
  const plan = { steps: 40, pairs: 0, samples: 2, seed: 3, noise: 0.25, bias: 0.5 };
  const losses: number[] = [];
  const training = await RewardModelTraining.open(trainer, plan);
  const stop = new AbortController();
  await training.train(
    PAIRS,
    ({ done, loss }) => {
      losses.push(loss);
      if (done === 6) stop.abort();
    },
    stop.signal,
  );
  expect(training.done).toBeGreaterThan(5);
  expect(training.done).toBeLessThan(40);
  const progress = { ...plan, done: training.done, centre: null };
  const { config } = trainer.engine;
  const stopped = readRewardModel(
    config,
    writeRewardModel(config, { progress, state: await training.model.readState() }),
  );
  expect(stopped.progress).toEqual(progress);
  expect(() => finished(stopped)).toThrow(`stopped at step ${training.done} of 40`);

  await training.train(PAIRS, ({ loss }) => losses.push(loss));
  expect(losses).toHaveLength(40);
  expect(losses[0]).toBeCloseTo(Math.LN2, 1);
  expect(losses[39]).toBeLessThan(0.5 * losses[0]);
  expect((await training.accuracy(PAIRS)).accuracy).toBe(1);
  const expected = await training.model.readState();

  training.model.writeState(stopped.state);
  await training.train(PAIRS, () => {});
  const again = await training.model.readState();
  expect(again.parameters).toEqual(expected.parameters);
});

test('scoredTurns scores the programs and repairs of all problems by all tests', async () => {
  const { trainer } = await repairRun();
  const { learnedReward } = trainer.environment;
  if (!learnedReward) throw new Error('no model pays here');
  const tasks = learnedReward.tasks('held-out').slice(0, 7);
  Object.assign(trainer.environment, { learnedReward: { ...learnedReward, tasks: () => tasks } });
  const counts: number[] = [];
  const plan = { samples: 4, seed: 1, bias: 0 };
  const programs = await scoredTurns(trainer, 'held-out', plan, (done) => counts.push(done));
  expect(counts.at(-1)).toBe(7);
  expect(programs.length).toBeGreaterThan(4 * 7);
  expect(new Set(programs.map(({ task }) => task)).size).toBe(7);
  for (const { score } of programs) expect(Math.abs(10 * score - Math.round(10 * score))).toBeLessThan(1e-9);
  expect(new Set(programs.map(({ score }) => score)).size).toBeGreaterThan(2);
});

test('the shipped reward model rewards equal programs equally, and does not change test results', async () => {
  const run = await repairRun({ rule: 'murphy-mers', turnReward: 'model' });
  const { batch, metrics } = await run.update();
  const { facts } = await metrics;
  const turns = batch.rollouts.flatMap(({ group, turns }) => turns.map((turn) => ({ group, ...turn })));
  const known = new Map<string, number>();
  for (const { group, reward, action, facts: turnFacts, forestTurn } of turns) {
    expect(reward).toBeGreaterThan(0);
    expect(reward).toBeLessThan(1);
    expect([turnFacts.modelReward, batch.forest.reward[forestTurn]]).toEqual([reward, reward]);
    const key = `${group} ${action}`;
    if (action !== 'unfinished') expect(known.get(key) ?? reward).toBe(reward);
    known.set(key, reward);
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(facts.modelReward).toBeCloseTo(mean(turns.map(({ reward }) => reward)), 6);
  expect(facts.passedOfAll).toBeCloseTo(mean(turns.map((turn) => turn.facts.passRate)), 6);
  for (const { solved, passed = [] } of turns) expect(solved).toBe(passed.every((result) => result === 1));
});
