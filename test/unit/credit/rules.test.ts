import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NORMALIZATION, normalizationOf, normalize, PROFILES } from '../../../src/credit/arithmetic/normalize.ts';
import { CreditError } from '../../../src/credit/creditError.ts';
import { findRule, RULES } from '../../../src/credit/rules.ts';
import { defaults, valuesOf } from '../../../src/parameters/parameters.ts';
import type { Group, Turn } from '../../../src/rollouts/forest.ts';
import { groupOf, outcomesOnly } from '../../groups.ts';
import { expectClose } from '../../vectorFile.ts';

// Rewards on a grid, as in the environments: ties are common, and no two rewards differ only by a rounding error.
const rewards = fc.integer({ min: -20, max: 20 }).map((tenths) => tenths / 10);
const rollouts = fc.array(fc.record({ turns: fc.array(rewards, { maxLength: 4 }), outcome: rewards }), {
  minLength: 1,
  maxLength: 12,
});

describe('normalize', () => {
  test('normalize matches a calculation by hand for the group [1, 0, 0, 0]', () => {
    // mean 1/4; squares 9/16 + 3 * 1/16 = 3/4, over n - 1 = 3: std 1/2; 0.75 / 0.500001 = 1.499997
    const { advantage, mean, std } = normalize([1, 0, 0, 0]);
    expect([mean, std]).toEqual([0.25, 0.5]);
    expectClose(advantage, [1.499997, -0.499999, -0.499999, -0.499999], 1e-6);
  });

  test.each(Object.keys(PROFILES))('the profile %s gives equal rewards advantages of exactly 0', (profile) => {
    const how = normalizationOf(valuesOf(NORMALIZATION, { profile }));
    for (const value of [0.1, 1 / 3, -1e-9, 1e9]) {
      expect([...normalize(new Array(7).fill(value), how).advantage]).toEqual(new Array(7).fill(0));
    }
  });

  test('an empty list has no advantages; a single reward has advantage 0, or about its value with profile verl', () => {
    expect(normalize([]).advantage).toHaveLength(0);
    expect([...normalize([0.7]).advantage]).toEqual([0]);
    // mean 0 and std 1: 0.7 / 1.000001
    expectClose(normalize([0.7], PROFILES.verl).advantage, [0.6999993], 1e-7);
  });

  // verl and rLLM keep the reward of a prompt with one rollout. A turn without comparison in a larger group has 0.
  test.each(['verl', 'rllm'] as const)(
    '%s keeps the reward of a lone turn only in a group of one rollout',
    (profile) => {
      const credit = (name: string, group: Group, parameters = {}) => [
        ...findRule(name).credit(group, { profile, ...parameters }).advantage,
      ];
      const std = profile === 'verl' ? Math.sqrt(1 / 3) : 1 / 2; // of [1, 0, 1, 0], with divisor 3 or 4
      const A = 0.5 / (std + 1e-6);
      const attempts = [1, 0, 1, 0].flatMap((reward, rollout) => [
        { parent: -1, reward: 0 },
        { parent: 2 * rollout, reward },
      ]);
      const raw = 1 / (1 + 1e-6);
      for (const rule of ['murphy-mars', 'murphy-mers']) {
        expectClose(credit(rule, { id: 'a', turns: attempts }, { gamma: 1 }), [A, 0, -A, 0, A, 0, -A, 0], 1e-5);
      }
      expectClose(credit('murphy-mars', { id: 'a', turns: attempts.slice(0, 2) }), [raw, raw], 1e-5);

      // Only the first rollout has an intermediate turn, with reward 0.5.
      const first = { turns: [0.5], outcome: 1 };
      const group = groupOf([first, ...[0, 1, 0].map((outcome) => ({ turns: [], outcome }))]);
      expectClose(credit('mt-grpo', group), [A, A, -A, A, -A], 1e-5);
      expectClose(credit('mt-grpo', groupOf([first])), [1.5 * raw, raw], 1e-5);
      const branches = groupOf([first, { turns: [0.25], outcome: 0 }]).turns.map((turn) => ({ ...turn }));
      branches[2].parent = 0; // the second rollout continues the first turn: two rollouts, one first turn
      const B = 0.5 / ((profile === 'verl' ? Math.SQRT1_2 : 1 / 2) + 1e-6);
      expectClose(credit('mt-grpo-exact', { id: 'a', turns: branches }), [0, B, -B, -B], 1e-5);
      const gains = group.turns.map((turn, index) => ({ ...turn, answerLogProb: Math.log(index === 0 ? 0.25 : 0.5) }));
      expectClose(credit('igpo', { id: 'a', turns: gains }, { pool: 'separate' }), [A, A, -A, A, -A], 1e-5);
    },
  );

  test('advantages without epsilon do not change if all rewards are shifted or scaled', () => {
    const exact = { ...PROFILES.turnwise, epsilon: 0 };
    const many = fc.array(rewards, { minLength: 2, maxLength: 16 });
    fc.assert(
      fc.property(many, rewards, fc.integer({ min: 1, max: 50 }), (x, shift, factor) => {
        const plain = normalize(x, exact).advantage;
        expectClose(
          normalize(
            x.map((value) => value + shift),
            exact,
          ).advantage,
          plain,
          1e-9,
        );
        expectClose(
          normalize(
            x.map((value) => value * factor),
            exact,
          ).advantage,
          plain,
          1e-9,
        );
      }),
    );
  });

  test('advantages without epsilon have sum 0 and standard deviation 1', () => {
    fc.assert(
      fc.property(fc.array(rewards, { minLength: 2, maxLength: 16 }), (x) => {
        const { advantage, std } = normalize(x, { ...PROFILES.turnwise, epsilon: 0 });
        expectClose([advantage.reduce((sum, a) => sum + a, 0)], [0], 1e-9);
        const squares = advantage.reduce((sum, a) => sum + a * a, 0);
        expectClose([squares / (x.length - 1)], [std === 0 ? 0 : 1], 1e-9);
      }),
    );
  });

  test('an unknown normalization profile throws an error that lists the profiles', () => {
    const message = 'profile: "mine" is not one of turnwise, trl, verl, rllm, dr-grpo';
    expect(() => valuesOf(NORMALIZATION, { profile: 'mine' })).toThrow(message);
    expect(() => findRule('grpo-or').credit(groupOf([{ turns: [0], outcome: 1 }]), { profile: 'mine' })).toThrow(
      message,
    );
  });
});

