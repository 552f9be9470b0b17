import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { Group } from '../../../../../src/rollouts/forest.ts';
import { randomGroups } from '../../../../randomForests.ts';
import { expectClose } from '../../../../vectorFile.ts';

const rule = findRule('tree-grpo');

/** A turn as [parent, probability, tokens, outcome]. The outcome is absent if other turns continue the turn. */
type Row = readonly [parent: number, probability: number, tokens: number, outcome?: number];

const treeOf = (...rows: readonly Row[]): Group => ({
  id: 'tree',
  turns: rows.map(([parent, probability, tokens, outcome]) => ({
    ...{ parent, reward: 0, tokens, logProb: Math.log(probability) },
    ...(outcome === undefined ? {} : { outcome }),
  })),
});

/** Turn 2 solves the task and ends. Turn 0 has two continuations. Turn 1 has one, turn 5, which has two. */
const TREE = treeOf(
  [-1, 0.5, 1],
  [-1, 0.25, 1],
  [-1, 0.125, 1, 1],
  [0, 0.75, 1, 1],
  [0, 0.25, 1, 0],
  [1, 0.01, 2],
  [5, 0.09, 2, 1],
  [5, 0.16, 2, 0.5],
);

describe('tree-grpo by hand', () => {
  // Leaves 2, 3, 4, 6, 7 with outcomes [1, 1, 0, 1, 0.5]: mean 0.7,
  // std sqrt((3 * 0.09 + 0.49 + 0.04) / 4) = sqrt 0.2 = 0.44721.
  const std = Math.sqrt(0.2);
  const [solved, failed, half] = [0.3 / std, -0.7 / std, -0.2 / std];

  test('tree-grpo with weights=mean weights turns by the geometric mean of their token probabilities', () => {
    const { advantage, intermediate } = rule.credit(TREE, { epsilon: 0 });
    // First turns 0.5 : 0.25 : 0.125. After turn 5 the tokens have probabilities 0.3 and 0.4: weights 3/7 and 4/7.
    expectClose(intermediate.weight, [4 / 7, 2 / 7, 1 / 7, 0.75, 0.25, 1, 3 / 7, 4 / 7], 1e-12);
    const weighted = (3 * solved + 4 * half) / 7;
    const first = 0.75 * solved + 0.25 * failed;
    expectClose(advantage, [first, weighted, solved, solved, failed, weighted, solved, half], 1e-12);
    expectClose(intermediate.score, [0.5, 0.25, 0.125, 0.75, 0.25, 0.1, 0.3, 0.4].map(Math.log), 1e-12);
  });

  test('tree-grpo with weights=sum weights turns by their probabilities', () => {
    const { advantage, intermediate } = rule.credit(TREE, { epsilon: 0, weights: 'sum' });
    expectClose(intermediate.weight.subarray(5), [1, 9 / 25, 16 / 25], 1e-12);
    const weighted = (9 * solved + 16 * half) / 25;
    expectClose([advantage[1], advantage[5]], [weighted, weighted], 1e-12);
  });

  test('tree-grpo with weights=uniform averages continuations, and reads neither log-probabilities nor tokens', () => {
    const turns = TREE.turns.map(({ logProb: _, tokens: __, ...turn }) => turn);
    const { advantage, intermediate } = rule.credit({ id: 'bare', turns }, { epsilon: 0, weights: 'uniform' });
    expectClose(intermediate.weight, [1 / 3, 1 / 3, 1 / 3, 0.5, 0.5, 1, 0.5, 0.5], 1e-12);
    expectClose([advantage[0], advantage[1]], [(solved + failed) / 2, (solved + half) / 2], 1e-12);
  });
});

test('tree-grpo equals grpo-or on chains', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), fc.constantFrom('mean', 'sum', 'uniform'), (seed, weights) => {
      for (const group of randomGroups({ input: 'trajectories' }, seed, [1, 2, 7])) {
        const expected = findRule('grpo-or').credit(group, {}).advantage;
        expect(rule.credit(group, { weights }).advantage).toEqual(expected);
      }
    }),
    { numRuns: 30 },
  );
});

test('a tree-grpo advantage is between the smallest and the largest advantage of its continuations', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), fc.constantFrom('mean', 'sum', 'uniform'), (seed, weights) => {
      for (const group of randomGroups(rule, seed, [3, 20])) {
        const { advantage } = rule.credit(group, { weights });
        group.turns.forEach((_, turn) => {
          const after = [...advantage].filter((__, next) => group.turns[next].parent === turn);
          if (after.length === 0) return;
          expect(advantage[turn]).toBeGreaterThanOrEqual(Math.min(...after) - 1e-12);
          expect(advantage[turn]).toBeLessThanOrEqual(Math.max(...after) + 1e-12);
        });
      }
    }),
    { numRuns: 30 },
  );
});

test('tree-grpo weights do not underflow for log-probabilities far below 0', () => {
  const turns = [
    { parent: -1, reward: 0, tokens: 1, logProb: -1 },
    { parent: 0, reward: 0, tokens: 1, logProb: -5000, outcome: 1 },
    { parent: 0, reward: 0, tokens: 1, logProb: -5000 - Math.log(3), outcome: 0 },
    { parent: 0, reward: 0, tokens: 1, logProb: -9000, outcome: 0 },
  ];
  const { weight } = rule.credit({ id: 'far', turns }, {}).intermediate;
  expectClose(weight.subarray(1), [0.75, 0.25, 0], 1e-9);
});

test('tree-grpo advantages are 0 for equal outcomes, and for a lone rollout unless the profile is verl', () => {
  const single = treeOf([-1, 0.5, 1], [0, 0.5, 1, 1]);
  expect([...rule.credit(single, {}).advantage]).toEqual([0, 0]);
  // mean 0 and std 1: 1 / 1.000001
  expectClose(rule.credit(single, { profile: 'verl' }).advantage, [0.999999, 0.999999], 1e-9);
  const equal = treeOf([-1, 0.5, 1], [0, 0.1, 1, 0.1], [0, 0.7, 1, 0.1], [-1, 0.2, 1, 0.1]);
  expect([...rule.credit(equal, {}).advantage]).toEqual([0, 0, 0, 0]);
  expect(rule.compared(equal, {})).toEqual([[0.1, 0.1, 0.1]]);
  expect(rule.credit({ id: 'empty', turns: [] }, {}).advantage).toHaveLength(0);
});

describe('invalid groups under tree-grpo', () => {
  const changed = (change: Readonly<Record<string, unknown>>): Group => ({
    ...TREE,
    turns: TREE.turns.map((turn, index) => (index === 4 ? { ...turn, ...change } : turn)),
  });

  test.each([
    [{ logProb: undefined }, 'mean', 'turn 4, field "logProb": missing; this rule weights a turn by how probable'],
    [{ logProb: 0.5 }, 'sum', 'turn 4, field "logProb": 0.5 is no log-probability'],
    [{ logProb: -Infinity }, 'sum', 'turn 4, field "logProb": null is no log-probability'],
    [{ tokens: 0 }, 'mean', 'turn 4, field "tokens": 0: this rule needs a whole number above 0'],
    [{ outcome: undefined }, 'uniform', 'turn 4, field "outcome": missing on the last turn'],
  ])('tree-grpo throws an error for a turn with %j and weights=%s', (change, weights, message) => {
    expect(() => rule.credit(changed(change), { weights })).toThrow(message);
  });

  test('tree-grpo with weights=sum does not read tokens', () => {
    expect(rule.credit(changed({ tokens: undefined }), { weights: 'sum' }).advantage).toHaveLength(8);
  });
});
