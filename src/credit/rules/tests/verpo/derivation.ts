import { exp } from '../../../../numbers/exponential.ts';
import { power, square } from '../../../../numbers/powers.ts';
import type { Group } from '../../../../rollouts/forest.ts';
import { paths } from '../../../arithmetic/chains.ts';
import { allEqual, standardDeviation } from '../../../arithmetic/normalize.ts';
import {
  equation,
  formatNumber,
  normalizedLines,
  operand,
  sumOf,
  trajectoryAt,
} from '../../../explanation/derivation.ts';
import type { Credit } from '../../../rule.ts';
import { comparison, type VerpoValues } from './parameters.ts';
import { DENSITY_EPSILON, LEAST_BANDWIDTH } from './weights.ts';

/** Returns the steps of the advantage of one turn under VeRPO. Only the unit tests that the turn passed are listed. */
export function verpoLines(turn: number, group: Group, credit: Credit, values: VerpoValues): string[] {
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