describe('grpo-mr by hand', () => {
  test('the return of grpo-mr is the sum of intermediate rewards and outcome', () => {
    // returns 0.5 + 1 = 1.5 and 0.5 + 0 = 0.5: mean 1, std sqrt(2 * 0.25 / 1) = 0.70711; 0.5 / 0.70711 = 0.70711
    const group = groupOf([
      { turns: [0.5], outcome: 1 },
      { turns: [0.5], outcome: 0 },
    ]);
    const { advantage, intermediate } = findRule('grpo-mr').credit(group, {});
    expectClose(advantage, [Math.SQRT1_2, Math.SQRT1_2, -Math.SQRT1_2, -Math.SQRT1_2], 1e-5);
    expect([...intermediate.return]).toEqual([1.5, 1.5, 0.5, 0.5]);
  });

  test('grpo-mr does not count the reward of the last turn', () => {
    const turns: Turn[] = [
      { parent: -1, reward: 9, outcome: 1 },
      { parent: -1, reward: 0, outcome: 1 },
    ];
    expect([...findRule('grpo-mr').credit({ id: 'g', turns }, {}).advantage]).toEqual([0, 0]);
  });
});

describe('mt-grpo by hand', () => {
  // A^O: outcomes [1, 0, -1], mean 0, std 1.
  // A^I of turn 1: rewards [1, 0, 2], mean 1, std 1: [0, -1, 1].
  // A^I of turn 2: only rollouts 2 and 3 have it as intermediate turn: [2, 0], mean 1, std sqrt 2: [0.70711, -0.70711].
  const group = groupOf([
    { turns: [1], outcome: 1 },
    { turns: [0, 2], outcome: 0 },
    { turns: [2, 0], outcome: -1 },
  ]);

  test('mt-grpo with alpha 0.5 matches a calculation by hand for trajectories of unequal length', () => {
    const { advantage, intermediate } = findRule('mt-grpo').credit(group, { alpha: 0.5 });
    const expected = [
      0.5, // 0 + 0.5 * 1
      1,
      -0.64645, // -1 + 0.5 * 0.70711 + 0.25 * 0
      Math.SQRT1_2, // 0.70711 + 0.5 * 0
      0,
      0.39645, // 1 + 0.5 * -0.70711 + 0.25 * -1
      -1.20711, // -0.70711 + 0.5 * -1
      -1,
    ];
    expectClose(advantage, expected, 1e-5);
    expectClose(intermediate.outcomeAdvantage, [1, 1, 0, 0, 0, -1, -1, -1], 1e-5);
    expect(intermediate.turnAdvantage[1]).toBeNaN();
  });

  test('mt-grpo with alpha 0 credits a turn only with its own reward', () => {
    const { advantage } = findRule('mt-grpo').credit(group, { alpha: 0 });
    expectClose(advantage, [0, 1, -1, Math.SQRT1_2, 0, 1, -Math.SQRT1_2, -1], 1e-5);
  });

  test('mt-grpo advantages equal the double sum of discounted turn and outcome advantages', () => {
    fc.assert(
      fc.property(rollouts, fc.integer({ min: 0, max: 10 }), (generated, tenths) => {
        const alpha = tenths / 10;
        const { advantage, intermediate } = findRule('mt-grpo').credit(groupOf(generated), { alpha });
        let start = 0;
        for (const { turns } of generated) {
          const last = start + turns.length;
          for (let k = start; k <= last; k++) {
            let sum = alpha ** (last - k) * intermediate.outcomeAdvantage[k];
            for (let l = k; l < last; l++) sum += alpha ** (l - k) * intermediate.turnAdvantage[l];
            expectClose([advantage[k]], [sum], 1e-9);
          }
          start = last + 1;
        }
      }),
    );
  });

  test('mt-grpo equals grpo-or without intermediate turns, and with alpha 1 and constant turn rewards', () => {
    fc.assert(
      fc.property(fc.array(rewards, { minLength: 1, maxLength: 12 }), (outcomes) => {
        for (const example of [
          outcomesOnly(outcomes),
          groupOf(outcomes.map((outcome) => ({ turns: [0.1, 0.1], outcome }))),
        ]) {
          const expected = findRule('grpo-or').credit(example, {}).advantage;
          expectClose(findRule('mt-grpo').credit(example, { alpha: 1 }).advantage, expected, 1e-12);
        }
      }),
    );
  });
});

