import { exp, power, square } from '../../numbers/exponential.ts';
import type { Group } from '../../rollouts/forest.ts';
import { paths } from '../arithmetic/chains.ts';
import { allEqual, normalizationOf, standardDeviation } from '../arithmetic/normalize.ts';
import {
  equation,
  formatNumber,
  normalizedLines,
  operand,
  powerOfTen,
  returnLine,
  sumOf,
  trajectoryAt,
} from '../explanation/derivation.ts';
import { MEETING, TESTED } from '../explanation/examples.ts';
import { type Credit, type CreditRule, explain } from '../rule.ts';
import { comparison, DENSITY_EPSILON, LEAST_BANDWIDTH, type VerpoValues, verpo } from '../rules/tests/verpo.ts';
import { anchored, episodeNormalization, gigpo, returns } from '../rules/tree/gigpo.ts';
import { type Edge, EPSILON, rolloutTree, rtmc, solvedRollouts, sum } from '../rules/tree/rtmc.ts';
import { findNextValue, prefixTree, tempo } from '../rules/tree/tempo.ts';

/** Rules that compare the program of a turn test by test, and rules that compare turns in the same state. */
export const STATE_RULES: readonly CreditRule[] = [
  explain(verpo, {
    fullName: 'verifiable dense reward policy optimisation',
    idea: 'The reward of a turn is the weight of the unit tests that it passes, and a solved task has an additional reward.',
    paper: {
      title: 'VeRPO: Verifiable Dense Reward Policy Optimization for Code Generation',
      reference: 'Wang, Wu et al. 2026, arXiv 2601.03525',
      equation: 'turn reward R_{i,t} = Σ_j weight_j · [turn passes test j]; A_{i,t} = A^traj_i + β A^turn_{i,t}',
    },
    formula: [
      'ρ_j = share of all turns of the group that pass test j',
      'w_j = exp(−α ρ_j)',
      `σ = max(std_j ρ_j / 2, ${formatNumber(LEAST_BANDWIDTH)})`,
      'd_j = Σ_k exp(−(ρ_j − ρ_k)² / (2σ²))',
      `weight_j = w_j / (d_j + ${powerOfTen(DENSITY_EPSILON)})`,
      'weight_j = (1 − ρ_j)^α / Σ_k (1 − ρ_k)^α instead, by turn = failure-rate; 1 / m if all turns pass all m tests',
      'R_{i,t} = Σ_j weight_j over the tests that the turn passes; Σ_j weight_j depends on the number of tests and need not be 1',
      'R_i = decay^(K_i − 1) if the last turn passes every test, else 0',
      'A_{i,t} = (R_i − mean_j R_j) + β (R_{i,t} − mean over all turns of the group)',
    ],
    example: TESTED,
    worked: verpoLines,
  }),

  explain(gigpo, {
    fullName: 'group-in-group policy optimisation',
    idea: 'Each rollout is compared with its group, and each turn with the other turns that start in the same state.',
    paper: {
      title: 'Group-in-Group Policy Optimization for LLM Agent Training',
      reference: 'Feng, Xue, Liu, An 2025, arXiv 2505.10978',
      equation: 'eq. 3, 5 to 8: A(a_t) = A^E(τ_i) + ω A^S(a_t)',
    },
    formula: [
      'r_t = reward of the turn, + outcome on the last turn',
      'A^E_i = (R_i − mean_j R_j) / F over the group, R_i = Σ_t r_t',
      'G_t = r_t + γ G_{t+1}',
      'A^S_t = (G_t − mean G) / F over the turns of the group with the same state; 0 for a turn alone in its state',
      'A_t = A^E_i + ω A^S_t; F = 1 (mean_norm) or the standard deviation + ε (mean_std_norm)',
    ],
    example: MEETING,
    worked(turn, group, { advantage, intermediate }, values) {
      const { gamma, omega } = values;
      const normalization = episodeNormalization(values);
      const { all, G, R, anchors } = returns(group, values);
      const at = trajectoryAt(all, turn);
      const anchor = anchors.find((turns) => turns.includes(turn)) ?? [];
      const anchorReturns = anchor.map((member) => G[member]);
      const [E, S] = [intermediate.episodeAdvantage[turn], intermediate.stepAdvantage[turn]];
      return [
        ...normalizedLines({ symbols: ['A^E', 'R'], values: R, at, normalization }),
        returnLine(turn, group, all[at].turns, G, { gamma, bonus: 0 }),
        ...normalizedLines({
          symbols: ['A^S', 'G'],
          values: anchorReturns,
          at: anchor.indexOf(turn),
          normalization: anchored(normalization),
        }),
        equation('A', `${formatNumber(E)} + ${formatNumber(omega)} · ${operand(S)}`, advantage[turn]),
      ];
    },
  }),

  explain(rtmc, {
    fullName: 'rollout-tree Monte Carlo',
    idea: 'Rollouts that visit the same state are compared there: the mean return of an action minus the value of the state.',
    paper: {
      title: 'RTMC: Step-Level Credit Assignment via Rollout Trees',
      reference: 'Wang, Zheng, Xu 2026, arXiv 2604.11037',
      equation: 'A_t = Q(s_t, a_t) − V(s_t), first-visit Monte Carlo over the group, V shrunk towards the share solved',
    },
    formula: [
      'r_t = reward of the turn, + bonus if it validates, + outcome on the last turn',
      'G_t = r_t + γ G_{t+1}',
      'N(s,a), W(s,a) = number and sum of the G_t of first visits, one a trajectory',
      'Q(s,a) = W(s,a) / N(s,a)',
      'V(s) = (Σ_a W(s,a) + κ p) / (Σ_a N(s,a) + κ), p = share of rollouts that are solved',
      `A_t = Q(s_t,a_t) − V(s_t), with scale std divided by (std A + ${powerOfTen(EPSILON)}) of the group`,
    ],
    example: MEETING,
    worked(turn, group, { advantage, intermediate: { return: G, q, v } }, values) {
      const { kappa, scale } = values;
      const all = paths(group).map((turns) => ({ turns }));
      const { state = '', action = '' } = group.turns[turn];
      const edges = rolloutTree(group, values).states.get(state) ?? new Map<string, Edge>();
      const [W, N] = [edges.get(action)?.W ?? NaN, edges.get(action)?.N ?? NaN];
      const prior = `${formatNumber(kappa)} · ${formatNumber(solvedRollouts(group))}`;
      const [total, visits] = [sum(edges, (edge) => edge.W), sum(edges, (edge) => edge.N)];
      const difference = `${formatNumber(q[turn])} − ${operand(v[turn])}`;
      const std = standardDeviation(q.map((value, index) => value - v[index]));
      const scaled = `(${difference}) / (${formatNumber(std)} + ${formatNumber(EPSILON)})`;
      return [
        returnLine(turn, group, all[trajectoryAt(all, turn)].turns, G, values),
        equation('Q', `${formatNumber(W)} / ${N}`, q[turn]),
        equation('V', `(${formatNumber(total)} + ${prior}) / (${visits} + ${formatNumber(kappa)})`, v[turn]),
        equation('A', scale === 'std' ? scaled : difference, advantage[turn]),
      ];
    },
  }),

  explain(tempo, {
    fullName: 'tree-estimated mean prefix value',
    idea: 'A turn has the credit of its rollout, plus its change of the mean outcome of the rollouts with the same prefix.',
    paper: {
      title: 'Exploiting Tree Structure for Credit Assignment in RL Training of LLMs',
      reference: 'Tran, Yao, Yu 2025, arXiv 2509.18314',
      equation: 'Prefix-to-Tree values V, and A_t = r̃_i + V(s_{t+1}) − V(s_t)',
    },
    formula: [
      'r̃_i = (R^O_i − mean_j R^O_j) / (std_j R^O_j + ε)',
      'V(h) = mean of r̃ over the rollouts of the group that begin with h; behind the last turn V = r̃_i',
      'h_t = states and actions of the rollout before turn t, and the state of turn t; in the paper: the tokens before token t',
      'A_t = r̃_i + V(h_{t+1}) − V(h_t)',
    ],
    example: MEETING,
    worked(turn, group, { advantage: A, intermediate: { prefixValue: V } }, values) {
      const { all, normalized, openPrefixes } = prefixTree(group, values);
      const at = trajectoryAt(all, turn);
      const { turns } = all[at];
      const prefixRollouts = [...openPrefixes.values()].find((prefix) => prefix.turns.includes(turn))?.rollouts ?? [];
      const through = prefixRollouts.map((i) => normalized[i]);
      const next = findNextValue(V, turns, turns.indexOf(turn), normalized[at]);
      return [
        ...normalizedLines({
          symbols: ['r̃', 'R^O'],
          values: all.map((chain) => chain.outcome),
          at,
          normalization: normalizationOf(values),
        }),
        equation('V', through.length === 1 ? sumOf(through) : `(${sumOf(through)}) / ${through.length}`, V[turn]),
        equation('A', `${formatNumber(normalized[at])} + ${operand(next)} − ${operand(V[turn])}`, A[turn]),
      ];
    },
  }),
];

