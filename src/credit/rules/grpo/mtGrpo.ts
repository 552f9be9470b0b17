import type { NumberParameter } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import {
  broadcastToTurns,
  chains,
  comparedTurns,
  lastTurnValues,
  turnLevels,
  turnPositions,
} from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import {
  groupTrajectories,
  groupTurnLevels,
  normalizeStage,
  outcome,
  outcomeAdvantage,
  reward,
  turnCombineStage,
} from '../../gpu/batchArrays.ts';
import { groupRollouts } from '../../gpu/batchResponses.ts';
import { scratch } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';
import { ABSENT, absentStages, peerStage, subtractPeers } from './absentTurns.ts';

export const ALPHA = {
  kind: 'number',
  name: 'alpha',
  label: 'Outcome weight',
  symbol: 'α',
  default: 1,
  min: 0,
  max: 1,
  step: 0.05,
  help: 'Factor per turn for the credit of later turns. At 0 a turn is credited only for its own reward.',
} as const satisfies NumberParameter;

const turnAdvantage = scratch('turnAdvantage', 'turns');

/** Turn-level advantages of MT-GRPO. With two turns they equal those of the paper: A_1 = A^I + alpha A^O, A_2 = A^O. */
export const mtGrpo = creditRule({
  name: 'mt-grpo',
  title: 'MT-GRPO',
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  requiresTurnRewards: true,
  turns: 'steps',
  unit: 'turn',
  parameters: [ALPHA, ABSENT, ...NORMALIZATION],
  laws: {
    parameters: { epsilon: 0 },
    shift: ['reward', 'outcome'],
    scale: 'same',
    zeroSums: ({ advantage, intermediate: { turnAdvantage } }, group) => [
      lastTurnValues(group, advantage),
      ...turnLevels(chains(group)).map((level) => level.map((turn) => turnAdvantage[turn])),
    ],
  },

  credit(group, values) {
    const normalization = normalizationOf(values);
    const trajectories = chains(group);
    const O = normalize(
      trajectories.map((chain) => chain.outcome),
      normalization,
    );

    const none = () => new Float64Array(group.turns.length).fill(NaN);
    const [turnAdvantage, turnMean, turnStd] = [none(), none(), none()];
    // Credit of the missing turns, assigned to the turn at which a rollout stopped, from the last level to the first.
    // It is 0 if absent turns are ignored.
    const absent = new Float64Array(trajectories.length);
    for (const level of [...comparedTurns(trajectories, values.absent)].reverse()) {
      const I = normalize(rewardsOf(group, level), normalization, trajectories.length);
      level.forEach((turn, member) => {
        if (turn < 0) {
          absent[member] = I.advantage[member] + values.alpha * absent[member];
          return;
        }
        turnAdvantage[turn] = I.advantage[member];
        turnMean[turn] = I.mean;
        turnStd[turn] = I.std;
      });
    }

    // Backward form of the sum in the formula: A_K = A^O, A_k = A^I_k + alpha A_{k+1}.
    const shared = new Float64Array(group.turns.length);
    trajectories.forEach(({ turns }, i) => {
      let A = absent[i] + O.advantage[i];
      shared[turns[turns.length - 1]] = A;
      for (let k = turns.length - 2; k >= 0; k--) {
        A = turnAdvantage[turns[k]] + values.alpha * A;
        shared[turns[k]] = A;
      }
    });

    const comparesPeers = values.absent === 'leave-one-out';
    return {
      advantage: comparesPeers ? subtractPeers(shared, turnPositions(trajectories), trajectories.length) : shared,
      intermediate: {
        turnAdvantage,
        turnMean,
        turnStd,
        outcomeAdvantage: broadcastToTurns(group, trajectories, (i) => O.advantage[i]),
        ...(values.absent === 'leave'
          ? {}
          : { absentAdvantage: broadcastToTurns(group, trajectories, (i) => absent[i]) }),
        ...(comparesPeers ? { sharedAdvantage: shared } : {}),
        mean: broadcastToTurns(group, trajectories, () => O.mean),
        std: broadcastToTurns(group, trajectories, () => O.std),
      },
    };
  },

  compared(group, { absent }) {
    const trajectories = chains(group);
    const levels = comparedTurns(trajectories, absent).map((level) => rewardsOf(group, level));
    return [trajectories.map((chain) => chain.outcome), ...levels];
  },

  outputs: {},
  stages: [
    normalizeStage(groupTrajectories, outcome, outcomeAdvantage),
    {
      ...normalizeStage(groupTurnLevels, reward, turnAdvantage, { rollouts: groupRollouts }),
      when: ({ absent }) => absent === 'leave',
    },
    ...absentStages(turnAdvantage),
    turnCombineStage(turnAdvantage, 'alpha'),
    peerStage(),
  ],
});

/** Returns R^I of the turns of a level [members], 0 for an absent turn. */
export function rewardsOf({ turns }: Group, level: readonly number[]): number[] {
  return level.map((turn) => (turn < 0 ? 0 : turns[turn].reward));
}
