import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ruleControls } from '../../../../../src/credit/ruleFacts.ts';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../../../src/parameters/parameters.ts';
import { groupOf, outcomesOnly } from '../../../../groups.ts';
import { expectClose } from '../../../../vectorFile.ts';

// Baselines: the mean of the other rollouts under RLOO, and of all rollouts under Dr. GRPO.

const credit = (rule: string, outcomes: readonly number[], parameters: ParameterValues = {}) =>
  findRule(rule).credit(outcomesOnly(outcomes), parameters).advantage;

const tenths = fc.integer({ min: -20, max: 20 }).map((value) => value / 10);
const outcomes = fc.array(tenths, { minLength: 1, maxLength: 16 });

describe('RLOO and Dr. GRPO by hand', () => {
  test('the baseline of rloo is the mean of the other rollouts, and equal for all turns of a rollout', () => {
    // Baselines (0 - 1) / 2 = -0.5, (1 - 1) / 2 = 0 and (1 + 0) / 2 = 0.5
    const group = groupOf([
      { turns: [0.3, 0.2], outcome: 1 },
      { turns: [], outcome: 0 },
      { turns: [0.1], outcome: -1 },
    ]);
    const { advantage, intermediate } = findRule('rloo').credit(group, {});
    expect([...advantage]).toEqual([1.5, 1.5, 1.5, 0, -1.5, -1.5]);
    expect([...intermediate.baseline]).toEqual([-0.5, -0.5, -0.5, 0, 0.5, 0.5]);
  });

  test('rloo with scale=std divides by the standard deviation of the whole group', () => {
    // [1, 0, 0, 0]: 1 and -1/3, std 1/2 with n - 1, sqrt(3)/4 = 0.433013 with n
    expectClose(credit('rloo', [1, 0, 0, 0], { scale: 'std' }), [1.999996, -0.666665, -0.666665, -0.666665], 1e-6);
    const population = credit('rloo', [1, 0, 0, 0], { scale: 'std', ddof: '0', epsilon: 0 });
    expectClose(population, [2.309401, -0.7698, -0.7698, -0.7698], 1e-6);
  });

  test('the baseline of dr-grpo is the mean of all rollouts', () => {
    expectClose(credit('dr-grpo', [1, 0, 0, 0]), [0.75, -0.25, -0.25, -0.25], 1e-12);
    expect([...findRule('dr-grpo').credit(outcomesOnly([1, 0, 0, 0]), {}).intermediate.mean]).toEqual(
      new Array(4).fill(0.25),
    );
  });

  test.each(['rloo', 'dr-grpo'])('%s returns no advantages for an empty group, and 0 for a lone rollout', (rule) => {
    expect(credit(rule, [])).toHaveLength(0);
    expect([...credit(rule, [0.7])]).toEqual([0]);
  });

  test('rloo with singleton=raw gives a lone rollout its outcome as advantage', () => {
    expect([...credit('rloo', [0.7], { singleton: 'raw' })]).toEqual([0.7]);
  });
});

describe('properties of RLOO and Dr. GRPO', () => {
  test('rloo advantages are n / (n - 1) times the dr-grpo advantages', () => {
    fc.assert(
      fc.property(outcomes, (R) => {
        const n = R.length;
        const expected = credit('dr-grpo', R).map((A) => (n > 1 ? (n / (n - 1)) * A : A));
        expectClose(credit('rloo', R), expected, 1e-12);
      }),
    );
  });

  test('rloo advantages are exactly 0 if all outcomes are equal', () => {
    for (const outcome of [0.1, 1 / 3, -2]) expect([...credit('rloo', [outcome, outcome, outcome])]).toEqual([0, 0, 0]);
  });

  test('dr-grpo equals grpo-or with profile dr-grpo', () => {
    fc.assert(
      fc.property(outcomes, (R) => {
        expect(credit('dr-grpo', R)).toEqual(credit('grpo-or', R, { profile: 'dr-grpo' }));
      }),
    );
  });
});

test('the run controls of dr-grpo and rloo have no normalization profile', () => {
  expect(ruleControls(findRule('dr-grpo'))).toEqual([]);
  expect(ruleControls(findRule('rloo')).map(({ name, default: value }) => [name, value])).toEqual([
    ['rlooScale', 'none'],
  ]);
});