/** Returns the steps of the advantage of one turn under VeRPO. Only the unit tests that the turn passed are listed. */
function verpoLines(turn: number, group: Group, credit: Credit, values: VerpoValues): string[] {
  const { passRate: rho, weights, bandwidth, turnReward, trajectoryReward, ...rest } = credit.intermediate;
  const normalization = comparison(values);
  const all = paths(group).map((turns) => ({ turns }));
  const at = trajectoryAt(all, turn);
  const { turns } = all[at];
  const tests = (group.turns[turn].passed ?? []).flatMap((bit, j) => (bit === 1 ? [j] : []));
  const R = all.map((path) => trajectoryReward[path.turns[0]]);
  const turnLines = [
    ...(values.turn === 'difficulty-density' ? [bandwidthLine(rho, bandwidth[0], values)] : []),
    ...(values.turn === 'failure-rate' && tests.length > 0 ? [failuresLine(rho, values)] : []),
    ...tests.flatMap((j) => [
      equation(`ρ_${j + 1}`, `${Math.round(rho[j] * group.turns.length)} / ${group.turns.length}`, rho[j]),
      ...weightLines(j, rho, weights[j], bandwidth[0], values),
    ]),
    equation('R_{i,t}', tests.length > 0 ? sumOf(tests.map((j) => weights[j])) : '0', turnReward[turn]),
    ...normalizedLines({ symbols: ['A^turn', 'R_{i,t}'], values: turnReward, at: turn, normalization }),
  ];
  const solved = group.turns[turns[turns.length - 1]].passed?.every((bit) => bit === 1);
  const trajectoryLines = [
    solved
      ? equation('R_i', `${formatNumber(values.decay)}^${turns.length - 1}`, R[at])
      : 'R_i = 0, because its last turn does not pass every test',
    ...normalizedLines({ symbols: ['A^traj', 'R_i'], values: R, at, normalization }),
  ];
  const [turnPart, trajectoryPart] = [rest.turnAdvantage[turn], rest.trajectoryAdvantage[turn]];
  const sum = `${values.trajectory ? formatNumber(trajectoryPart) : '0'} + ${formatNumber(values.beta)} · ${operand(turnPart)}`;
  return [...turnLines, ...(values.trajectory ? trajectoryLines : []), equation('A', sum, credit.advantage[turn])];
}

