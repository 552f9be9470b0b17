import { expect, test } from 'vitest';
import { banditRewards } from '../../../src/environments/bandit/banditSettings.ts';
import type { BanditEnvironment } from '../../../src/environments/bandit/open.ts';
import { ACTIONS, actionOf, computeTableRewards, exactValues } from '../../../src/environments/bandit/payoutTable.ts';
import type { Rollout } from '../../../src/rollouts/rolloutBatch.ts';
import { OFFERED } from '../../../src/training/data/configurationTables.ts';
import { timeless } from '../../timeless.ts';
import { banditRun, update } from './banditRun.ts';

test('a bandit run trains under every offered rule, and resumes exactly from a saved run', async () => {
  const small = { questions: 2, groupSize: 4, criticUpdates: 1 };
  const run = await banditRun(small);
  for (const rule of OFFERED.bandit) {
    run.change({ rule });
    expect((await update(run)).rule).toBe(rule);
  }
  const resumed = await banditRun(small);
  resumed.resume(await run.save());
  expect(timeless(await update(resumed))).toEqual(timeless(await update(run)));
});

/** Returns the total probability of all sampled tokens. */
function massOf(drawn: ReadonlyMap<number, number>): number {
  return [...drawn.values()].reduce((sum, logProb) => sum + Math.exp(logProb), 0);
}

/** Returns the probabilities of the sampled tokens, normalized to the sum 1. */
function probabilities(drawn: ReadonlyMap<number, number>): Map<number, number> {
  const mass = massOf(drawn);
  return new Map([...drawn].map(([token, logProb]) => [token, Math.exp(logProb) / mass]));
}

/** Returns the probabilities of the actions [actions], each the sum over the tokens that represent the action. */
function actionProbabilities(tokens: ReadonlyMap<number, number>): number[] {
  const sums = Array.from({ length: ACTIONS }, () => 0);
  for (const [token, probability] of tokens) sums[actionOf(token)] += probability;
  return sums;
}

test('the mean return of a bandit policy equals the exact value of its probabilities', async () => {
  const run = await banditRun({}, { tables: 1 });
  const rollouts: Rollout[] = [];
  for (let key = 0; key < 16; key++)
    rollouts.push(...(await run.trainer.measurer.evaluate(256, 'train', key)).rollouts);
  const drawn = new Map<number, number>();
  // The first token is in the context of the second turn, so second turns are counted separately for each first token.
  const nextTokens = new Map<number, Map<number, number>>();
  const returns = rollouts.map(({ tokens, turnOf, logProb, turns }) => {
    const [firstIndex, two] = [turnOf.indexOf(0), turnOf.indexOf(1)];
    drawn.set(tokens[firstIndex], logProb[firstIndex]);
    nextTokens.set(
      tokens[firstIndex],
      (nextTokens.get(tokens[firstIndex]) ?? new Map()).set(tokens[two], logProb[two]),
    );
    return turns.reduce((sum, { reward, outcome = 0 }) => sum + reward + outcome, 0);
  });
  const tokens = probabilities(drawn);
  // Tokens that were never sampled have a small total probability.
  expect(massOf(drawn)).toBeGreaterThan(0.99);
  const observed = [...tokens].map(([token, probability]) => probability * massOf(nextTokens.get(token) ?? new Map()));
  expect(observed.reduce((sum, mass) => sum + mass, 0)).toBeGreaterThan(0.99);
  const first = actionProbabilities(tokens);
  const second = first.map((all, action) => {
    const sums = [0, 0, 0];
    for (const [token, probability] of tokens) {
      if (actionOf(token) !== action) continue;
      actionProbabilities(probabilities(nextTokens.get(token) ?? new Map())).forEach((conditional, next) => {
        sums[next] += (probability / all) * conditional;
      });
    }
    return sums;
  });
  const policy = { first, second };
  const [table] = (run.trainer.environment as unknown as BanditEnvironment).tables;
  const { value } = exactValues(computeTableRewards(table, banditRewards({})), policy);
  const mean = returns.reduce((sum, reward) => sum + reward, 0) / returns.length;
  const deviation = Math.sqrt(returns.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / returns.length);
  expect(deviation).toBeGreaterThan(0);
  expect(Math.abs(mean - value)).toBeLessThan((5 * deviation) / Math.sqrt(returns.length));
});
