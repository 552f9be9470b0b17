import type { NumberParameter } from '../../../parameters/parameters.ts';
import { chains, spread, turnLevels } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import {
  advantage,
  countOf,
  groupTrajectories,
  groupTurnLevels,
  normalizeStage,
  outcome,
  outcomeAdvantage,
  reward,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import { type Stage, scratch } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';
import { TWO_TURNS } from '../../telling/examples.ts';
import { equation, normalizedLines, operand, shown, trajectoryAt } from '../../telling/worked.ts';

const ALPHA = {
  kind: 'number',
  name: 'alpha',
  label: 'Weight of what comes later',
  symbol: 'α',
  default: 1,
  min: 0,
  max: 1,
  step: 0.05,
  help: 'Credit of a turn for what follows it, a factor a turn. At 0 a turn answers for its own reward alone.',
} as const satisfies NumberParameter;

const turnAdvantage = scratch('turnAdvantage', 'turns');

const combine: Stage<{ readonly alpha: number }> = {
  kernel: 'credit/turn_combine',
  bindings: {
    turnOffset: trajectoryTurns.offset,
    turn: trajectoryTurns.member,
    turnAdvantage,
    outcomeAdvantage,
    advantage,
  },
  count: countOf('trajectories'),
  uniforms: ({ alpha }) => ({ alpha }),
};

/** With two turns it is the paper's own: A_1 = A^I + alpha A^O, A_2 = A^O. */
export const mtGrpo = creditRule({
  name: 'mt-grpo',
  title: 'MT-GRPO',
  idea: 'Each turn is compared with the same turn of the other rollouts, and shares in what comes after it.',
  paper: {
    title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
    reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
    equation: 'MT-GRPO: A_{i,k} = Σ_{l=k}^{K_i−1} α^{l−k} A^I_{i,l} + α^{K_i−k} A^O_i',
  },
  formula: [
    'A^O_i = normalise R^O_i over the group',
    'A^I_{i,l} = normalise R^I_{i,l} over the rollouts in which turn l is an intermediate turn (l < K_i)',
    'A_{i,k} = Σ_{l=k}^{K_i−1} α^{l−k} A^I_{i,l} + α^{K_i−k} A^O_i',
  ],
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  unit: 'turn',
  parameters: [ALPHA, ...NORMALIZATION],
  example: TWO_TURNS,

  credit(group, values) {
    const normalization = normalizationOf(values);
    const trajectories = chains(group);
    const O = normalize(
      trajectories.map((chain) => chain.outcome),
      normalization,
    );

    const none = () => new Float64Array(group.turns.length).fill(NaN);
    const [turnAdvantage, turnMean, turnStd] = [none(), none(), none()];
    for (const level of turnLevels(trajectories)) {
      const I = normalize(
        level.map((turn) => group.turns[turn].reward),
        normalization,
      );
      level.forEach((turn, member) => {
        turnAdvantage[turn] = I.advantage[member];
        turnMean[turn] = I.mean;
        turnStd[turn] = I.std;
      });
    }

    // Backwards: A_K = A^O, A_k = A^I_k + alpha A_{k+1}, which is the sum above.
    const advantage = new Float64Array(group.turns.length);
    trajectories.forEach(({ turns }, i) => {
      let A = O.advantage[i];
      advantage[turns[turns.length - 1]] = A;
      for (let k = turns.length - 2; k >= 0; k--) {
        A = turnAdvantage[turns[k]] + values.alpha * A;
        advantage[turns[k]] = A;
      }
    });

    return {
      advantage,
      intermediate: {
        turnAdvantage,
        turnMean,
        turnStd,
        outcomeAdvantage: spread(group, trajectories, (i) => O.advantage[i]),
        mean: spread(group, trajectories, () => O.mean),
        std: spread(group, trajectories, () => O.std),
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
    const level = turnLevels(trajectories).find((members) => members.includes(turn));
    if (!level) return [...O, `A = A^O = ${shown(advantage[turn])}`];
    const rewards = level.map((member) => group.turns[member].reward);
    const I = normalizedLines({ symbols: ['A^I', 'R^I'], values: rewards, at: level.indexOf(turn), normalization });
    const later = turns.slice(k).map((l) => intermediate.turnAdvantage[l]);
    const summands = [...later.slice(0, -1), intermediate.outcomeAdvantage[turn]];
    const alpha = shown(values.alpha);
    const terms = summands.map((summand, l) => {
      return l === 0 ? shown(summand) : `${alpha}${l > 1 ? `^${l}` : ''} · ${operand(summand)}`;
    });
    return [...I, ...O, equation('A', terms.join(' + '), advantage[turn])];
  },

  compared(group) {
    const trajectories = chains(group);
    const levels = turnLevels(trajectories).map((level) => level.map((turn) => group.turns[turn].reward));
    return [trajectories.map((chain) => chain.outcome), ...levels];
  },

  outputs: {},
  stages: [
    normalizeStage(groupTrajectories, outcome, outcomeAdvantage),
    normalizeStage(groupTurnLevels, reward, turnAdvantage),
    combine,
  ],
});
