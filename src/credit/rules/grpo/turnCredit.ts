import type { ChoiceParameter, NumberParameter, Values } from '../../../parameters/parameters.ts';
import { type Group, trajectories } from '../../../rollouts/forest.ts';
import { broadcastToTurns, type Chain, chains, checkTokens, firstTurnValues } from '../../arithmetic/chains.ts';
import { normalize, PROFILES, sum } from '../../arithmetic/normalize.ts';
import {
  advantage,
  countOf,
  groupTrajectories,
  normalizeStageBy,
  outcome,
  reward,
  SUM_TIE,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import { type BatchArray, type Stage, scratch } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';

const SCORES = {
  kind: 'choice',
  name: 'scores',
  control: 'turnCreditScores',
  label: 'Scores of states',
  symbol: 'φ',
  default: 'sum',
  options: ['sum', 'reward'],
  help:
    'sum: the score of the state after a turn is the sum of the rewards up to it; for rewards of single steps. reward: the ' +
    'score is the reward of the turn, also of the last one; as in prime-rl, for rewards that score a whole program.',
} as const satisfies ChoiceParameter;

const START = {
  kind: 'choice',
  name: 'start',
  control: 'turnCreditStart',
  label: 'Before the first turn',
  default: 'zero',
  options: ['zero', 'unscored'],
  help:
    'zero: the state before the first turn has the score 0. unscored, as in prime-rl: the score after the first turn is the ' +
    'initial score and does not count as progress.',
} as const satisfies ChoiceParameter;

const GAMMA = {
  kind: 'number',
  name: 'gamma',
  control: 'turnCreditGamma',
  label: 'Share of the turn before',
  symbol: 'γ',
  default: 0.9,
  min: 0,
  max: 1,
  step: 0.05,
  help: 'Share of progress of the turn before, relative to the share of a turn. At 0 the last turn has all, at 1 all turns so far have equal shares.',
} as const satisfies NumberParameter;

const BETA = {
  kind: 'number',
  name: 'beta',
  control: 'turnCreditBeta',
  label: 'Weight of turn credits',
  symbol: 'β',
  default: 1,
  min: 0,
  max: 5,
  step: 0.05,
  help: 'Weight of the differences between the turns of a rollout, added to their shared level. At 0 only the level counts.',
} as const satisfies NumberParameter;

const PARAMETERS = [SCORES, START, GAMMA, BETA] as const;

export type TurnCreditValues = Values<typeof PARAMETERS>;

/** Normalisation of levels, without a division. */
export const LEVELS = PROFILES['dr-grpo'];

/** Weight of each turn in the mean of its rollout [turns]: its tokens, or 1. */
const weight: BatchArray = {
  label: 'tokens or 1',
  type: 'f32',
  extent: 'turns',
  fill: (view) => view.once(({ forest }) => Float64Array.from(forest.groups.flatMap((group) => [...weightsOf(group)]))),
};

const progress = scratch('progress', 'turns');
const centredCredit = scratch('centredCredit', 'turns');
const shapedReturn = scratch('return', 'trajectories');
const level = scratch('level', 'trajectories');

const smear: Stage<TurnCreditValues> = {
  kernel: 'credit/progress_smear',
  bindings: {
    turnOffset: trajectoryTurns.offset,
    turn: trajectoryTurns.member,
    reward,
    weight,
    outcome,
    progress,
    centred: centredCredit,
    shapedReturn,
  },
  count: countOf('trajectories'),
  uniforms: ({ gamma, scores, start }) => ({
    gamma,
    differences: Number(scores === 'reward'),
    fromZero: Number(start === 'zero'),
  }),
};

const combine: Stage<TurnCreditValues> = {
  kernel: 'credit/trajectory_turn_sum',
  bindings: {
    turnOffset: trajectoryTurns.offset,
    turn: trajectoryTurns.member,
    trajectoryAdvantage: level,
    turnAdvantage: centredCredit,
    advantage,
  },
  count: countOf('trajectories'),
  uniforms: ({ beta }) => ({ trajectoryWeight: 1, turnWeight: beta }),
};

/**
 * Turn credit of prime-rl. There, the environment returns a score of the state after each turn. Here, the score is the
 * sum of the turn rewards so far, or the reward of the turn (`scores`). R^O is the final reward. The reward of the last
 * turn is read like the reward of any other turn, so `reward` requires a score on the last turn. If the last turn has
 * reward 0 because the outcome is its reward, it loses all earlier progress.
 *
 * Every turn has a reward, so every state has a score. Under `reward`, a turn without a score repeats the previous
 * score, which is the same arithmetic. The length penalty of prime-rl is omitted. Forks are rejected (prime-rl follows
 * each branch).
 */
export const turnCredit = creditRule({
  name: 'turn-credit',
  title: 'Turn credit',
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  unit: 'turn',
  parameters: PARAMETERS,
  // Progress does not depend on the score at the start of a rollout.
  laws: {
    parameters: { scores: 'reward', start: 'unscored' },
    shift: ['reward', 'outcome'],
    scale: 'multiplied',
    zeroSums: ({ intermediate }, group) => [
      firstTurnValues(group, intermediate.level),
      ...trajectories(group).map((path) =>
        path.map((turn) => Number(group.turns[turn].tokens) * intermediate.centredCredit[turn]),
      ),
    ],
  },

  credit(group, values) {
    const { all, delta, c, centre, R } = shaped(group, values);
    const { advantage: L } = normalize(R, LEVELS);
    const levels = broadcastToTurns(group, all, (i) => L[i]);
    const centred = broadcastToTurns(group, all, (i) => centre[i]).map((mean, turn) => c[turn] - mean);
    return {
      advantage: levels.map((levelValue, turn) => levelValue + values.beta * centred[turn]),
      intermediate: {
        progress: delta,
        turnCredit: c,
        centredCredit: centred,
        return: broadcastToTurns(group, all, (i) => R[i]),
        level: levels,
      },
    };
  },

  compared(group, values) {
    const { all, c, R } = shaped(group, values);
    return [R, ...(values.beta > 0 ? all.map(({ turns }) => turns.map((turn) => c[turn])) : [])];
  },

  outputs: { progress, centredCredit, return: shapedReturn, level },
  stages: [smear, normalizeStageBy(() => LEVELS, groupTrajectories, shapedReturn, level, { tie: SUM_TIE }), combine],
});

/** Computes δ and c [turns], c̄ and R [trajectories]. */
export function shaped(group: Group, values: TurnCreditValues) {
  const all = chains(group);
  const n = weightsOf(group);
  const [delta, c] = [new Float64Array(group.turns.length), new Float64Array(group.turns.length)];
  const [centre, R]: [number[], number[]] = [[], []];
  for (const chain of all) {
    const deltas = progressOf(group, chain, values);
    const credits = smeared(deltas, values.gamma);
    chain.turns.forEach((turn, position) => {
      delta[turn] = deltas[position];
      c[turn] = credits[position];
    });
    // The mean is computed relative to the last turn's credit, so the mean of equal credits is exact.
    const last = credits[credits.length - 1];
    const weights = chain.turns.map((turn) => n[turn]);
    centre.push(last + sum(weights.map((weight, position) => weight * (credits[position] - last))) / sum(weights));
    R.push(chain.outcome + sum(deltas));
  }
  return { all, delta, c, centre, R };
}

/** Returns δ of the turns of a trajectory [K]. */
function progressOf({ turns: all }: Group, { turns }: Chain, { scores, start }: TurnCreditValues): number[] {
  const rewards = turns.map((turn) => all[turn].reward);
  return rewards.map((value, position) => {
    if (position === 0) return start === 'zero' ? value : 0;
    return scores === 'reward' ? value - rewards[position - 1] : value;
  });
}

/** Computes c [K]: distributes each turn's progress over the turn and earlier turns, with weights γ^distance. */
function smeared(delta: readonly number[], gamma: number): number[] {
  let z = 0;
  const credits = delta.map((difference) => {
    z = 1 + gamma * z;
    return difference / z;
  });
  for (let position = credits.length - 2; position >= 0; position--) credits[position] += gamma * credits[position + 1];
  return credits;
}

/**
 * Returns the weight of each turn [turns]: its tokens, or 1 in a group without numbers of tokens.
 * @throws {CreditError} if some turns of the group have tokens and another turn has no positive integer
 */
export function weightsOf({ id, turns }: Group): Float64Array {
  const counted = turns.some(({ tokens }) => tokens !== undefined);
  return Float64Array.from(turns, (turn, index) => (counted ? checkTokens(id, index, turn) : 1));
}
