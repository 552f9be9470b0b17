import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memberCounts, normalizeBatch } from '../../../../../src/credit/arithmetic/normalize.ts';
import { findRule, RULES } from '../../../../../src/credit/rules.ts';
import { groupOf, outcomesOnly } from '../../../../groups.ts';
import { expectClose } from '../../../../vectorFile.ts';

// Rules of other trainers: GDPO, MaxRL and REINFORCE++.

const tenths = fc.integer({ min: -20, max: 20 }).map((value) => value / 10);

describe('gdpo', () => {
  const gdpo = findRule('gdpo');

  test('gdpo normalizes each reward separately, and gives all turns of a rollout the sum', () => {
    // R^I_1 = [1, 0, 0]: mean 1/3, centered [2/3, -1/3, -1/3]. R^I_2 = [0, 3, 0], because rollouts 1 and 3 have no
    // second intermediate turn: [-1, 2, -1].
    // R^O = [0, 0, 3]: [-1, -1, 2]. Sums: 2/3 - 1 - 1 = -4/3, -1/3 + 2 - 1 = 2/3, -1/3 - 1 + 2 = 2/3.
    const group = groupOf([
      { turns: [1], outcome: 0 },
      { turns: [0, 3], outcome: 0 },
      { turns: [0], outcome: 3 },
    ]);
    const A = [-4 / 3, -4 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3];
    expectClose(gdpo.credit(group, { profile: 'dr-grpo' }).advantage, A, 1e-12);
    // Divided: std of [1, 0, 0] = sqrt(1/3), of [0, 3, 0] and [0, 0, 3] = sqrt 3. (2/3) sqrt 3 - 2 / sqrt 3 = 0 and
    // -(1/3) sqrt 3 + (2 - 1) / sqrt 3 = 0: the three rewards cancel. The sums under GRPO-MR do not.
    expectClose(gdpo.credit(group, { epsilon: 0 }).advantage, new Array(7).fill(0), 1e-12);
    expect(Math.max(...findRule('grpo-mr').credit(group, {}).advantage)).toBeGreaterThan(0.5);
  });

  test('gdpo gives a rollout with two rewards more credit than a rollout with one (example of the paper)', () => {
    // Sums [0, 1] and [0, 2] have the same advantages under GRPO-MR: half the difference over its deviation, 1 / sqrt 2.
    const single = groupOf([
      { turns: [0], outcome: 0 },
      { turns: [0], outcome: 1 },
    ]);
    const both = groupOf([
      { turns: [0], outcome: 0 },
      { turns: [1], outcome: 1 },
    ]);
    const last = (rule: string, group: typeof single) => findRule(rule).credit(group, { epsilon: 0 }).advantage[3];
    expect(last('grpo-mr', both)).toBeCloseTo(last('grpo-mr', single), 12);
    expect(last('gdpo', both)).toBeCloseTo(2 * last('gdpo', single), 12);
  });

  test('gdpo credit equals mt-grpo credit of first turns with alpha 1 and absent=zero', () => {
    const rollout = fc.record({ turns: fc.array(tenths, { maxLength: 3 }), outcome: tenths });
    fc.assert(
      fc.property(fc.array(rollout, { minLength: 1, maxLength: 8 }), (rollouts) => {
        const group = groupOf(rollouts);
        const A = gdpo.credit(group, {}).advantage;
        const first = findRule('mt-grpo').credit(group, { alpha: 1, absent: 'zero' }).advantage;
        let start = 0;
        for (const { turns } of rollouts) {
          for (let turn = start; turn <= start + turns.length; turn++) expectClose([A[turn]], [first[start]], 1e-9);
          start += turns.length + 1;
        }
      }),
    );
  });
});

