import type { Group } from '../../rollouts/forest.ts';
import { chains, comparedTurns, intermediateTurns, outcomesOf, turnPositions } from '../arithmetic/chains.ts';
import { type NormalizationValues, normalizationOf, normalize } from '../arithmetic/normalize.ts';
import {
  equation,
  formatNumber,
  normalizedLines,
  operand,
  peerLines,
  sumOf,
  trajectoryAt,
} from '../explanation/derivation.ts';
import { MT_GRPO_EQUATION, MURPHY_PAPER, TURN_REWARD_PAPER, TWO_TURNS } from '../explanation/examples.ts';
import type { Credit } from '../rule.ts';
import { type CreditRule, explain } from '../rule.ts';
import { gdpo, rewardsOf as gdpoRewardsOf } from '../rules/grpo/gdpo.ts';
import { grpoMr, returns } from '../rules/grpo/grpoMr.ts';
import { grpoMt, grpoOr } from '../rules/grpo/grpoOr.ts';
import { mtGrpo, rewardsOf } from '../rules/grpo/mtGrpo.ts';

/**
 * Four rollouts of programs: the first solves the task, one repairs its program, one does not improve, one reaches
 * reward 0.5.
 */
const SINGLE_REFINEMENT: Group = {
  id: 'one refinement',
  turns: [
    { parent: -1, reward: 1, outcome: 1, solved: true },
    { parent: -1, reward: 0.5, solved: false },
    { parent: 1, reward: 1, outcome: 1, solved: true },
    { parent: -1, reward: 0, solved: false },
    { parent: 3, reward: 0, outcome: 0, solved: false },
    { parent: -1, reward: 0, solved: false },
    { parent: 5, reward: 0.5, outcome: 0.5, solved: false },
  ],
};

/** Formula and derivation of GRPO-OR and GRPO-MT. */
const COMPARED_OUTCOMES = {
  formula: ['A_i = (R^O_i − mean_j R^O_j) / (std_j R^O_j + ε), the same for every turn of rollout i'],
  worked: (turn: number, group: Group, _: Credit, values: NormalizationValues) =>
    normalizedLines({
      symbols: ['A', 'R^O'],
      values: outcomesOf(group),
      at: trajectoryAt(chains(group), turn),
      normalization: normalizationOf(values),
    }),
};

