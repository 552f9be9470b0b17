import { expect, test } from 'vitest';
import { type Pair, pairsOf, type Scored } from '../../../src/training/rewardModel/pairs.ts';
import { finished, readRewardModel, writeRewardModel } from '../../../src/training/rewardModel/rewardModelFile.ts';
import { RewardModelTraining } from '../../../src/training/rewardModel/trainRewardModel.ts';
import { repairRun } from './begunRun.ts';

/** Programs of one and the same length, whose token 5 makes them better. */
const program = (task: number, token: number): Scored => ({ task, tokens: [1, 30 + task, token, 4], score: token });
const PAIRS: readonly Pair[] = pairsOf(
  [0, 1, 2, 3].flatMap((task) => [5, 6, 7].map((token) => program(task, token))),
  1,
);

test('a model learns which program is better, and one that was stopped goes on to the same bits', async () => {
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
  const whole = await training.model.readState();

  training.model.writeState(stopped.state);
  await training.train(PAIRS, () => {});
  const again = await training.model.readState();
  expect(again.parameters).toEqual(whole.parameters);
});
