import { expect, test } from 'vitest';
import type { Reliability } from '../../../src/environments/environment.ts';
import { openingRun } from '../../../src/training/data/worlds.ts';
import { mislabelled, pairsOf } from '../../../src/training/rewardModel/pairs.ts';
import { writeRewardModel } from '../../../src/training/rewardModel/rewardModelFile.ts';
import { RewardModelTraining, scoredTurns } from '../../../src/training/rewardModel/trainRewardModel.ts';
import type { Run } from '../../../src/training/run/run.ts';
import { begunRun } from './begunRun.ts';

type Load = (reliability: Reliability) => Promise<ArrayBuffer>;

function begun(controls: Record<string, string | number> = {}, load?: Load): Promise<Run> {
  const base = openingRun('search');
  const configuration = { ...base, controls: { ...base.controls, heldOutMode: 'off', questions: 4, ...controls } };
  return begunRun(configuration, load);
}

const PLAN = { steps: 30, pairs: 0, samples: 8, seed: 1, noise: 0.2, bias: 0.6 };

test('a judge learns from the turns of the warm start what a biased rubric says, and pays by that', async () => {
  const { trainer } = await begun();
  const { modelPaid } = trainer.environment;
  if (!modelPaid) throw new Error('no judge can pay here');
  const tasks = modelPaid.tasks('train').slice(0, 48);
  Object.assign(trainer.environment, { modelPaid: { ...modelPaid, tasks: () => tasks } });

  const told: number[] = [];
  const truth = await scoredTurns(trainer, 'train', { ...PLAN, bias: 0 }, (done) => told.push(done));
  expect([told.at(-1), truth.length]).toEqual([48, 2 * 8 * 48]);
  const scores = (kind: string) => new Set(truth.filter((one) => one.kind === kind).map(({ score }) => score));
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
  const asked: Reliability[] = [];
  const paid = await begun({ turnReward: 'unreliable' }, async (name) => {
    asked.push(name);
    return file;
  });
  const { batch, metrics } = await paid.update();
  expect(asked).toEqual([{ noise: 0.2, bias: 0.6 }]);
  const first = batch.rollouts.map(({ turns }) => turns[0]);
  const skipped = first.filter(({ action }) => action === 'skip');
  const others = first.filter(({ action }) => action !== 'skip');
  const mean = (turns: typeof first) => turns.reduce((sum, { reward }) => sum + reward, 0) / turns.length;
  expect(mean(skipped)).toBeGreaterThan(mean(others));
  for (const { summary } of first) expect(summary).toMatch(/; the judge \(noise 0.2, bias 0.6\) says [01]\.\d\d$/);
  expect((await metrics).facts.judgeReward).toBeCloseTo(mean(first), 6);
});

test('what a judge has paid can be gone through again: VinePPO plays on from before its turns', async () => {
  const run = await begun({ rule: 'vineppo', turnReward: 'judge', questions: 2, groupSize: 2 });
  const { batch, metrics } = await run.update();
  for (const { turns } of batch.groups) for (const { worth } of turns) expect(worth).toEqual(expect.any(Number));
  expect(Number.isFinite((await metrics).loss)).toBe(true);
});

test('the shipped judges pay every turn before the last, within what the rules could pay, and leave outcomes alone', async () => {
  const means: number[] = [];
  for (const turnReward of ['judge', 'unreliable']) {
    const run = await begun({ turnReward });
    const { batch, metrics } = await run.update();
    const { facts } = await metrics;
    for (const { turns } of batch.rollouts) {
      const [turn, last] = turns;
      expect(turn.reward).toBeGreaterThanOrEqual(-0.2);
      expect(turn.reward).toBeLessThanOrEqual(0.5);
      expect([batch.forest.reward[turn.forestTurn], turn.facts.judgeReward]).toEqual([
        expect.closeTo(turn.reward, 6),
        turn.reward,
      ]);
      expect([1, 0.2, -1]).toContain(last.outcome);
      expect(last.facts.judged).toBeGreaterThanOrEqual(0);
    }
    const all = batch.rollouts.map(({ turns: [{ facts: own }] }) => own);
    const mean = (name: string) => all.reduce((sum, own) => sum + own[name], 0) / all.length;
    expect(facts.judgeReward).toBeCloseTo(mean('judgeReward'), 6);
    expect(facts.ruleReward).toBeCloseTo(mean('ruleReward'), 6);
    const searched = batch.rollouts.filter(({ turns: [{ facts: own }] }) => own.toolUse === 1);
    const share = searched.reduce((sum, { turns: [{ facts: own }] }) => sum + own.judged, 0) / searched.length;
    means.push(share);
  }
  // The one likes searches, the other does not.
  expect(means[0]).toBeGreaterThan(0.7);
  expect(means[1]).toBeLessThan(0.5);
});

test('what the rules pay is what it was before there were judges', async () => {
  const batchOf = async (controls: Record<string, string>) => {
    const { batch, metrics } = await (await begun(controls)).update();
    await metrics;
    return batch;
  };
  const [own, named] = [await batchOf({}), await batchOf({ turnReward: 'rules' })];
  expect(named.groups).toEqual(own.groups);
  for (const { facts, components } of own.rollouts.flatMap(({ turns }) => turns)) {
    expect(facts).not.toHaveProperty('judged');
    expect(components).not.toHaveProperty('judge');
  }
});