describe('maxrl', () => {
  const credit = (outcomes: readonly number[]) =>
    findRule('maxrl').credit(outcomesOnly(outcomes), { epsilon: 0 }).advantage;

  test('maxrl gives a rare success more credit than a frequent success', () => {
    // Rate 1/4: (1 - 1/4) / (1/4) = 3, (0 - 1/4) / (1/4) = -1. Rate 3/4: 1/3 and -1.
    expectClose(credit([1, 0, 0, 0]), [3, -1, -1, -1], 1e-12);
    expectClose(credit([1, 1, 1, 0]), [1 / 3, 1 / 3, 1 / 3, -1], 1e-12);
    // Rate (0.5 + 1 + 0) / 3 = 1/2
    expectClose(credit([0.5, 1, 0]), [0, 1, -1], 1e-12);
  });

  test('maxrl credit is 0 without a success and without a failure, and outcomes below 0 count as 0', () => {
    expect([...credit([0, 0, 0])]).toEqual([0, 0, 0]);
    expect([...credit([1, 1])]).toEqual([0, 0]);
    expect([...credit([-1, -0.2])]).toEqual([0, 0]);
    expectClose(credit([-1, 1]), [-1, 1], 1e-12);
    expect(credit([])).toHaveLength(0);
  });

  test('the mean of (1 + A) times a score under maxrl is the mean score of successes, as in the paper', () => {
    const binary = fc.array(fc.record({ r: fc.constantFrom(0, 1), score: tenths }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(binary, (all) => {
        const successes = all.filter(({ r }) => r === 1);
        fc.pre(successes.length > 0);
        const A = credit(all.map(({ r }) => r));
        const mean = all.reduce((sum, { score }, i) => sum + (1 + A[i]) * score, 0) / all.length;
        const expected = successes.reduce((sum, { score }) => sum + score, 0) / successes.length;
        expectClose([mean], [expected], 1e-12);
      }),
    );
  });
});

describe('reinforce-plus-plus', () => {
  const rule = findRule('reinforce-plus-plus');

  test('reinforce-plus-plus credits the outcome, or the outcome minus the group mean with baseline=group', () => {
    const group = groupOf([
      { turns: [0.3], outcome: 1 },
      { turns: [], outcome: -2 },
    ]);
    expect([...rule.credit(group, {}).advantage]).toEqual([1, 1, -2]);
    expect([...rule.credit(group, { baseline: 'group' }).advantage]).toEqual([1.5, 1.5, -1.5]);
    expect(rule.compared(group, {})).toEqual([]);
  });
});

describe('normalization over a batch', () => {
  test('batch normalization over tokens counts a rollout once per token', () => {
    // Advantages 1 and -2 on 3 and 1 tokens: mean 1/4, squares 3 * 9/16 + 81/16 = 27/4, over 3: std 3/2.
    const group = {
      id: 'g',
      turns: [
        { parent: -1, reward: 0, outcome: 1, tokens: 3 },
        { parent: -1, reward: 0, outcome: -2, tokens: 1 },
      ],
    };
    const counts = memberCounts([group], 'tokens');
    expect([...counts]).toEqual([3, 1]);
    expectClose(normalizeBatch([1, -2], counts), [0.75 / 1.5001, -2.25 / 1.5001], 1e-12);
  });

  test('batch normalization over rollouts counts a rollout once, regardless of its number of turns', () => {
    // Rollouts 1, -1 | 3, -3: mean 0, squares 20 over 3: std 2.58199. The first rollout has two turns.
    const groups = [
      groupOf([
        { turns: [0], outcome: 0 },
        { turns: [], outcome: 0 },
      ]),
      outcomesOnly([0, 0]),
    ];
    const counts = memberCounts(groups, 'rollouts');
    expect([...counts]).toEqual([0, 1, 1, 1, 1]);
    const divisor = Math.sqrt(20 / 3) + 1e-4;
    const expected = [1, 1, -1, 3, -3].map((A) => A / divisor);
    expectClose(normalizeBatch([1, 1, -1, 3, -3], counts), expected, 1e-12);
  });

  test('batch normalization returns exactly 0 for equal advantages', () => {
    expect([...normalizeBatch([0.5, 0.5, 0.5], [1, 2, 3])]).toEqual([0, 0, 0]);
  });

  test('memberCounts over tokens throws an error for a turn without a number of tokens', () => {
    expect(() => memberCounts([outcomesOnly([1, 0])], 'tokens')).toThrow('turn 0, field "tokens"');
  });

  test('only gdpo and reinforce-plus-plus normalize over a batch, and both credit turns', () => {
    const batch = RULES.filter((rule) => rule.batch);
    expect(batch.map(({ name }) => name)).toEqual(['gdpo', 'reinforce-plus-plus']);
    expect(batch.every(({ unit }) => unit === 'turn')).toBe(true);
  });
});
