import { expect, test } from 'vitest';
import { creditedBy } from '../../../../src/app/group/groupBadges.ts';
import type { GroupView } from '../../../../src/training/data/protocol.ts';
import { groupOf } from '../appFixtures.ts';

/** A group whose rollouts have these advantages, turn by turn. */
function credited(rule: string, ...advantages: readonly (readonly number[])[]): GroupView {
  const group = groupOf();
  const [rollout] = group.rollouts;
  const [turn] = rollout?.turns ?? [];
  if (!rollout || !turn) throw new Error('the group is empty');
  const rollouts = advantages.map((own) => ({ ...rollout, turns: own.map((advantage) => ({ ...turn, advantage })) }));
  return { ...group, rule, rollouts };
}

test('credit is told by what the turns of a rollout got', () => {
  expect(creditedBy(credited('grpo-or', [1, 1], [-1, -1]))).toBe('rollout');
  // One rollout whose turns got different credit is enough; some are short.
  expect(creditedBy(credited('mt-grpo', [0.4, -0.7], [-1, -1], [2]))).toBe('turn');
  // float32 is no difference.
  expect(creditedBy(credited('grpo-or', [1, 1 + 1e-8], [-1, -1]))).toBe('rollout');
  expect(creditedBy(credited('mt-ppo', [0.4, 0.4], [-1, -1]))).toBe('token');
  expect(creditedBy(credited('turn-ppo', [0.4, 0.3], [-1, -1]))).toBe('turn');
});

test('where nobody got credit nothing is said of it', () => {
  expect(creditedBy(credited('mt-grpo', [0, 0], [0, 0]))).toBeUndefined();
});
