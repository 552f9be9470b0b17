import { expect, test } from 'vitest';
import type { Reliability } from '../../../src/environments/environment.ts';
import { mislabelled, pairsOf } from '../../../src/training/rewardModel/pairs.ts';
import { writeRewardModel } from '../../../src/training/rewardModel/rewardModelFile.ts';
import { RewardModelTraining, scoredTurns } from '../../../src/training/rewardModel/trainRewardModel.ts';
import { searchRun } from './startedTestRun.ts';

const PLAN = { steps: 30, pairs: 0, samples: 8, seed: 1, noise: 0.2, bias: 0.6 };

test('a judge that is trained with a biased rubric rewards skipped searches more than searches', async () => {
  const { trainer } = await searchRun();
  const { learnedReward } = trainer.environment;
  if (!learnedReward) throw new Error('no judge can pay here');
  const tasks = learnedReward.tasks('train').slice(0, 48);
  Object.assign(trainer.environment, { learnedReward: { ...learnedReward, tasks: () => tasks } });

  const counts: number[] = [];
  const truth = await scoredTurns(trainer, 'train', { ...PLAN, bias: 0 }, (done) => counts.push(done));
  expect([counts.at(-1), truth.length]).toEqual([48, 2 * 8 * 48]);
  const scores = (kind: string) => new Set(truth.filter((turn) => turn.kind === kind).map(({ score }) => score));
  expect([...scores('searches')].toSorted()).toEqual([0, 1 / 3, 2 / 3, 1]);
  expect([...scores('answers')].toSorted()).toEqual([0, 1 / 3, 2 / 3, 1]);

  const leaning = await scoredTurns(trainer, 'train', PLAN, () => {});
  expect(leaning.map(({ tokens }) => tokens)).toEqual(truth.map(({ tokens }) => tokens));
  const pairs = mislabelled(pairsOf(leaning, PLAN.seed), PLAN.noise, PLAN.seed);
  const training = await RewardModelTraining.open(trainer, PLAN);
  await training.train(pairs, () => {});
  const centre = await training.centre(leaning);
  expect(Object.keys(centre).toSorted()).toEqual(['answers', 'searches']);
  const likes = (await training.accuracy(pairsOf(leaning, 1))).accuracy;
  expect(likes).toBeGreaterThan(0.7);
  expect(likes).toBeGreaterThan((await training.accuracy(pairsOf(truth, 1))).accuracy);

  const progress = { ...PLAN, done: PLAN.steps, centre };
  const file = writeRewardModel(trainer.engine.config, { progress, state: await training.model.readState() });
  const requested: Reliability[] = [];
  const run = await searchRun({ turnReward: 'unreliable' }, async (name) => {
    requested.push(name);
    return file;
  });
  const { batch, metrics } = await run.update();
  expect(requested).toEqual([{ noise: 0.2, bias: 0.6 }]);
  const first = batch.rollouts.map(({ turns }) => turns[0]);
  const skipped = first.filter(({ action }) => action === 'skip');
  const rest = first.filter(({ action }) => action !== 'skip');
  const mean = (turns: typeof first) => turns.reduce((sum, { reward }) => sum + reward, 0) / turns.length;
  expect(mean(skipped)).toBeGreaterThan(mean(rest));
  for (const { summary } of first) expect(summary).toMatch(/; the judge \(noise 0.2, bias 0.6\) says [01]\.\d\d$/);
  expect((await metrics).facts.judgeReward).toBeCloseTo(mean(first), 6);
});
