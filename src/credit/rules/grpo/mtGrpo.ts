import type { NumberParameter } from '../../../parameters/parameters.ts';
import { chains, spread, turnLevels } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalization, normalize } from '../../arithmetic/normalize.ts';
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
import type { CreditRule } from '../../rule.ts';
import { TWO_TURNS } from '../../telling/examples.ts';
import { equation, normalizedLines, operand, shown, trajectoryAt } from '../../telling/worked.ts';

const ALPHA: NumberParameter = {
  kind: 'number',
  name: 'alpha',
  label: 'Weight of what comes later',
  symbol: 'α',
  default: 1,
  min: 0,
  max: 1,
  step: 0.05,
  help: 'Credit of a turn for what follows it, a factor a turn. At 0 a turn answers for its own reward alone.',
};

const turnAdvantage = scratch('turnAdvantage', 'turns');

const combine: Stage = {
  kernel: 'credit/turn_combine',
  bindings: {
    turnOffset: trajectoryTurns.offset,
    turn: trajectoryTurns.member,
    turnAdvantage,
    outcomeAdvantage,
    advantage,
  },
  count: countOf('trajectories'),
  itemsPerWorkgroup: 64,
  uniforms: ({ alpha = ALPHA.default }) => ({ alpha: Number(alpha) }),
};

/**
 * A_{i,k} = sum over l from k to K_i - 1 of alpha^(l-k) A^I_{i,l}, + alpha^(K_i-k) A^O_i.
 * A^O normalises the outcomes of the group, A^I the rewards of turn l over the trajectories in which l is an
 * intermediate turn (l < K_i). For K = 2: A_1 = A^I + alpha A^O, A_2 = A^O.
 */
export const mtGrpo: CreditRule = {
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
  input: 'trajectories',
  reads: ['outcome'],
  unit: 'turn',
  parameters: [ALPHA, ...NORMALIZATION],
  example: TWO_TURNS,

  credit(group, parameters) {
    const alpha = Number(parameters.alpha ?? ALPHA.default);
    const how = normalization(parameters);
    const trajectories = chains(group);
    const O = normalize(
      trajectories.map((chain) => chain.outcome),
      how,
    );

    const none = () => new Float64Array(group.turns.length).fill(NaN);
    const [turnAdvantage, turnMean, turnStd] = [none(), none(), none()];
    for (const level of turnLevels(trajectories)) {
      const I = normalize(
        level.map((turn) => group.turns[turn].reward),
        how,
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
        A = turnAdvantage[turns[k]] + alpha * A;
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

  worked(turn, group, { advantage, intermediate }, parameters) {
    const how = normalization(parameters);
    const trajectories = chains(group);
    const at = trajectoryAt(trajectories, turn);
    const outcomes = trajectories.map((chain) => chain.outcome);
    const O = normalizedLines({ symbols: ['A^O', 'R^O'], values: outcomes, at, how });
    const { turns } = trajectories[at];
    const k = turns.indexOf(turn);
    const level = turnLevels(trajectories).find((members) => members.includes(turn));
    if (!level) return [...O, `A = A^O = ${shown(advantage[turn])}`];
    const rewards = level.map((member) => group.turns[member].reward);
    const I = normalizedLines({ symbols: ['A^I', 'R^I'], values: rewards, at: level.indexOf(turn), how });
    const later = turns.slice(k).map((l) => intermediate.turnAdvantage[l]);
    const summands = [...later.slice(0, -1), intermediate.outcomeAdvantage[turn]];
    const alpha = shown(Number(parameters.alpha ?? ALPHA.default));
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
};
