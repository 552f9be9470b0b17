import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tieOf } from '../../../../../src/credit/arithmetic/degenerate.ts';
import { normalize, PROFILES } from '../../../../../src/credit/arithmetic/normalize.ts';
import { MAX_GROUP_TESTS } from '../../../../../src/credit/arithmetic/unitTests.ts';
import { CreditError } from '../../../../../src/credit/creditError.ts';
import { parseRuleParameters, ruleControls } from '../../../../../src/credit/ruleFacts.ts';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../../../src/parameters/parameters.ts';
import type { Group, Turn } from '../../../../../src/rollouts/forest.ts';
import { expectClose } from '../../../../vectorFile.ts';

const verpo = findRule('verpo');
const credit = (group: Group, parameters: ParameterValues = {}) => verpo.credit(group, parameters);

/** Test results [rollouts][turns][tests], 0 or 1. Outcomes are absent, because the rule does not read them. */
type Results = readonly (readonly (readonly number[])[])[];

function tested(rollouts: Results, id = 'group'): Group {
  const turns: Turn[] = [];
  for (const rollout of rollouts) {
    rollout.forEach((passed, turn) => {
      turns.push({ parent: turn === 0 ? -1 : turns.length - 1, reward: 0, passed });
    });
  }
  return { id, turns };
}

const results = fc.integer({ min: 1, max: 8 }).chain((tests) =>
  fc.array(
    fc.array(fc.array(fc.constantFrom(0, 1), { minLength: tests, maxLength: tests }), { minLength: 1, maxLength: 4 }),
    {
      minLength: 1,
      maxLength: 8,
    },
  ),
);
const settings = fc.record({
  alpha: fc.constantFrom(0, 1, 2, 7),
  bandwidth: fc.constantFrom(0, 0.01, 0.3),
  beta: fc.constantFrom(0, 0.5, 1),
  norm: fc.constantFrom('centre', 'std'),
  turn: fc.constantFrom('difficulty-density', 'difficulty', 'failure-rate', 'pass-rate', 'none'),
  trajectory: fc.constantFrom('true', 'false'),
});

