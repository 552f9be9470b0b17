import { expect, test } from 'vitest';
import { degenerate, tieOf } from '../../../../src/credit/arithmetic/degenerate.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import { groupOf, outcomesOnly } from '../../../groups.ts';

const range = { bestOutcome: 1, worstOutcome: -1 };
const tie = (rule: string, group: Parameters<typeof tieOf>[0]) => tieOf(group, findRule(rule), {}, range);

test('a group is degenerate under grpo-or if all outcomes are equal, regardless of turn rewards', () => {
  const both = (a: number, b: number) =>
    groupOf([
      { turns: [0.1], outcome: a },
      { turns: [0.6], outcome: b },
    ]);
  expect(tie('grpo-or', both(1, 1))).toBe('best');
  expect(tie('grpo-or', both(-1, -1))).toBe('worst');
  expect(tie('grpo-or', both(0.2, 0.2))).toBe('other');
  expect(tie('grpo-or', both(1, 0.2))).toBeUndefined();
});

test('a group is degenerate under mt-grpo only if turn rewards are also equal at each turn index', () => {
  const group = (second: number) =>
    groupOf([
      { turns: [0.1, 0.6], outcome: 1 },
      { turns: [0.1, second], outcome: 1 },
    ]);
  expect(tie('mt-grpo', group(0.6))).toBe('best');
  expect(tie('mt-grpo', group(0.5))).toBeUndefined();
  // Turn 1 of the longer rollout has no counterpart in the other rollout.
  expect(
    tie(
      'mt-grpo',
      groupOf([
        { turns: [0.3], outcome: 1 },
        { turns: [], outcome: 1 },
      ]),
    ),
  ).toBe('best');
});

test('sums of rewards tie under grpo-mr if they differ only by a rounding error', () => {
  const group = groupOf([
    { turns: [0.1, 0.2], outcome: 0 },
    { turns: [0.3], outcome: 0 },
  ]);
  expect(0.1 + 0.2).not.toBe(0.3);
  expect(tie('grpo-mr', group)).toBe('other');
  // Equal sums of unequal outcomes are neither best nor worst.
  const mixed = groupOf([
    { turns: [1], outcome: 0 },
    { turns: [0], outcome: 1 },
  ]);
  expect(tie('grpo-mr', mixed)).toBe('other');
});

test('a tie of solved rollouts counts as best at any outcome', () => {
  const turn = { parent: -1, reward: 0, outcome: 0.5, solved: true };
  expect(tie('grpo-or', { id: 'g', turns: [turn, turn] })).toBe('best');
});

test('the shares of degenerate groups are counted over a batch, and are NaN without groups', () => {
  const groups = [
    [1, 1],
    [-1, -1],
    [0.2, 0.2],
    [1, -1],
  ].map((outcomes) => outcomesOnly(outcomes));
  expect(degenerate(groups, findRule('grpo-or'), {}, range)).toEqual({
    ties: ['best', 'worst', 'other', undefined],
    degenerate: 0.75,
    best: 0.25,
    worst: 0.25,
    none: 0.25,
  });
  expect(degenerate([], findRule('grpo-or'), {}, range).degenerate).toBeNaN();
});

test('a lone rollout and an empty group are degenerate', () => {
  expect(tie('mt-grpo', outcomesOnly([1]))).toBe('best');
  expect(tie('mt-grpo', outcomesOnly([]))).toBe('other');
});
