import type { NumberParameter } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { broadcastToTurns, chains, lastTurnValues } from '../../arithmetic/chains.ts';
import { allEqual, mean } from '../../arithmetic/normalize.ts';
import { broadcastStage, countOf, groupTrajectories, outcome } from '../../gpu/batchArrays.ts';
import { type Stage, scratch } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';

const RATE_EPSILON = {
  kind: 'number',
  name: 'epsilon',
  control: false,
  label: 'Epsilon',
  symbol: 'ε',
  default: 1e-6,
  min: 0,
  max: 1,
  step: 1e-6,
  help: 'Added to the mean outcome of the group.',
} as const satisfies NumberParameter;

const successRatio = scratch('successRatio', 'trajectories');

const ratioStage: Stage<{ readonly epsilon: number }> = {
  kernel: 'credit/success_ratio',
  bindings: {
    trajectoryOffset: groupTrajectories.offset,
    trajectory: groupTrajectories.member,
    outcome,
    ratio: successRatio,
  },
  count: countOf('groups'),
  uniforms: ({ epsilon }) => ({ epsilon }),
};

/**
 * MaxRL. The paper has successes 0 and 1. Here, outcomes between 0 and 1 count in part, and outcomes below 0 as
 * failures.
 */
export const maxrl = creditRule({
  name: 'maxrl',
  title: 'MaxRL',
  family: 'other',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  sharesInRollout: true,
  parameters: [RATE_EPSILON],
  laws: {
    parameters: { epsilon: 0 },
    shift: ['reward'],
    scale: 'same',
    zeroSums: ({ advantage }, group) => [lastTurnValues(group, advantage)],
  },

  credit(group, { epsilon }) {
    const trajectories = chains(group);
    const r = successes(group);
    const rate = mean(r);
    const A = r.map((success) => (allEqual(r) ? 0 : (success - rate) / (rate + epsilon)));
    return {
      advantage: broadcastToTurns(group, trajectories, (i) => A[i]),
      intermediate: {
        success: broadcastToTurns(group, trajectories, (i) => r[i]),
        mean: broadcastToTurns(group, trajectories, () => rate),
      },
    };
  },

  compared: (group) => [successes(group)],

  outputs: {},
  stages: [ratioStage, broadcastStage(successRatio)],
});

/** Returns r of each trajectory [trajectories]. */
export function successes(group: Group): number[] {
  return chains(group).map((chain) => Math.max(chain.outcome, 0));
}
