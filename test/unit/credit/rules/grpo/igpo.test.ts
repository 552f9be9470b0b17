import { expect, test } from 'vitest';
import { findRule } from '../../../../../src/credit/rules.ts';
import { expectClose } from '../../../../vectorFile.ts';

const igpo = findRule('igpo');
const EXACT = { epsilon: 0 };

/** Creates a group from the probability of the right answer before each turn and the outcome of each rollout. */
const rollouts = (...all: readonly { readonly p: readonly number[]; readonly outcome: number }[]) => {
  const turns: object[] = [];
  for (const { p, outcome } of all) {
    p.forEach((probability, turn) => {
      const parent = turn === 0 ? -1 : turns.length - 1;
      const end = turn === p.length - 1 ? { outcome } : {};
      turns.push({ parent, reward: 7, answerLogProb: Math.log(probability), ...end });
    });
  }
  return { id: 'g', turns: turns as { parent: number; reward: number }[] };
};

/** Two rollouts: the first retrieves the document (probability .1 to .9), the second does not search (.1 to .1). */
const TWO = rollouts({ p: [0.1, 0.9], outcome: 1 }, { p: [0.1, 0.1], outcome: 0.2 });

test('the gain of a turn is the increase in probability of the right answer; the last turn has the outcome', () => {
  const { intermediate, advantage } = igpo.credit(TWO, EXACT);
  expectClose(intermediate.gain, [0.8, 1, 0, 0.2], 1e-12);
  // Mean of .8, 1, 0, .2 is .5; squares .09 + .25 + .25 + .09 = .68, std = sqrt(.68 / 3).
  const std = Math.sqrt(0.68 / 3);
  expectClose(intermediate.normalizedReward, [0.3 / std, 0.5 / std, -0.5 / std, -0.3 / std], 1e-12);
  expectClose(advantage, [0.8 / std, 0.5 / std, -0.8 / std, -0.3 / std], 1e-12);
});

test('igpo with pool=separate compares gains with gains and outcomes with outcomes', () => {
  const s = Math.SQRT1_2;
  const { advantage } = igpo.credit(TWO, { ...EXACT, pool: 'separate' });
  expectClose(advantage, [2 * s, s, -2 * s, -s], 1e-12);
  expectClose(
    igpo.credit(TWO, { ...EXACT, pool: 'separate', gamma: 0.5 }).advantage,
    [1.5 * s, s, -1.5 * s, -s],
    1e-12,
  );
  expectClose(igpo.credit(TWO, { ...EXACT, pool: 'separate', gamma: 0 }).advantage, [s, s, -s, -s], 1e-12);
});

test('igpo distinguishes rollouts with and without the document if their outcomes tie', () => {
  const tied = rollouts({ p: [0.1, 0.9], outcome: 0.2 }, { p: [0.1, 0.1], outcome: 0.2 });
  const { advantage } = igpo.credit(tied, { ...EXACT, pool: 'separate' });
  expectClose(advantage, [Math.SQRT1_2, 0, -Math.SQRT1_2, 0], 1e-12);
  expect(igpo.compared(tied, { pool: 'separate' })).toHaveLength(2);
});

test('a rollout of one turn has no IGPO gain', () => {
  const { intermediate } = igpo.credit(rollouts({ p: [0.5], outcome: 1 }, { p: [0.5, 0.25], outcome: 0 }), EXACT);
  expectClose(intermediate.gain, [1, -0.25, 0], 1e-12);
});

test('igpo throws an error for a missing or positive answerLogProb', () => {
  const without = { id: 'g', turns: [{ parent: -1, reward: 0, outcome: 1 }] };
  expect(() => igpo.credit(without, {})).toThrow('group "g", turn 0, field "answerLogProb": missing');
  const above = { id: 'g', turns: [{ parent: -1, reward: 0, outcome: 1, answerLogProb: 0.5 }] };
  expect(() => igpo.credit(above, {})).toThrow('field "answerLogProb": 0.5 is no log-probability');
});
