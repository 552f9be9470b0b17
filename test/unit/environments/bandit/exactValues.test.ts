import { describe, expect, test } from 'vitest';
import { banditRewards } from '../../../../src/environments/bandit/banditSettings.ts';
import { createBanditEnvironment } from '../../../../src/environments/bandit/open.ts';
import {
  ACTIONS,
  type ActionProbabilities,
  computeTableRewards,
  exactValues,
} from '../../../../src/environments/bandit/payoutTable.ts';
import { CounterRandom, STREAMS } from '../../../../src/random/counter.ts';

/** Rewards of a table with bait, key and idle in this order. The second door is right. */
const REWARDS = {
  reward: [0.2, 0.3, 0],
  outcome: [
    [0, 0, 0],
    [0, 1, 0],
    [0, 0.2, 0],
  ],
  chance: 0.5,
};

const POLICY: ActionProbabilities = {
  first: [0.5, 0.3, 0.2],
  second: [
    [1, 0, 0],
    [0.2, 0.6, 0.2],
    [0.5, 0.25, 0.25],
  ],
};

/** Expects that `values` equal `expected`, which is computed by hand, up to rounding. */
function near(values: readonly number[], expected: readonly number[]): void {
  expect(values).toHaveLength(expected.length);
  values.forEach((value, index) => {
    expect(value).toBeCloseTo(expected[index], 12);
  });
}

describe('exact values by hand', () => {
  const values = exactValues(REWARDS, POLICY);

  test('values of the second turn include half of the earned outcomes at chance 0.5', () => {
    near(values.secondQ[1], [0, 0.5, 0]);
    // 0.6 · 0.5 after the key, 0.25 · 0.1 after the idle action.
    near(values.secondValue, [0, 0.3, 0.025]);
    near(values.secondAdvantage[1], [-0.3, 0.2, -0.3]);
    near(values.secondAdvantage[2], [-0.025, 0.075, -0.025]);
  });

  test('the value of a first action is its reward plus the value of the second turn', () => {
    near(values.firstQ, [0.2, 0.6, 0.025]);
    // 0.5 · 0.2 + 0.3 · 0.6 + 0.2 · 0.025
    expect(values.value).toBeCloseTo(0.285, 12);
    near(values.firstAdvantage, [-0.085, 0.315, -0.26]);
  });

  test('exactValues can omit turn rewards and discount the second turn', () => {
    const outcome = exactValues(REWARDS, POLICY, { rewards: false });
    near(outcome.firstQ, [0, 0.3, 0.025]);
    expect(outcome.value).toBeCloseTo(0.3 * 0.3 + 0.2 * 0.025, 12);
    near(exactValues(REWARDS, POLICY, { gamma: 0.5 }).firstQ, [0.2, 0.45, 0.0125]);
  });
});

test('advantages average to 0 under the policy, in every state', () => {
  const { firstAdvantage, secondAdvantage } = exactValues(REWARDS, POLICY);
  const mean = (probabilities: readonly number[], values: readonly number[]) =>
    values.reduce((sum, value, index) => sum + probabilities[index] * value, 0);
  expect(mean(POLICY.first, firstAdvantage)).toBeCloseTo(0, 12);
  secondAdvantage.forEach((row, first) => {
    expect(mean(POLICY.second[first], row)).toBeCloseTo(0, 12);
  });
});

test.each([
  ['first', { ...POLICY, first: [0.5, 0.5, 0.5] }],
  ['second[2]', { ...POLICY, second: [...POLICY.second.slice(0, 2), [1.5, -0.5, 0]] }],
])('exactValues throws an error for probabilities that are not a policy: %s', (name, policy) => {
  expect(() => exactValues(REWARDS, policy)).toThrow(`policy.${name}: [`);
});

/** Draws an action from the probabilities of a policy. */
function draw(random: CounterRandom, probabilities: readonly number[]): number {
  const at = random.next();
  let sum = 0;
  for (let action = 0; action < ACTIONS - 1; action++) {
    sum += probabilities[action];
    if (at < sum) return action;
  }
  return ACTIONS - 1;
}

test.each([1, 0.6])('the mean return of sampled episodes equals the exact value with chance %d', (chance) => {
  const environment = createBanditEnvironment({ tables: 1, chance, worldSeed: 5 });
  const [table] = environment.tables;
  const exact = exactValues(computeTableRewards(table, banditRewards({}), chance), POLICY);
  const random = new CounterRandom(1, STREAMS.evaluation);
  const tasks = environment.sampleTasks(random, 40_000, 'train');
  const returns: number[][] = [[], [], []];
  for (const task of tasks) {
    const episode = environment.begin(task, {});
    const first = draw(random, POLICY.first);
    const { reward } = episode.act([first]);
    const { outcome = Number.NaN } = episode.act([draw(random, POLICY.second[first])]);
    returns[first].push(reward + outcome);
  }
  // Five standard errors; an episode's return lies between 0 and 1.3.
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const bound = (values: readonly number[]) => (5 * 0.65) / Math.sqrt(values.length);
  expect(Math.abs(mean(returns.flat()) - exact.value)).toBeLessThan(bound(returns.flat()));
  returns.forEach((values, first) => {
    expect(Math.abs(mean(values) - exact.firstQ[first]), `first action ${first}`).toBeLessThan(bound(values));
  });
});