function bandwidthLine(rho: Float64Array, sigma: number, { bandwidth }: VerpoValues): string {
  const given =
    bandwidth > 0 ? formatNumber(bandwidth) : `${formatNumber(allEqual(rho) ? 0 : standardDeviation(rho))} / 2`;
  return equation('σ', `max(${given}, ${formatNumber(LEAST_BANDWIDTH)})`, sigma);
}

function weightLines(j: number, rho: Float64Array, weight: number, sigma: number, values: VerpoValues): string[] {
  const name = `weight_${j + 1}`;
  if (values.turn === 'none') return [`${name} = 0, because turns earn nothing`];
  if (values.turn === 'pass-rate') return [equation(name, `1 / ${rho.length}`, weight)];
  if (values.turn === 'failure-rate') return [failureLine(name, rho[j], rho, weight, values)];
  const w = exp(-values.alpha * rho[j]);
  const exponential = `exp(−${formatNumber(values.alpha)} · ${formatNumber(rho[j])})`;
  if (values.turn === 'difficulty') return [equation(name, exponential, weight)];
  const terms = Array.from(
    rho,
    (rate) => `exp(−((${formatNumber(rho[j])} − ${formatNumber(rate)})²) / (2 · ${formatNumber(sigma)}²))`,
  );
  const d = rho.reduce((sum, rate) => sum + exp(-square(rho[j] - rate) / (2 * square(sigma))), 0);
  const density = terms.length > 8 ? `(sum over ${terms.length} tests)` : terms.join(' + ');
  return [
    equation(`w_${j + 1}`, exponential, w),
    equation(`d_${j + 1}`, density, d),
    equation(name, `${formatNumber(w)} / (${formatNumber(d)} + ${formatNumber(DENSITY_EPSILON)})`, weight),
  ];
}

/** Computes Σ_k (1 − ρ_k)^α. */
function failures(rho: Float64Array, { alpha }: VerpoValues): number {
  return rho.reduce((sum, rate) => sum + power(1 - rate, alpha), 0);
}

function failurePower(rate: number, { alpha }: VerpoValues): string {
  return `(1 − ${formatNumber(rate)})^${formatNumber(alpha)}`;
}

function failuresLine(rho: Float64Array, values: VerpoValues): string {
  const terms = Array.from(rho, (rate) => failurePower(rate, values));
  const sum = terms.length > 8 ? `(sum over ${terms.length} tests)` : terms.join(' + ');
  return equation(`Σ_k (1 − ρ_k)^${formatNumber(values.alpha)}`, sum, failures(rho, values));
}

function failureLine(name: string, rate: number, rho: Float64Array, weight: number, values: VerpoValues): string {
  const sum = failures(rho, values);
  if (sum === 0) return `${equation(name, `1 / ${rho.length}`, weight)}, because every turn passes every test`;
  return equation(name, `${failurePower(rate, values)} / ${formatNumber(sum)}`, weight);
}
