import { expect, test } from 'vitest';
import { findRule } from '../../../../src/credit/rules.ts';
import { buildForest, type Group } from '../../../../src/rollouts/forest.ts';
import type { RolloutBatch } from '../../../../src/rollouts/rolloutBatch.ts';
import { selectTurns } from '../../../../src/training/update/planUpdate.ts';

/** Returns a group of chains of one or two turns with 10 tokens each. @param chains [chains][turns] rewards */
const group = (id: string, chains: readonly (readonly number[])[]): Group => ({
  id,
  turns: chains.flatMap((outcomes, chain) => {
    const first = chains.slice(0, chain).reduce((sum, { length }) => sum + length, 0);
    return outcomes.map((outcome, turn) => ({
      parent: turn === 0 ? -1 : first,
      reward: outcome,
      ...(turn === outcomes.length - 1 ? { outcome } : {}),
      solved: outcome === 1,
      tokens: 10,
    }));
  }),
});
const batchOf = (...groups: Group[]) => ({ groups, forest: buildForest(groups) }) as unknown as RolloutBatch;

const MIXED = group('mixed', [[1], [0, 1], [0, 0]]);
const SOLVED = group('solved', [[1], [0, 1], [1]]);
const ON = { skipZero: 'on', filterUniform: 'off', klCoef: 0, entropyCoef: 0 };
const OFF = { ...ON, skipZero: 'off' };
const select = (batch: RolloutBatch, rule: string, controls: Record<string, number | string>) => {
  const parameters = { maxTurns: 2, gamma: 1, kappa: 2 };
  const creditRule = findRule(rule);
  const creditOf = (group: number) => creditRule.credit(batch.groups[group] as Group, parameters);
  const selection = selectTurns(batch, creditRule, creditOf, controls);
  return selection && { turns: [...selection.turns], share: selection.share };
};

test('selectTurns returns undefined by default, which selects every turn', () => {
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', OFF)).toBeUndefined();
  expect(select(batchOf(MIXED), 'grpo-mt', { klCoef: 0, entropyCoef: 0 })).toBeUndefined();
});

test('selectTurns with skipZero omits turns without an advantage, and these count in the mean', () => {
  // Five turns of a mixed group and four turns of a solved group, ten tokens each: 50 of 90 tokens.
  const selection = select(batchOf(MIXED, SOLVED), 'grpo-mt', ON);
  expect(selection?.turns).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0]);
  expect(selection?.share).toBeCloseTo(50 / 90);
});

test('selectTurns selects every turn with a KL or entropy coefficient', () => {
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, klCoef: 0.1 })).toBeUndefined();
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, entropyCoef: 0.1 })).toBeUndefined();
});

test('selectTurns selects every turn with a mean per sequence or a ratio per sequence', () => {
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, aggregation: 'sequence-mean' })).toBeUndefined();
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, ratio: 'sequence' })).toBeUndefined();
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, aggregation: 'token-mean', ratio: 'turn' })).toBeDefined();
});

test('selectTurns with filterUniform omits tied groups, and these do not count in the mean', () => {
  const filtered = { ...OFF, filterUniform: 'on' };
  expect(select(batchOf(SOLVED, MIXED), 'grpo-mt', filtered)).toEqual({
    turns: [0, 0, 0, 0, 1, 1, 1, 1, 1],
    share: 1,
  });
  // All groups are tied, so no turn is selected.
  expect(select(batchOf(SOLVED, SOLVED), 'grpo-mt', filtered)).toEqual({ turns: new Array(8).fill(0), share: 1 });
  // The group is omitted although its turn rewards differ.
  expect(select(batchOf(SOLVED), 'rloo', filtered)?.turns).toEqual([0, 0, 0, 0]);
});

test('selectTurns omits pruned turns, and these do not count in the mean', () => {
  const rewards = [1, 0, 0.9, 0.1];
  const roots: Group = {
    id: 'tree',
    turns: rewards.map((reward) => ({ parent: -1, reward, outcome: reward, solved: reward === 1, tokens: 10 })),
  };
  const rule = findRule('murphy-mars');
  const advantage = rule.credit(roots, { maxTurns: 2, intra: '2' }).advantage;
  expect([...advantage].filter(Number.isNaN).length).toBe(2);
  const selection = selectTurns(batchOf(roots), rule, () => rule.credit(roots, { maxTurns: 2, intra: '2' }), OFF);
  expect([...(selection?.turns ?? [])]).toEqual([...advantage].map((value) => (Number.isNaN(value) ? 0 : 1)));
  expect(selection?.share).toBe(1);
});

test('selectTurns selects every turn under a rule with a critic', () => {
  const all = { ...ON, filterUniform: 'on' };
  expect(select(batchOf(SOLVED), 'ppo-or', all)).toBeUndefined();
});
