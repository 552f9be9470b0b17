import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memberCounts, normalizeBatch } from '../../../../../src/credit/arithmetic/batchNormalization.ts';
import { findRule, RULES } from '../../../../../src/credit/rules.ts';
import { groupOf, outcomesOnly } from '../../../../groups.ts';
import { expectClose } from '../../../../vectorFile.ts';

// GDPO, MaxRL and REINFORCE++: rules that trainers ship.

const tenths = fc.integer({ min: -20, max: 20 }).map((value) => value / 10);

describe('gdpo', () => {
  const gdpo = findRule('gdpo');

  test('by hand: each reward by itself, then the sum, the same for all turns', () => {
    // R^I_1 = [1, 0, 0]: mean 1/3, centred [2/3, -1/3, -1/3]. R^I_2 = [0, 3, 0], rollouts 1 and 3 have no such turn: [-1, 2, -1].
    // R^O = [0, 0, 3]: [-1, -1, 2]. Sums: 2/3 - 1 - 1 = -4/3, -1/3 + 2 - 1 = 2/3, -1/3 - 1 + 2 = 2/3.
    const group = groupOf([
      { turns: [1], outcome: 0 },
      { turns: [0, 3], outcome: 0 },
      { turns: [0], outcome: 3 },
    ]);
    const A = [-4 / 3, -4 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3];
    expectClose(gdpo.credit(group, { profile: 'dr-grpo' }).advantage, A, 1e-12);
    // Divided: std of [1, 0, 0] = sqrt(1/3), of [0, 3, 0] and [0, 0, 3] = sqrt 3. (2/3) sqrt 3 - 2 / sqrt 3 = 0 and
    // -(1/3) sqrt 3 + (2 - 1) / sqrt 3 = 0: the three rewards cancel where the sum of GRPO-MR differs.
    expectClose(gdpo.credit(group, { epsilon: 0 }).advantage, new Array(7).fill(0), 1e-12);
    expect(Math.max(...findRule('grpo-mr').credit(group, {}).advantage)).toBeGreaterThan(0.5);
  });

  test("the paper's example: a rollout with both rewards gets more than one with a single reward", () => {
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

  test('it is the credit of first turns under MT-GRPO with alpha 1 and absent zero', () => {
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

  test('by hand: a rare success counts more', () => {
    // Rate 1/4: (1 - 1/4) / (1/4) = 3, (0 - 1/4) / (1/4) = -1. Rate 3/4: 1/3 and -1.
    expectClose(credit([1, 0, 0, 0]), [3, -1, -1, -1], 1e-12);
    expectClose(credit([1, 1, 1, 0]), [1 / 3, 1 / 3, 1 / 3, -1], 1e-12);
    // Rate (0.5 + 1 + 0) / 3 = 1/2
    expectClose(credit([0.5, 1, 0]), [0, 1, -1], 1e-12);
  });

  test('no success, all successes, and outcomes below 0', () => {
    expect([...credit([0, 0, 0])]).toEqual([0, 0, 0]);
    expect([...credit([1, 1])]).toEqual([0, 0]);
    expect([...credit([-1, -0.2])]).toEqual([0, 0]);
    expectClose(credit([-1, 1]), [-1, 1], 1e-12);
    expect(credit([])).toHaveLength(0);
  });

  test("the mean of (1 + A) times a score is the paper's estimator: the mean score of successes", () => {
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

  test('the outcome itself, or less the mean of the group', () => {
    const group = groupOf([
      { turns: [0.3], outcome: 1 },
      { turns: [], outcome: -2 },
    ]);
    expect([...rule.credit(group, {}).advantage]).toEqual([1, 1, -2]);
    expect([...rule.credit(group, { baseline: 'group' }).advantage]).toEqual([1.5, 1.5, -1.5]);
    expect(rule.compared(group, {})).toEqual([]);
  });
});

describe('normalisation over a batch', () => {
  test('by hand, over tokens: a long rollout counts more', () => {
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

  test('by hand, over rollouts of two groups: turns have no weight', () => {
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

  test('equal advantages give exactly 0', () => {
    expect([...normalizeBatch([0.5, 0.5, 0.5], [1, 2, 3])]).toEqual([0, 0, 0]);
  });

  test('a turn without tokens is refused where tokens count', () => {
    expect(() => memberCounts([outcomesOnly([1, 0])], 'tokens')).toThrow('turn 0, field "tokens"');
  });

  test('rules that have it are not rules of tokens', () => {
    const batch = RULES.filter((rule) => rule.batch);
    expect(batch.map(({ name }) => name)).toEqual(['gdpo', 'reinforce-plus-plus']);
    expect(batch.every(({ unit }) => unit === 'turn')).toBe(true);
  });
});