describe('VeRPO by hand', () => {
  // Three tests over four turns, rollouts of 2, 1 and 1 turns.
  const group = tested([
    [
      [1, 0, 0],
      [1, 1, 1],
    ],
    [[1, 1, 0]],
    [[1, 0, 0]],
  ]);

  test('VeRPO test weights are difficulty divided by the density of pass rates', () => {
    const { passRate, bandwidth, weights } = credit(group).intermediate;
    expect([...passRate]).toEqual([1, 0.5, 0.25]);
    // mean 0.583333, squares 0.173611 + 0.006944 + 0.111111 = 0.291667; sqrt(0.291667 / 3) = 0.311805, half of it
    expectClose(bandwidth, [0.155902], 1e-6);
    // 2 sigma^2 = 0.048611. exp(-0.5^2 / 0.048611) = 0.005841, exp(-0.75^2 / ..) = 0.000009, exp(-0.25^2 / ..) = 0.276453
    // d = 1.005850, 1.282294, 1.276462; w = exp(-2), exp(-1), exp(-0.5) = 0.135335, 0.367879, 0.606531
    expectClose(weights, [0.134548, 0.286891, 0.475165], 1e-5);
  });

  test('VeRPO advantages are the sum of centered turn rewards and centered trajectory rewards', () => {
    const { advantage, intermediate } = credit(group);
    expectClose(intermediate.turnReward, [0.134548, 0.896604, 0.421439, 0.134548], 1e-5);
    // mean 0.396785
    expectClose(intermediate.turnAdvantage, [-0.262237, 0.499819, 0.024654, -0.262237], 1e-5);
    // Two turns, the last passes every test: 0.95^1; mean 0.316667
    expectClose(intermediate.trajectoryReward, [0.95, 0.95, 0, 0], 1e-12);
    expectClose(intermediate.trajectoryAdvantage, [0.633333, 0.633333, -0.316667, -0.316667], 1e-5);
    expectClose(advantage, [0.371097, 1.133153, -0.292012, -0.578903], 1e-5);
  });

  test('beta scales the turn advantages of VeRPO', () => {
    // 0.633333 - 0.5 * 0.262237, and so on
    expectClose(credit(group, { beta: 0.5 }).advantage, [0.502215, 0.883243, -0.30434, -0.447785], 1e-5);
  });

  test.each(Object.keys(PROFILES) as (keyof typeof PROFILES)[])('VeRPO with norm=std uses profile %s', (profile) => {
    const { turnReward, turnAdvantage } = credit(group, { norm: 'std', profile }).intermediate;
    expect(turnAdvantage).toEqual(normalize(turnReward, PROFILES[profile]).advantage);
    // Centering without division does not depend on the profile.
    expect(credit(group, { profile }).advantage).toEqual(credit(group).advantage);
  });

  test('VeRPO with turn=failure-rate weights tests by powers of their failure rates', () => {
    // Failure rates 0, 1/2, 3/4: squares 0, 4/16, 9/16, of 13/16.
    const squares = credit(group, { turn: 'failure-rate' });
    expectClose(squares.intermediate.weights, [0, 4 / 13, 9 / 13], 1e-12);
    expectClose(squares.intermediate.turnReward, [0, 1, 4 / 13, 0], 1e-12);
    // mean 17/52: -0.326923, 0.673077, -0.019231 in addition to 0.633333 and -0.316667
    expectClose(squares.advantage, [0.30641, 1.30641, -0.335897, -0.64359], 1e-5);
    // alpha is the power: 1/2 and 3/4 of 5/4; at 0 all tests have the same weight, also a test that no turn fails.
    expectClose(credit(group, { turn: 'failure-rate', alpha: 1 }).intermediate.weights, [0, 0.4, 0.6], 1e-12);
    expectClose(credit(group, { turn: 'failure-rate', alpha: 0 }).intermediate.weights, Array(3).fill(1 / 3), 1e-12);
    // No test distinguishes turns, and no turn passes a test.
    for (const bit of [0, 1]) {
      const equal = tested([[[bit, bit]], [[bit, bit]]]);
      expect([...credit(equal, { turn: 'failure-rate' }).intermediate.weights]).toEqual([0.5, 0.5]);
    }
  });

  test('VeRPO uses a custom bandwidth, and at least 0.001', () => {
    // sigma 0.5: exp(-0.25 / 0.5) = 0.606531, exp(-0.5625 / 0.5) = 0.324652, exp(-0.0625 / 0.5) = 0.882497
    const { bandwidth, weights } = credit(group, { bandwidth: 0.5 }).intermediate;
    expect([...bandwidth]).toEqual([0.5]);
    expectClose(weights, [0.135335 / 1.931183, 0.367879 / 2.489028, 0.606531 / 2.207149], 1e-5);
    // Equal pass rates have deviation 0: the bandwidth is the minimum and each density is 3. Weights are exp(-2) / 3.
    const equal = credit(tested([[[1, 1, 1]], [[1, 1, 1]]])).intermediate;
    expect([...equal.bandwidth]).toEqual([1e-3]);
    expectClose(equal.weights, new Array(3).fill(Math.exp(-2) / 3), 1e-6);
    expect([...credit(group, { bandwidth: 1e-9 }).intermediate.bandwidth]).toEqual([1e-3]);
  });

  test('the trajectory reward of VeRPO decays with each turn after the first', () => {
    const [pass, fail] = [
      [1, 1],
      [1, 0],
    ];
    const rollouts = tested([[pass], [fail, pass], [fail, fail, pass], [pass, fail]]);
    const rewards = (decay: number) => [...credit(rollouts, { decay }).intermediate.trajectoryReward];
    expect(rewards(0.5)).toEqual([1, 0.5, 0.5, 0.25, 0.25, 0.25, 0, 0]);
    expect(rewards(0)).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
    expect(rewards(1)).toEqual([1, 1, 1, 1, 1, 1, 0, 0]);
  });
});

describe('properties of VeRPO', () => {
  test('VeRPO test weights are positive, except failure-rate weights of tests that every turn passes', () => {
    fc.assert(
      fc.property(results, settings, (rollouts, parameters) => {
        const { weights, passRate } = credit(tested(rollouts), parameters).intermediate;
        const { turn, alpha } = parameters;
        const some = turn === 'failure-rate' && alpha > 0 && passRate.some((rho) => rho < 1);
        weights.forEach((weight, j) => {
          expect(weight > 0).toBe(turn !== 'none' && !(some && passRate[j] === 1));
        });
      }),
    );
  });

  test('VeRPO failure-rate weights sum to 1 and rise with the failure rate', () => {
    fc.assert(
      fc.property(results, fc.constantFrom(0, 0.5, 2, 10), (rollouts, alpha) => {
        const group = tested(rollouts);
        const { weights, passRate, turnReward } = credit(group, { turn: 'failure-rate', alpha }).intermediate;
        expectClose([weights.reduce((sum, weight) => sum + weight, 0)], [1], 1e-12);
        passRate.forEach((rho, j) => {
          passRate.forEach((rate, k) => {
            if (rho === rate) expect(weights[j]).toBe(weights[k]);
            if (rho > rate && alpha > 0) expect(weights[j]).toBeLessThan(weights[k]);
          });
        });
        group.turns.forEach(({ passed = [] }, turn) => {
          if (passed.every(Boolean)) expectClose([turnReward[turn]], [1], 1e-12);
        });
      }),
    );
  });

  test('VeRPO difficulty weights fall with the pass rate, and density weights also fall if densities are equal', () => {
    fc.assert(
      fc.property(results, fc.constantFrom(0.5, 2, 7), (rollouts, alpha) => {
        const group = tested(rollouts);
        const difficulty = credit(group, { alpha, turn: 'difficulty' }).intermediate;
        // With only two tests, the densities are equal at any bandwidth.
        const ends = rollouts.map((turns) => turns.map((passed) => [passed[0], passed[passed.length - 1]]));
        const pair = credit(tested(ends), { alpha }).intermediate;
        for (const { passRate, weights } of [difficulty, pair]) {
          passRate.forEach((rho, j) => {
            passRate.forEach((rate, k) => {
              if (rho < rate) expect(weights[j]).toBeGreaterThan(weights[k]);
              if (rho === rate) expect(weights[j]).toBe(weights[k]);
            });
          });
        }
      }),
    );
  });

  test('a test weighs less under VeRPO if another test has the same results', () => {
    fc.assert(
      fc.property(results, (rollouts) => {
        // The first test is repeated at the end: its density grows, and its difficulty does not change.
        const twice = rollouts.map((turns) => turns.map((passed) => [...passed, passed[0]]));
        const bandwidth = 0.1;
        const once = credit(tested(rollouts), { bandwidth }).intermediate.weights[0];
        expect(credit(tested(twice), { bandwidth }).intermediate.weights[0]).toBeLessThan(once);
      }),
    );
  });

  test('VeRPO credit does not depend on the order of tests', () => {
    fc.assert(
      fc.property(results, settings, (rollouts, parameters) => {
        const backwards = rollouts.map((turns) => turns.map((passed) => [...passed].reverse()));
        const expected = credit(tested(rollouts), parameters).advantage;
        expectClose(credit(tested(backwards), parameters).advantage, expected, 1e-9);
      }),
    );
  });

  test('groups with equal rollouts have VeRPO advantages of exactly 0', () => {
    const passed = fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(passed, fc.integer({ min: 1, max: 9 }), settings, (bits, size, parameters) => {
        const { advantage } = credit(tested(new Array(size).fill([bits])), parameters);
        expect(advantage.every((A) => A === 0)).toBe(true);
      }),
    );
  });
});

