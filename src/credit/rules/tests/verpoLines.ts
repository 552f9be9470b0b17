import type { Group } from '../../../rollouts/forest.ts';
import { paths } from '../../arithmetic/chains.ts';
import { normalize, PROFILES } from '../../arithmetic/normalize.ts';
import type { Credit } from '../../rule.ts';
import { equation, normalizedLines, operand, shown, sumOf, trajectoryAt } from '../../telling/worked.ts';
import type { Options } from './verpo.ts';

/**
 * The steps of one turn's advantage by VeRPO; of the unit tests, those that it passed.
 * @param leastBandwidth below which σ does not go
 */
export function verpoLines(turn: number, group: Group, credit: Credit, how: Options, leastBandwidth: number): string[] {
  const { passRate: rho, weights, bandwidth, turnReward, trajectoryReward, ...rest } = credit.intermediate;
  const all = paths(group).map((turns) => ({ turns }));
  const at = trajectoryAt(all, turn);
  const { turns } = all[at];
  const tests = (group.turns[turn].passed ?? []).flatMap((bit, j) => (bit === 1 ? [j] : []));
  const R = all.map((path) => trajectoryReward[path.turns[0]]);
  const turnLines = [
    ...(how.turn === 'difficulty-density' ? [bandwidthLine(rho, bandwidth[0], how, leastBandwidth)] : []),
    ...(how.turn === 'failure-rate' && tests.length > 0 ? [failuresLine(rho, how)] : []),
    ...tests.flatMap((j) => [
      equation(`ρ_${j + 1}`, `${Math.round(rho[j] * group.turns.length)} / ${group.turns.length}`, rho[j]),
      ...weightLines(j, rho, weights[j], bandwidth[0], how),
    ]),
    equation('R_{i,t}', tests.length > 0 ? sumOf(tests.map((j) => weights[j])) : '0', turnReward[turn]),
    ...normalizedLines({ symbols: ['A^turn', 'R_{i,t}'], values: turnReward, at: turn, how: how.how }),
  ];
  const solved = group.turns[turns[turns.length - 1]].passed?.every((bit) => bit === 1);
  const trajectoryLines = [
    solved
      ? equation('R_i', `${shown(how.decay)}^${turns.length - 1}`, R[at])
      : 'R_i = 0, because its last turn does not pass every test',
    ...normalizedLines({ symbols: ['A^traj', 'R_i'], values: R, at, how: how.how }),
  ];
  const [turnPart, trajectoryPart] = [rest.turnAdvantage[turn], rest.trajectoryAdvantage[turn]];
  const sum = `${how.trajectory ? shown(trajectoryPart) : '0'} + ${shown(how.beta)} · ${operand(turnPart)}`;
  return [...turnLines, ...(how.trajectory ? trajectoryLines : []), equation('A', sum, credit.advantage[turn])];
}

function bandwidthLine(rho: Float64Array, bandwidth: number, { sigma }: Options, least: number): string {
  const { std } = normalize(rho, PROFILES.rllm);
  const given = sigma > 0 ? shown(sigma) : `${shown(rho.length < 2 ? 0 : std)} / 2`;
  return equation('σ', `max(${given}, ${shown(least)})`, bandwidth);
}

function weightLines(j: number, rho: Float64Array, weight: number, sigma: number, how: Options): string[] {
  const name = `weight_${j + 1}`;
  if (how.turn === 'none') return [`${name} = 0, because turns earn nothing`];
  if (how.turn === 'pass-rate') return [equation(name, `1 / ${rho.length}`, weight)];
  if (how.turn === 'failure-rate') return [failureLine(name, rho[j], rho, weight, how)];
  const w = Math.exp(-how.alpha * rho[j]);
  const exponential = `exp(−${shown(how.alpha)} · ${shown(rho[j])})`;
  if (how.turn === 'difficulty') return [equation(name, exponential, weight)];
  const terms = Array.from(rho, (other) => `exp(−((${shown(rho[j])} − ${shown(other)})²) / (2 · ${shown(sigma)}²))`);
  const d = rho.reduce((sum, other) => sum + Math.exp(-((rho[j] - other) ** 2) / (2 * sigma ** 2)), 0);
  const density = terms.length > 8 ? `(sum over ${terms.length} tests)` : terms.join(' + ');
  return [
    equation(`w_${j + 1}`, exponential, w),
    equation(`d_${j + 1}`, density, d),
    equation(name, `${shown(w)} / (${shown(d)} + 0.000001)`, weight),
  ];
}

/** Σ_k (1 − ρ_k)^α */
function failures(rho: Float64Array, { alpha }: Options): number {
  return rho.reduce((sum, rate) => sum + (1 - rate) ** alpha, 0);
}

function failurePower(rate: number, { alpha }: Options): string {
  return `(1 − ${shown(rate)})^${shown(alpha)}`;
}

function failuresLine(rho: Float64Array, how: Options): string {
  const terms = Array.from(rho, (rate) => failurePower(rate, how));
  const sum = terms.length > 8 ? `(sum over ${terms.length} tests)` : terms.join(' + ');
  return equation(`Σ_k (1 − ρ_k)^${shown(how.alpha)}`, sum, failures(rho, how));
}

function failureLine(name: string, rate: number, rho: Float64Array, weight: number, how: Options): string {
  const sum = failures(rho, how);
  if (sum === 0) return `${equation(name, `1 / ${rho.length}`, weight)}, because every turn passes every test`;
  return equation(name, `${failurePower(rate, how)} / ${shown(sum)}`, weight);
}