describe.each(['grpo-or', 'grpo-mr', 'mt-grpo'].map((name) => [name, findRule(name)] as const))('%s', (_, rule) => {
  const credit = (group: Group) => rule.credit(group, defaults(rule.parameters)).advantage;

  test('credit does not depend on the order of the turns if parents precede their children', () => {
    const depthFirst = groupOf([
      { turns: [0.3], outcome: 1 },
      { turns: [0.1], outcome: 0 },
    ]);
    const [a1, a2, b1, b2] = depthFirst.turns;
    const breadthFirst = { id: 'g', turns: [a1, b1, { ...a2, parent: 0 }, { ...b2, parent: 1 }] };
    const [A1, A2, B1, B2] = credit(depthFirst);
    expect([...credit(breadthFirst)]).toEqual([A1, B1, A2, B2]);
  });

  test('an empty group has no credit, a lone rollout has credit 0, and 256 rollouts are normalized', () => {
    expect(credit({ id: 'empty', turns: [] })).toHaveLength(0);
    expect([...credit(groupOf([{ turns: [0.2, 0.3], outcome: 1 }]))]).toEqual([0, 0, 0]);
    const many = credit(outcomesOnly(Array.from({ length: 256 }, (_, i) => i % 2)));
    // mean 1/2, std sqrt(256 * 0.25 / 255) = 0.50098; 0.5 / 0.50098 = 0.99804
    expectClose(many.subarray(0, 2), [-0.99804, 0.99804], 1e-5);
  });

  const message = (group: Group) => {
    try {
      credit(group);
    } catch (error) {
      expect(error).toBeInstanceOf(CreditError);
      return (error as Error).message;
    }
    return 'no error';
  };

  test('a rule of trajectories throws an error for a turn with two children', () => {
    const turns: Turn[] = [
      { parent: -1, reward: 0 },
      { parent: 0, reward: 0, outcome: 1 },
      { parent: 0, reward: 0, outcome: 0 },
    ];
    expect(message({ id: 'tree', turns })).toBe(
      'group "tree", turn 0, field "parent": this rule needs trajectories, but turns 1, 2 all continue this turn',
    );
  });

  test('a rule of trajectories throws an error for a last turn without an outcome', () => {
    const turns: Turn[] = [
      { parent: -1, reward: 0, outcome: 1 },
      { parent: -1, reward: 0 },
      { parent: 1, reward: 0 },
    ];
    expect(message({ id: 'g', turns })).toBe(
      'group "g", turn 2, field "outcome": missing on the last turn of a trajectory',
    );
  });

  test.each([NaN, Infinity, -Infinity])('a reward or an outcome of %s throws an error', (value) => {
    expect(message(groupOf([{ turns: [0, value], outcome: 1 }], 'g'))).toBe(
      `group "g", turn 1, field "reward": ${value} is not a finite number`,
    );
    expect(message(groupOf([{ turns: [0], outcome: value }], 'g'))).toBe(
      `group "g", turn 1, field "outcome": ${Number.isNaN(value) ? 'missing on the last turn of a trajectory' : `${value} is not a finite number`}`,
    );
  });
});

test('an unknown rule name throws an error that lists the rules', () => {
  expect(() => findRule('gspo')).toThrow(
    `unknown credit rule "gspo"; known: ${RULES.map(({ name }) => name).join(', ')}`,
  );
});
