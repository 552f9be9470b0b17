import { describe, expect, test } from 'vitest';
import { findRule } from '../../../../src/credit/rules.ts';
import { usedCredit } from '../../../../src/engine/updatePlan.ts';
import type { Rollout, RolloutBatch } from '../../../../src/rollouts/rolloutBatch.ts';
import { decidingCredit } from '../../../../src/training/update/updateMetrics.ts';

const SEARCH = 7;
const index = (tokens: readonly number[]) => tokens.indexOf(SEARCH);

/** Two rollouts of two turns: the question, turn 1, a document, turn 2. */
const rollouts = [
  { tokens: [1, 2, SEARCH, 3, 9, SEARCH], turnOf: [-1, 0, 0, 0, -1, 1], turns: [{ forestTurn: 0 }, { forestTurn: 1 }] },
  { tokens: [1, 4, 5, 9, 6], turnOf: [-1, 0, 0, -1, 1], turns: [{ forestTurn: 2 }, { forestTurn: 3 }] },
].map((rollout) => ({
  ...rollout,
  tokens: Uint32Array.from(rollout.tokens),
  turnOf: Int32Array.from(rollout.turnOf),
})) as unknown as Rollout[];

describe('decidingCredit', () => {
  test('decidingCredit under a token rule is the advantage of the deciding token, or the mean of a turn without one', () => {
    const tokens = Float32Array.of(10, 20, 60, 4, 1, 3, 8);
    const turns = Float32Array.of(30, 4, 2, 8);
    expect([...decidingCredit({ rollouts }, { turns, tokens }, index)]).toEqual([20, 4, 2, 8]);
    expect([...turns]).toEqual([30, 4, 2, 8]);
  });

  test('decidingCredit under a turn rule is the advantage of the turn', () => {
    const turns = Float32Array.of(1, 2, 3, 4);
    expect(decidingCredit({ rollouts }, { turns }, index)).toBe(turns);
  });
});

describe('usedCredit', () => {
  const batch = { rollouts, forest: { parent: [-1, 0, -1, 2] } } as unknown as RolloutBatch;
  const advantages = Float32Array.of(10, 20, 60, 4, 1, 3, 8);
  const values = Float32Array.of(1, 2, 3, 4, 5, 6, 7);

  test.each([
    ['ppo-or', [1, 2, 3, 4, 5, 6, 7]],
    ['turn-ppo', [1, 1, 1, 4, 5, 5, 7]],
  ])('usedCredit under %s has the critic values %j', (rule, expected) => {
    const used = usedCredit(batch, findRule(rule), advantages, values);
    expect([...(used.values ?? [])]).toEqual(expected);
    expect([...used.turns]).toEqual([30, 4, 2, 8]);
    expect([...values]).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});
