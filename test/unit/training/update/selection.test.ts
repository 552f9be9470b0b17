import { expect, test } from 'vitest';
import { findRule } from '../../../../src/credit/rules.ts';
import { buildForest, type Group } from '../../../../src/rollouts/forest.ts';
import type { RolloutBatch } from '../../../../src/rollouts/rolloutBatch.ts';
import { selectTurns } from '../../../../src/training/update/selection.ts';

/** Chains of one or two turns; a turn of tokens. */
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

test('everything is computed by default', () => {
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', OFF)).toBeUndefined();
  expect(select(batchOf(MIXED), 'grpo-mt', { klCoef: 0, entropyCoef: 0 })).toBeUndefined();
});

test('turns without advantage are left out, and count in the mean', () => {
  // Five turns of a mixed group and four of a solved one, ten tokens each: 50 of 90 tokens.
  const selection = select(batchOf(MIXED, SOLVED), 'grpo-mt', ON);
  expect(selection?.turns).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0]);
  expect(selection?.share).toBeCloseTo(50 / 90);
});

test('KL and entropy need every turn', () => {
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, klCoef: 0.1 })).toBeUndefined();
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, entropyCoef: 0.1 })).toBeUndefined();
});

test('a mean within sequences, and a ratio that a sequence shares, are over all of its turns', () => {
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, aggregation: 'sequence-mean' })).toBeUndefined();
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, ratio: 'sequence' })).toBeUndefined();
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, aggregation: 'token-mean', ratio: 'turn' })).toBeDefined();
});

test('groups that tie are dropped, and do not count', () => {
  const filtered = { ...OFF, filterUniform: 'on' };
  expect(select(batchOf(SOLVED, MIXED), 'grpo-mt', filtered)).toEqual({
    turns: [0, 0, 0, 0, 1, 1, 1, 1, 1],
    share: 1,
  });
  // All groups: nothing is left.
  expect(select(batchOf(SOLVED, SOLVED), 'grpo-mt', filtered)).toEqual({ turns: new Array(8).fill(0), share: 1 });
  // Though a rule that looks at turns would find something there.
  expect(select(batchOf(SOLVED), 'rloo', filtered)?.turns).toEqual([0, 0, 0, 0]);
});

test('pruned turns are left out and do not count', () => {
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

test('rules with a critic get everything', () => {
  const all = { ...ON, filterUniform: 'on' };
  expect(select(batchOf(SOLVED), 'ppo-or', all)).toBeUndefined();
});