/** Rules that compare a turn with the other rollouts of its group. */
export const GROUP_RULES: readonly CreditRule[] = [
  explain(mtGrpo, {
    fullName: 'multi-turn GRPO: credit turn by turn',
    idea: 'Each turn is compared with the same turn of the other rollouts, and gets a share of the credit of later turns.',
    paper: {
      ...TURN_REWARD_PAPER,
      equation: MT_GRPO_EQUATION,
    },
    formula: [
      'A^O_i = normalise R^O_i over the group',
      'A^I_{i,l} = normalise R^I_{i,l} over the rollouts in which turn l is an intermediate turn (l < K_i)',
      'A_{i,k} = Σ_{l=k}^{K_i−1} α^{l−k} A^I_{i,l} + α^{K_i−k} A^O_i',
      'absent = zero: R^I_{i,l} = 0 for l ≥ K_i, A^I over all rollouts, and the sum continues to the longest of the group',
      'absent = leave-one-out: S_{i,k} = A_{i,k} of absent = zero; A_{i,k} = S_{i,k} − mean of S_{j,k} over the other rollouts j that take turn k',
      'without such a rollout: the mean of all other rollouts, which makes A_{i,k} = n / (n − 1) S_{i,k}',
    ],
    example: TWO_TURNS,
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
      const I = normalizedLines({
        symbols: ['A^I', 'R^I'],
        values: rewards,
        at: level.indexOf(turn),
        normalization,
        rollouts: trajectories.length,
      });
      const following = turns.slice(k, -1).map((l) => intermediate.turnAdvantage[l]);
      const all = [...following.map(weighted), ...ends.map((end) => weighted(end, following.length))];
      return [...I, ...O, ...stopped, equation(symbol, all.join(' + '), value), ...peers];
    },
  }),

  explain(grpoOr, {
    fullName: 'GRPO, outcome reward',
    idea: 'Every turn of a rollout gets the same credit: its outcome compared with the outcomes of the group.',
    paper: {
      title: 'DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models',
      reference: 'Shao et al. 2024, arXiv 2402.03300',
      equation: 'section 4.1.2: A_i = (R^O_i − mean(R^O)) / std(R^O)',
    },
    ...COMPARED_OUTCOMES,
    example: TWO_TURNS,
  }),

  explain(grpoMr, {
    fullName: 'GRPO, merged reward: turn rewards and outcome in one sum',
    idea: 'Turn rewards are added to the outcome, and every turn of a rollout gets the same credit for the sum.',
    paper: {
      ...TURN_REWARD_PAPER,
      equation: 'baseline GRPO-MR: A_i = (R_i − mean(R)) / std(R), R_i = Σ_{l<K_i} R^I_{i,l} + R^O_i',
    },
    formula: [
      'R_i = Σ_{l<K_i} R^I_{i,l} + R^O_i',
      'A_i = (R_i − mean_j R_j) / (std_j R_j + ε), the same for every turn',
    ],
    example: TWO_TURNS,
    worked(turn, group, _, values) {
      const trajectories = chains(group);
      const R = returns(group, trajectories);
      const at = trajectoryAt(trajectories, turn);
      const rewards = intermediateTurns(trajectories[at]).map((l) => group.turns[l].reward);
      return [
        equation('R', sumOf([...rewards, trajectories[at].outcome]), R[at]),
        ...normalizedLines({ symbols: ['A', 'R'], values: R, at, normalization: normalizationOf(values) }),
      ];
    },
  }),

  explain(gdpo, {
    fullName: 'group reward-decoupled normalization policy optimization',
    idea: 'Each reward is normalised separately over the rollouts, and every turn of a rollout gets the sum.',
    paper: {
      title: 'GDPO: Group reward-Decoupled Normalization Policy Optimization for Multi-reward RL Optimization',
      reference: 'Liu, Dong et al. 2026, arXiv 2601.05242; NVlabs/GDPO, trl-0.18.0-gdpo, grpo_trainer.py',
      equation: 'A_sum = Σ_n (r_n − mean(r_n)) / std(r_n) over the group, then normalised over the batch',
    },
    formula: [
      'R^I_{i,l} = 0 for l ≥ K_i: a rollout without turn l has no reward there',
      'A^I_{i,l} = normalise R^I_{i,l} over the group, for each l; A^O_i = normalise R^O_i over the group',
      'A_i = Σ_l A^I_{i,l} + A^O_i, the same for every turn of rollout i',
      'in an update: (A_i − mean A) / (std A + 10⁻⁴) over all rollouts of the batch',
    ],
    example: TWO_TURNS,
    worked(turn, group, credit, values) {
      const trajectories = chains(group);
      const at = trajectoryAt(trajectories, turn);
      const normalization = normalizationOf(values);
      const all = gdpoRewardsOf(group, trajectories);
      const lines = all.flatMap((rewards, l) => {
        const name = l === all.length - 1 ? 'O' : `I_${l + 1}`;
        return normalizedLines({ symbols: [`A^${name}`, `R^${name}`], values: rewards, at, normalization });
      });
      const each = all.map((rewards) => normalize(rewards, normalization).advantage[at]);
      return [...lines, equation('A', sumOf(each), credit.advantage[turn])];
    },
  }),

  explain(grpoMt, {
    fullName: 'GRPO on multi-turn rollouts: one credit for all attempts. Not MT-GRPO.',
    idea: 'A failed attempt continues with one refinement, and both get the same credit for the outcome of the last attempt.',
    paper: {
      ...MURPHY_PAPER,
      equation: 'baseline GRPO on multi-turn rollouts: A_i = (R^O_i − mean(R^O)) / std(R^O), the same for every turn',
    },
    ...COMPARED_OUTCOMES,
    example: SINGLE_REFINEMENT,
  }),
];

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
