import type { ChoiceParameter, NumberParameter, ParameterTable, Values } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { broadcastToTurns, firstTurnValues, paths, turnsBy } from '../../arithmetic/chains.ts';
import {
  DDOF,
  EPSILON,
  type Normalization,
  normalizationOf,
  normalize,
  PROFILE,
  SINGLETON,
} from '../../arithmetic/normalize.ts';
import { discountedReturns } from '../../arithmetic/returns.ts';
import {
  advantage,
  countOf,
  groupTrajectories,
  normalizeStageBy,
  SUM_TIE,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import { adaptStage, type Stage, scratch } from '../../gpu/stage.ts';
import { anchorStates, checkSignature } from '../../gpu/turnSignatures.ts';
import { creditRule } from '../../rule.ts';
import { episodeReturn, GIGPO_GAMMA, returnsStage, stepReturn } from './returns.ts';

const OMEGA = {
  kind: 'number',
  name: 'omega',
  label: 'Weight of anchor states',
  symbol: 'ω',
  default: 1,
  min: 0,
  max: 5,
  step: 0.05,
  help: 'Weight of the comparison within a state, added to the comparison of rollouts. At 0 all turns of a rollout share one credit.',
} as const satisfies NumberParameter;

const MODE = {
  kind: 'choice',
  name: 'mode',
  control: 'gigpoMode',
  label: 'Comparison',
  default: 'mean_norm',
  options: ['mean_norm', 'mean_std_norm'],
  help: 'Returns minus their mean, or also divided by their standard deviation; for rollouts and for anchor states.',
} as const satisfies ChoiceParameter;

/** Parameters of GiGPO. There is no `scale`, because `mode` sets the division for any profile. */
const PARAMETERS = [GIGPO_GAMMA, OMEGA, MODE, PROFILE, DDOF, EPSILON, SINGLETON] as const satisfies ParameterTable;

type GigpoValues = Values<typeof PARAMETERS>;

const episodeAdvantage = scratch('episodeAdvantage', 'trajectories');
const stepAdvantage = scratch('stepAdvantage', 'turns');

const combine: Stage<GigpoValues> = {
  kernel: 'credit/trajectory_turn_sum',
  bindings: {
    turnOffset: trajectoryTurns.offset,
    turn: trajectoryTurns.member,
    trajectoryAdvantage: episodeAdvantage,
    turnAdvantage: stepAdvantage,
    advantage,
  },
  count: countOf('trajectories'),
  uniforms: ({ omega }) => ({ trajectoryWeight: 1, turnWeight: omega }),
};

/**
 * GiGPO. Missing outcomes count as 0, and the reward of the last turn counts like any other reward.
 *
 * The options follow the authors' trainer (langfengQ/verl-agent, gigpo/core_gigpo.py). A turn alone in its state has
 * A^S = 0 under any profile. A single trajectory keeps its return under the profile `verl` and has 0 under `turnwise`.
 * Mean and deviation of A^E are over trajectories (eq. 3 of the paper). Some versions of the trainer count a trajectory
 * once per turn, which differs if trajectories differ in length.
 */
export const gigpo = creditRule({
  name: 'gigpo',
  title: 'GiGPO',
  family: 'states',
  input: 'trajectories',
  reads: ['state'],
  unit: 'turn',
  parameters: PARAMETERS,
  laws: {
    parameters: { gamma: 0.5 },
    scale: 'multiplied',
    zeroSums: ({ intermediate: { episodeAdvantage, stepAdvantage } }, group) => [
      firstTurnValues(group, episodeAdvantage),
      ...turnsBy(group, ({ state }) => state).map((turns) => turns.map((turn) => stepAdvantage[turn])),
    ],
  },

  credit(group, values) {
    const { omega } = values;
    const normalization = episodeNormalization(values);
    const { all, G, R, anchors } = returns(group, values);
    const { advantage: E } = normalize(R, normalization);
    const S = new Float64Array(group.turns.length);
    for (const turns of anchors) {
      const { advantage } = normalize(
        Float64Array.from(turns, (turn) => G[turn]),
        anchored(normalization),
      );
      turns.forEach((turn, member) => {
        S[turn] = advantage[member];
      });
    }
    const episodeAdvantage = broadcastToTurns(group, all, (i) => E[i]);
    return {
      advantage: S.map((step, turn) => episodeAdvantage[turn] + omega * step),
      intermediate: {
        return: G,
        episodeReturn: broadcastToTurns(group, all, (i) => R[i]),
        episodeAdvantage,
        stepAdvantage: S,
      },
    };
  },

  compared(group, values) {
    const { G, R, anchors } = returns(group, values);
    const steps = anchors.map((turns) => turns.map((turn) => G[turn]));
    return [R, ...(values.omega > 0 ? steps : [])];
  },

  outputs: { return: stepReturn, episodeReturn, episodeAdvantage, stepAdvantage },
  stages: [
    adaptStage(returnsStage, ({ gamma }: GigpoValues) => ({ gamma, bonus: 0 })),
    normalizeStageBy(episodeNormalization, groupTrajectories, episodeReturn, episodeAdvantage, { tie: SUM_TIE }),
    normalizeStageBy(
      (values: GigpoValues) => anchored(episodeNormalization(values)),
      anchorStates,
      stepReturn,
      stepAdvantage,
      { tie: SUM_TIE },
    ),
    combine,
  ],
});

/** Returns the normalisation of the returns of trajectories. */
export function episodeNormalization(values: GigpoValues): Normalization {
  return { ...normalizationOf(values), scale: values.mode === 'mean_std_norm' ? 'std' : 'none' };
}

/** Returns the normalisation within a state. A turn alone in its state has no comparison and advantage 0. */
export function anchored(normalization: Normalization): Normalization {
  return { ...normalization, singleton: 'zero' };
}

/** Computes G_t [turns], R_i [trajectories], and the turns of each state. */
export function returns(group: Group, { gamma }: GigpoValues) {
  const turnLists = paths(group);
  const { step: G, episode: R } = discountedReturns(group, turnLists, gamma);
  const anchors = new Map<string, number[]>();
  group.turns.forEach((_, turn) => {
    const state = checkSignature(group, turn, 'state');
    const turns = anchors.get(state);
    if (turns) turns.push(turn);
    else anchors.set(state, [turn]);
  });
  return { all: turnLists.map((turns) => ({ turns })), G, R, anchors: [...anchors.values()] };
}
