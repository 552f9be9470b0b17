import { BATCH_EPSILON, type BatchMembers, memberCounts } from '../arithmetic/batchNormalization.ts';
import type { CreditRule } from '../rule.ts';
import { advantage } from './batchArrays.ts';
import type { BatchArray, Stage } from './stage.ts';

/** Creates the array of the number of members per turn [turns]. */
const members = (counted: BatchMembers): BatchArray => ({
  label: `${counted} of turns`,
  type: 'u32',
  extent: 'turns',
  fill: ({ forest }) => memberCounts(forest.groups, counted),
});

const normalizeOver = (counted: BatchMembers): Stage => ({
  kernel: 'credit/batch_normalize',
  bindings: { members: members(counted), advantage },
  count: () => 1,
  each: 'workgroup',
  uniforms: (_, view) => ({ turns: view.turns, epsilon: BATCH_EPSILON }),
});

const STAGES: Readonly<Record<BatchMembers, readonly Stage[]>> = {
  rollouts: [normalizeOver('rollouts')],
  tokens: [normalizeOver('tokens')],
};

/** Returns the stages that an update records after the stages of a rule. */
export function batchStages({ batch }: Pick<CreditRule, 'batch'>): readonly Stage[] {
  return batch ? STAGES[batch] : [];
}
