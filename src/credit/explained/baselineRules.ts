import { chains, outcomesOf } from '../arithmetic/chains.ts';
import { allEqual, mean, standardDeviation } from '../arithmetic/normalize.ts';
import {
  deviationLines,
  equation,
  formatNumber,
  meanLine,
  normalizedLines,
  operand,
  sumOf,
  trajectoryAt,
} from '../explanation/derivation.ts';
import { TWO_TURNS } from '../explanation/examples.ts';
import { type CreditRule, explain } from '../rule.ts';
import { drGrpo, normalization as drGrpoNormalization } from '../rules/grpo/drGrpo.ts';
import { maxrl, successes } from '../rules/grpo/maxrl.ts';
import { reinforcePlusPlus, normalization as reinforcePlusPlusNormalization } from '../rules/grpo/reinforcePlusPlus.ts';
import { normalization, rloo } from '../rules/grpo/rloo.ts';

/** Baseline rules. */
export const BASELINE_RULES: readonly CreditRule[] = [
  explain(rloo, {
    fullName: 'REINFORCE, leave one out',
    idea: 'Every turn of a rollout gets the outcome minus the mean outcome of the other rollouts.',
    paper: {
      title: 'Back to Basics: Revisiting REINFORCE Style Optimization for Learning from Human Feedback in LLMs',
      reference: 'Ahmadian, Cremer et al. 2024, arXiv 2402.14740',
      equation: 'RLOO: A_i = R_i − 1/(n−1) Σ_{j≠i} R_j',
    },
    formula: [
      'b_i = 1/(n−1) Σ_{j≠i} R^O_j',
      'A_i = R^O_i − b_i, the same for every turn of rollout i',
      'with scale std: divided by std_j R^O_j + ε over all n',
    ],
    example: TWO_TURNS,
    worked(turn, group, credit, values) {
      const trajectories = chains(group);
      const R = trajectories.map((chain) => chain.outcome);
      const at = trajectoryAt(trajectories, turn);
      const options = normalization(values);
      if (R.length < 2 || allEqual(R))
        return normalizedLines({ symbols: ['A', 'R^O'], values: R, at, normalization: options });
      const rest = R.filter((_, i) => i !== at);
      const b = credit.intermediate.baseline[turn];
      const difference = `${formatNumber(R[at])} − ${operand(b)}`;
      const baseline = equation('b', rest.length === 1 ? sumOf(rest) : `(${sumOf(rest)}) / ${rest.length}`, b);
      if (options.scale === 'none') return [baseline, equation('A', difference, credit.advantage[turn])];
      const std = standardDeviation(R, options.ddof);
      const divisor = `(${formatNumber(std)} + ${formatNumber(options.epsilon)})`;
      return [
        baseline,
        ...deviationLines('R^O', R, options),
        equation('A', `(${difference}) / ${divisor}`, credit.advantage[turn]),
      ];
    },
  }),

  explain(drGrpo, {
    fullName: 'GRPO done right',
    idea: 'Every turn of a rollout gets the outcome minus the mean outcome of the group, without division by the deviation.',
    paper: {
      title: 'Understanding R1-Zero-Like Training: A Critical Perspective',
      reference: 'Liu, Chen et al. 2025, arXiv 2503.20783',
      equation: 'Dr. GRPO: A_i = R_i − mean(R), without std(R)',
    },
    formula: ['A_i = R^O_i − mean_j R^O_j, the same for every turn of rollout i'],
    example: TWO_TURNS,
    worked(turn, group) {
      const trajectories = chains(group);
      const values = trajectories.map((chain) => chain.outcome);
      return normalizedLines({
        symbols: ['A', 'R^O'],
        values,
        at: trajectoryAt(trajectories, turn),
        normalization: drGrpoNormalization,
      });
    },
  }),

  explain(maxrl, {
    fullName: 'maximum likelihood reinforcement learning',
    idea: 'Every turn of a rollout gets the outcome minus the mean outcome of the group, divided by this mean: rare successes count more.',
    paper: {
      title: 'Maximum Likelihood Reinforcement Learning',
      reference: 'Tajwar, Zeng et al. 2026, arXiv 2602.02710; Zanette-Labs/MaxRL, verl/trainer/ppo/core_algos.py',
      equation: 'p-normalization: A_i = (r_i − r̄) / r̄, and 0 without a success',
    },
    formula: [
      'r_i = max(R^O_i, 0)',
      'A_i = (r_i − mean_j r_j) / (mean_j r_j + ε), the same for every turn of rollout i',
    ],
    example: TWO_TURNS,
    worked(turn, group, { advantage }, { epsilon }) {
      const trajectories = chains(group);
      const r = successes(group);
      const at = trajectoryAt(trajectories, turn);
      const success = equation('r', `max(${operand(trajectories[at].outcome)}, 0)`, r[at]);
      if (allEqual(r)) return [`A = 0, because all ${r.length} have r = ${formatNumber(r[at])}`];
      const rate = mean(r);
      const quotient = `(${formatNumber(r[at])} − ${formatNumber(rate)}) / (${formatNumber(rate)} + ${formatNumber(epsilon)})`;
      return [success, meanLine('r', r), equation('A', quotient, advantage[turn])];
    },
  }),

  explain(reinforcePlusPlus, {
    fullName: 'REINFORCE with advantages normalised over the batch',
    idea: 'Every turn of a rollout gets its outcome, compared with the outcomes of the whole batch instead of its group.',
    paper: {
      title: 'REINFORCE++: Stabilizing Critic-Free Policy Optimization with Global Advantage Normalization',
      reference: 'Hu, Liu et al. 2025, arXiv 2501.03262v9; verl, core_algos.py, reinforce_plus_plus and its baseline',
      equation: 'A^norm = (A − mean(A)) / std(A) over all tokens of the batch; with baseline A = R − mean_group(R)',
    },
    formula: [
      'A_i = R^O_i, the same for every turn of rollout i',
      'baseline = group: A_i = R^O_i − mean_j R^O_j',
      'in an update: (A_i − mean A) / (std A + 10⁻⁴) over all tokens of the batch',
    ],
    example: TWO_TURNS,
    worked(turn, group, { advantage }, { baseline }) {
      const at = trajectoryAt(chains(group), turn);
      if (baseline === 'none') return [`A = R^O = ${formatNumber(advantage[turn])}`];
      return normalizedLines({
        symbols: ['A', 'R^O'],
        values: outcomesOf(group),
        at,
        normalization: reinforcePlusPlusNormalization,
      });
    },
  }),
];
