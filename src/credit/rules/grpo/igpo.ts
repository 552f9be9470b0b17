import { exp } from '../../../numbers/exponential.ts';
import type { ChoiceParameter } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { type Chain, chains, checkAnswerLogProb, intermediateTurns, lastTurnValues } from '../../arithmetic/chains.ts';
import { listsBy, NO_LIST } from '../../arithmetic/lists.ts';
import { NORMALIZATION, type NormalizationValues, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import {
  advantage,
  countOf,
  groupTrajectories,
  groupTurns,
  normalizeStage,
  outcome,
  outcomeAdvantage,
  SUM_TIE,
  trajectoryTurns,
  turnCombineStage,
} from '../../gpu/batchArrays.ts';
import { groupRollouts } from '../../gpu/batchResponses.ts';
import type { ForestView } from '../../gpu/forestView.ts';
import { type BatchArray, type Stage, scratch, segmentation } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';
import { episodeReturn, IGPO_GAMMA } from '../tree/returns.ts';

const POOL = {
  kind: 'choice',
  name: 'pool',
  control: 'igpoPool',
  label: 'Gains and outcomes',
  default: 'joint',
  options: ['joint', 'separate'],
  help:
    'joint: gains and outcomes of a group are normalised together, as in the paper. separate: gains and ' +
    'outcomes are normalised separately, an option of the authors’ code.',
} as const satisfies ChoiceParameter;

type IgpoValues = NormalizationValues & { readonly gamma: number; readonly pool: 'joint' | 'separate' };

/** Computes r_t of the complete batch [turns]: gains, and outcomes of last turns. */
const rewardsOfBatch = ({ forest }: ForestView) =>
  Float64Array.from(forest.groups.flatMap((group) => [...rewardsOf(group, chains(group))]));

/** Reward r_t of each turn [turns]: the gain of the turn, or the outcome on the last turn of a rollout. */
const turnReward: BatchArray = {
  label: 'gain or outcome',
  type: 'f32',
  extent: 'turns',
  fill: (view) => view.once(rewardsOfBatch),
};

/** Turns of each group that another turn follows. */
const groupGains = segmentation('gains of groups', 'groups', 'turns', ({ trajectories, groups }) => {
  const { of, turns, group } = trajectories;
  const keys = Uint32Array.from(of, (trajectory, turn) =>
    turn === turns.member[turns.offset[trajectory + 1] - 1] ? NO_LIST : group[trajectory],
  );
  return listsBy(keys, groups);
});

/** Bonus of turns [turns], 0: turns have no bonus. */
const noBonus: BatchArray = zeros('no bonus', 'turns');
/** Final rewards [trajectories], 0: last turns have only their normalised values. */
const noFinalReward: BatchArray = zeros('no final reward', 'trajectories');

function zeros(label: string, extent: 'turns' | 'trajectories'): BatchArray {
  return { label, type: 'f32', extent, fill: (view) => new Float32Array(view.count(extent)) };
}

const normalized = scratch('normalizedReward', 'turns');

const inPool = <Values>(pool: IgpoValues['pool'], stage: Stage<Values>): Stage<Values & IgpoValues> => ({
  ...stage,
  when: (values) => values.pool === pool,
});

const accumulate: Stage<IgpoValues> = {
  kernel: 'credit/discounted_returns',
  bindings: {
    turnOffset: trajectoryTurns.offset,
    turn: trajectoryTurns.member,
    reward: normalized,
    validates: noBonus,
    finalReward: noFinalReward,
    stepReturn: advantage,
    episodeReturn,
  },
  count: countOf('trajectories'),
  uniforms: ({ gamma }) => ({ gamma, bonus: 0 }),
};

/**
 * IGPO. It uses no turn rewards of the environment. The value after a turn is the policy's probability of the right
 * answer.
 */
export const igpo = creditRule({
  name: 'igpo',
  title: 'IGPO',
  family: 'group',
  input: 'trajectories',
  reads: ['outcome', 'answerLogProb'],
  rewards: 'outcome',
  turns: 'steps',
  unit: 'turn',
  parameters: [IGPO_GAMMA, POOL, ...NORMALIZATION],
  laws: {
    parameters: { epsilon: 0, igpoPool: 'separate', pool: 'separate' },
    shift: ['reward', 'outcome'],
    scale: 'same',
    zeroSums: ({ advantage }, group) => [lastTurnValues(group, advantage)],
  },

  credit(group, values) {
    const all = chains(group);
    const reward = rewardsOf(group, all);
    const scaled = new Float64Array(group.turns.length);
    for (const members of pools(all, values.pool)) {
      const { advantage: normalizedReward } = normalize(
        members.map((turn) => reward[turn]),
        normalizationOf(values),
        all.length,
      );
      members.forEach((turn, index) => {
        scaled[turn] = normalizedReward[index];
      });
    }
    const A = new Float64Array(group.turns.length);
    for (const { turns } of all) {
      let accumulated = 0;
      for (const turn of [...turns].reverse()) {
        accumulated = scaled[turn] + values.gamma * accumulated;
        A[turn] = accumulated;
      }
    }
    return { advantage: A, intermediate: { gain: reward, normalizedReward: scaled } };
  },

  compared(group, { pool }) {
    const all = chains(group);
    const reward = rewardsOf(group, all);
    return pools(all, pool).map((members) => members.map((turn) => reward[turn]));
  },

  outputs: { gain: turnReward },
  stages: [
    inPool('joint', normalizeStage(groupTurns, turnReward, normalized, { tie: SUM_TIE })),
    inPool('joint', accumulate),
    inPool('separate', normalizeStage(groupGains, turnReward, normalized, { tie: SUM_TIE, rollouts: groupRollouts })),
    inPool('separate', normalizeStage(groupTrajectories, outcome, outcomeAdvantage)),
    inPool('separate', turnCombineStage(normalized, 'gamma')),
  ],
});

/** Returns r_t of each turn [turns]. @throws {CreditError} for a turn without `answerLogProb` */
function rewardsOf({ id, turns }: Group, all: readonly Chain[]): Float64Array {
  const probability = Float64Array.from(turns, (turn, index) => exp(checkAnswerLogProb(id, index, turn)));
  const reward = new Float64Array(turns.length);
  for (const chain of all) {
    chain.turns.forEach((turn, position) => {
      const next = chain.turns[position + 1];
      reward[turn] = next === undefined ? chain.outcome : probability[next] - probability[turn];
    });
  }
  return reward;
}

/** Returns the lists of turns that are normalised together. */
export function pools(all: readonly Chain[], pool: IgpoValues['pool']): number[][] {
  const gains = all.flatMap(intermediateTurns);
  const ends = all.map(({ turns }) => turns[turns.length - 1]);
  if (pool === 'separate') return [gains, ends].filter(({ length }) => length > 0);
  // The turns are in the order of the forest, in which the GPU adds them.
  return [[...gains, ...ends].sort((a, b) => a - b)];
}
