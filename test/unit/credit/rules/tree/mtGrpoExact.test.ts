import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CreditError } from '../../../../../src/credit/creditError.ts';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { Group } from '../../../../../src/rollouts/forest.ts';
import { groupOf } from '../../../../groups.ts';
import { expectClose } from '../../../../vectorFile.ts';

const exact = findRule('mt-grpo-exact');

describe('mt-grpo-exact by hand', () => {
  // A^O: outcomes [1, 0.2, 1, -1], mean 0.3, std sqrt((0.49 + 0.01 + 0.49 + 1.69) / 3) = 0.94516:
  //   [0.74061, -0.10580, 0.74061, -1.37542].
  // A^I of the first turns [0.6, -0.2]: two members differ by sqrt 2 of their std: +-0.70711; the same for [0.3, 0.1].
  const { example } = exact;
  const half = Math.SQRT1_2;

  test('mt-grpo-exact compares only turns that are present by default', () => {
    // Turn 6 is the only turn from its state that continues: A^I = 0.
    const { advantage, intermediate } = exact.credit(example, {});
    expectClose(
      advantage,
      [
        1.02451, // 0.70711 + (1.44772 - 0.81291) / 2
        1.44772, // 0.70711 + 0.74061
        0.74061,
        -0.81291, // -0.70711 - 0.10580
        -0.1058,
        -1.02451, // -0.70711 + (0.74061 - 1.37542) / 2
        0.74061, // 0 + 0.74061
        0.74061,
        -1.37542,
      ],
      2e-5,
    );
    expectClose(
      [0, 1, 3, 5, 6].map((turn) => intermediate.turnAdvantage[turn]),
      [half, half, -half, -half, 0],
      1e-5,
    );
    expect(intermediate.turnAdvantage[8]).toBeNaN();
    expect(intermediate.outcomeAdvantage[0]).toBeNaN();
  });

  test('with absent=zero, mt-grpo-exact counts a turn that ends the rollout as reward 0 among its siblings', () => {
    // Turns 6 and 8, [0.5, 0]: +-0.70711, so A_6 = 0.70711 + 0.74061, A_8 = -0.70711 - 1.37542, with the same mean.
    const { advantage } = exact.credit(example, { absent: 'zero' });
    expectClose(advantage, [1.02451, 1.44772, 0.74061, -0.81291, -0.1058, -1.02451, 1.44772, 0.74061, -2.08253], 2e-5);
  });

  test('mt-grpo-exact with alpha 0 credits a turn only with its own reward', () => {
    const { advantage } = exact.credit(example, { alpha: 0 });
    expectClose(advantage, [half, half, 0.74061, -half, -0.1058, -half, 0, 0.74061, -1.37542], 2e-5);
  });
});

test('mt-grpo-exact does not compare turns from different states, even at the same turn index', () => {
  // The second turns of the two states differ by 10; within a state they are equal.
  const turns = [
    { parent: -1, reward: 0 },
    { parent: 0, reward: 10 },
    { parent: 1, reward: 0, outcome: 1 },
    { parent: 0, reward: 10 },
    { parent: 3, reward: 0, outcome: 1 },
    { parent: -1, reward: 0 },
    { parent: 5, reward: 0 },
    { parent: 6, reward: 0, outcome: 1 },
    { parent: 5, reward: 0 },
    { parent: 8, reward: 0, outcome: 1 },
  ];
  const group: Group = { id: 'two states', turns };
  expect([...exact.credit(group, {}).advantage]).toEqual(new Array(10).fill(0));
  expect(exact.compared(group, {})).toEqual([
    [1, 1, 1, 1],
    [0, 0],
    [10, 10],
    [0, 0],
  ]);
});

test('mt-grpo-exact equals mt-grpo on rollouts of at most two turns', () => {
  const reward = fc.integer({ min: -10, max: 10 }).map((tenths) => tenths / 10);
  const rollout = fc.record({ turns: fc.array(reward, { maxLength: 1 }), outcome: reward });
  const chain = findRule('mt-grpo');
  fc.assert(
    fc.property(
      fc.array(rollout, { minLength: 2, maxLength: 12 }),
      fc.constantFrom('leave', 'zero'),
      fc.constantFrom('turnwise', 'verl', 'dr-grpo'),
      (rollouts, absent, profile) => {
        const [group, values] = [groupOf(rollouts), { alpha: 0.5, absent, profile }];
        expectClose(exact.credit(group, values).advantage, chain.credit(group, values).advantage, 1e-12);
      },
    ),
  );
});

test('mt-grpo-exact throws an error for a last turn without an outcome', () => {
  const turns = [
    { parent: -1, reward: 0 },
    { parent: 0, reward: 0, outcome: 1 },
    { parent: 0, reward: 0 },
  ];
  const credit = () => exact.credit({ id: 'tree', turns }, {});
  expect(credit).toThrow(CreditError);
  expect(credit).toThrow('group "tree", turn 2, field "outcome": missing on the last turn of a trajectory');
});
