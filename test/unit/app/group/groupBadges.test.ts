import { expect, test } from 'vitest';
import { creditUnit } from '../../../../src/app/address/pageTables.ts';
import { hasEqualTurns } from '../../../../src/app/group/advantageRanges.ts';
import type { GroupView } from '../../../../src/training/data/protocol.ts';
import { groupOf } from '../appFixtures.ts';

/** Returns a group with these advantages [rollouts][turns]. */
function groupWith(rule: string, ...advantages: readonly (readonly number[])[]): GroupView {
  const group = groupOf();
  const [rollout] = group.rollouts;
  const [turn] = rollout?.turns ?? [];
  if (!rollout || !turn) throw new Error('the group is empty');
  const rollouts = advantages.map((row) => ({ ...rollout, turns: row.map((advantage) => ({ ...turn, advantage })) }));
  return { ...group, rule, rollouts };
}

test('the badge of a rule has its credit unit, regardless of the advantages of a group', () => {
  expect(['grpo-or', 'mt-grpo', 'mt-ppo', 'turn-ppo'].map(creditUnit)).toEqual(['rollout', 'turn', 'token', 'turn']);
});

test('a turn-level rule reports if the turns of each rollout have equal advantages', () => {
  expect(hasEqualTurns(groupWith('mt-grpo', [0.4, 0.4], [-1, -1]))).toBe(true);
  // Differences within the precision of float32 count as equal.
  expect(hasEqualTurns(groupWith('mt-grpo', [1, 1 + 1e-8], [-1, -1]))).toBe(true);
  expect(hasEqualTurns(groupWith('mt-grpo', [0.4, -0.7], [-1, -1], [2]))).toBe(false);
  expect(hasEqualTurns(groupWith('grpo-or', [1, 1], [-1, -1]))).toBe(false);
});