describe('errors of VeRPO', () => {
  const group = (...passed: unknown[]): Group => {
    return {
      id: 'g',
      turns: passed.map((outcomes) => ({ parent: -1, reward: 0, passed: outcomes })) as unknown as Turn[],
    };
  };
  test.each([
    [group([1, 0], undefined), 1, 'missing: this rule needs the result of each unit test, 0 or 1, on every turn'],
    [group('110'), 0, 'missing: this rule needs the result of each unit test, 0 or 1, on every turn'],
    [group([1, 0], [1]), 1, '1 tests, but turn 0 of the group has 2'],
    [group([]), 0, '0 tests, not 1 to 256'],
    [group(new Array(MAX_GROUP_TESTS + 1).fill(0)), 0, '257 tests, not 1 to 256'],
    [group([1, 0], [1, 0.5]), 1, '[1] is 0.5, not 0 or 1'],
  ])('VeRPO throws an error for invalid test results (case %#): $2', (bad, turn, problem) => {
    expect(() => credit(bad)).toThrow(CreditError);
    expect(() => credit(bad)).toThrow(`group "g", turn ${turn}, field "passed": ${problem}`);
  });

  test('VeRPO accepts the maximum number of tests', () => {
    expect(credit(group(new Array(MAX_GROUP_TESTS).fill(1))).intermediate.weights).toHaveLength(MAX_GROUP_TESTS);
  });
});

describe('degenerate groups under VeRPO', () => {
  const range = { bestOutcome: 1, worstOutcome: 0 };
  const [pass, half, fail] = [
    [1, 1],
    [1, 0],
    [0, 0],
  ];
  const equal = tested([[half], [half]]);
  const turnsDiffer = tested([[half], [fail]]);
  const endsDiffer = tested([[pass], [half]]);

  test('a group is degenerate under VeRPO only if all turn rewards and all trajectory rewards are equal', () => {
    expect(tieOf(equal, verpo, {}, range)).toBe('other');
    expect(tieOf(turnsDiffer, verpo, {}, range)).toBeUndefined();
    expect(tieOf(endsDiffer, verpo, {}, range)).toBeUndefined();
  });

  test('rewards that an ablation of VeRPO removes do not affect degeneracy', () => {
    expect(tieOf(turnsDiffer, verpo, { turn: 'none' }, range)).toBe('other');
    expect(tieOf(turnsDiffer, verpo, { beta: 0 }, range)).toBe('other');
    expect(tieOf(endsDiffer, verpo, { turn: 'none' }, range)).toBeUndefined();
    expect(tieOf(endsDiffer, verpo, { turn: 'none', trajectory: 'false' }, range)).toBe('other');
  });
});

test('the run controls of VeRPO begin with "verpo", except the normalization profile', () => {
  const names = ruleControls(verpo).map(({ name }) => name);
  expect(names.filter((name) => !name.startsWith('verpo'))).toEqual(['profile']);
  expect(parseRuleParameters(verpo, { trajectory: false, turn: 'pass-rate' })).toEqual({
    trajectory: 'false',
    turn: 'pass-rate',
  });
});
