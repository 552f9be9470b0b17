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
import { NORMALIZATION, type NormalizationValues, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { equation, formatNumber, normalizedLines, operand, trajectoryAt } from '../../explanation/derivation.ts';
import { TWO_TURNS } from '../../explanation/examples.ts';
import {
  groupTrajectories,
  groupTurnLevels,
  normalizeStage,
  outcome,
  outcomeAdvantage,
  reward,
  turnCombineStage,
} from '../../gpu/batchArrays.ts';
import { scratch } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';
import { ABSENT, absentStages, peerLines, peerStage, subtractPeers } from './absentTurns.ts';

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

export const MT_GRPO_PAPER = {
  title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
  reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
  equation: 'MT-GRPO: A_{i,k} = Σ_{l=k}^{K_i−1} α^{l−k} A^I_{i,l} + α^{K_i−k} A^O_i',
} as const;

/** Turn-level advantages of MT-GRPO. With two turns they equal those of the paper: A_1 = A^I + alpha A^O, A_2 = A^O. */
export const mtGrpo = creditRule({
  name: 'mt-grpo',
  title: 'MT-GRPO',
  fullName: 'multi-turn GRPO: credit turn by turn',
  idea: 'Each turn is compared with the same turn of the other rollouts, and gets a share of the credit of later turns.',
  paper: MT_GRPO_PAPER,
  formula: [
    'A^O_i = normalise R^O_i over the group',
    'A^I_{i,l} = normalise R^I_{i,l} over the rollouts in which turn l is an intermediate turn (l < K_i)',
    'A_{i,k} = Σ_{l=k}^{K_i−1} α^{l−k} A^I_{i,l} + α^{K_i−k} A^O_i',
    'absent = zero: R^I_{i,l} = 0 for l ≥ K_i, A^I over all rollouts, and the sum continues to the longest of the group',
    'absent = leave-one-out: S_{i,k} = A_{i,k} of absent = zero; A_{i,k} = S_{i,k} − mean of S_{j,k} over the other rollouts j that take turn k',
    'without such a rollout: the mean of all other rollouts, which makes A_{i,k} = n / (n − 1) S_{i,k}',
  ],
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  requiresTurnRewards: true,
  turns: 'steps',
  unit: 'turn',
  parameters: [ALPHA, ABSENT, ...NORMALIZATION],
  example: TWO_TURNS,
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
      const I = normalize(rewardsOf(group, level), normalization);
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

  worked(turn, group, { advantage, intermediate }, values) {
    const normalization = normalizationOf(values);
    const trajectories = chains(group);
    const at = trajectoryAt(trajectories, turn);
    const outcomes = trajectories.map((chain) => chain.outcome);
    const O = normalizedLines({ symbols: ['A^O', 'R^O'], values: outcomes, at, normalization });
    const { turns } = trajectories[at];
    const k = turns.indexOf(turn);
    const levels = comparedTurns(trajectories, values.absent);
    const level = levels.find((members) => members.includes(turn));
    const alpha = formatNumber(values.alpha);
    const weighted = (summand: number, l: number) =>
      l === 0 ? formatNumber(summand) : `${alpha}${l > 1 ? `^${l}` : ''} · ${operand(summand)}`;
    const ends = [
      intermediate.outcomeAdvantage[turn],
      ...(intermediate.absentAdvantage ? [intermediate.absentAdvantage[turn]] : []),
    ];
    const stopped = values.absent === 'leave' ? [] : absentLines(group, levels.slice(turns.length - 1), at, values);
    const shared = intermediate.sharedAdvantage;
    const symbol = shared ? 'S' : 'A';
    const value = (shared ?? advantage)[turn];
    const active = turnPositions(trajectories)[k];
    const peers = shared ? peerLines(turn, active, shared, advantage[turn], trajectories.length) : [];
    if (!level) {
      if (stopped.length === 0) return [...O, `A = A^O = ${formatNumber(value)}`];
      return [...O, ...stopped, equation(symbol, ends.map((end) => operand(end)).join(' + '), value), ...peers];
    }
    const rewards = rewardsOf(group, level);
    const I = normalizedLines({ symbols: ['A^I', 'R^I'], values: rewards, at: level.indexOf(turn), normalization });
    const following = turns.slice(k, -1).map((l) => intermediate.turnAdvantage[l]);
    const all = [...following.map(weighted), ...ends.map((end) => weighted(end, following.length))];
    return [...I, ...O, ...stopped, equation(symbol, all.join(' + '), value), ...peers];
  },

  compared(group, { absent }) {
    const trajectories = chains(group);
    const levels = comparedTurns(trajectories, absent).map((level) => rewardsOf(group, level));
    return [trajectories.map((chain) => chain.outcome), ...levels];
  },

  outputs: {},
  stages: [
    normalizeStage(groupTrajectories, outcome, outcomeAdvantage),
    { ...normalizeStage(groupTurnLevels, reward, turnAdvantage), when: ({ absent }) => absent === 'leave' },
    ...absentStages(turnAdvantage),
    turnCombineStage(turnAdvantage, 'alpha'),
    peerStage(),
  ],
});

/** Returns R^I of the turns of a level [members], 0 for an absent turn. */
function rewardsOf({ turns }: Group, level: readonly number[]): number[] {
  return level.map((turn) => (turn < 0 ? 0 : turns[turn].reward));
}

/**
 * Returns the line of the weighted sum of A^I over the turns that a rollout lacks.
 * @param levels levels after the end of the rollout
 * @param at index of the rollout in the group
 */
function absentLines(
  group: Group,
  levels: readonly (readonly number[])[],
  at: number,
  values: NormalizationValues & { readonly alpha: number },
): string[] {
  if (levels.length === 0) return ['A^absent = 0, because no other rollout continues'];
  const normalization = normalizationOf(values);
  const each = levels.map((level) => normalize(rewardsOf(group, level), normalization).advantage[at]);
  const alpha = formatNumber(values.alpha);
  const terms = each.map((value, l) =>
    l === 0 ? operand(value) : `${alpha}${l > 1 ? `^${l}` : ''} · ${operand(value)}`,
  );
  const sum = each.reduceRight((accumulated, value) => value + values.alpha * accumulated, 0);
  return [equation('A^absent', terms.join(' + '), sum)];
}
