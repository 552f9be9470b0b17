import { square } from '../../numbers/powers.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Agreement, Estimate, Interval, Precision } from '../../training/data/truthReport.ts';
import { mean, standardDeviation } from '../statistics.ts';

export type { Agreement, Estimate, Interval, Precision };

/**
 * Computes the mean of sampled returns. Its error counts one additional sample with the worst outcome and one with the
 * best outcome. So samples that agree by chance do not appear certain (Agresti and Coull 1998, for the standard error
 * alone).
 * @param range the least and the largest outcome
 */
export function estimate(samples: readonly number[], range: readonly [number, number]): Estimate {
  const all = [...samples, ...range];
  return { mean: mean(samples), error: standardDeviation(all) / Math.sqrt(all.length) };
}

/** Computes the true advantage of a turn: A = Q - V with Q = r + gamma V'. The two values are measured separately. */
export function trueAdvantage(before: Estimate, reward: number, after: Estimate | undefined, gamma: number): Estimate {
  const ahead = gamma * (after?.mean ?? 0);
  return {
    mean: reward + ahead - before.mean,
    error: Math.sqrt(square(before.error) + square(gamma * (after?.error ?? 0))),
  };
}

/** A turn of a group with what was measured, and what each rule says of it. */
export interface Step {
  /** Steps of one cluster are drawn together when intervals are made: they share their group. */
  readonly cluster: number;
  readonly truth: Estimate;
  /** [rules] advantages; NaN where the rule pruned the turn, which is left out then. */
  readonly advantages: readonly number[];
}

/** Standard errors that an advantage is away from 0 where its sign is clear. */
export const CLEAR = 3;
/** Below this an advantage is 0. */
const ZERO = 1e-9;
/** Below this an exact advantage is 0, and below this much absolute credit there is no leakage (estimators.py). */
const IDLE = 1e-8;
/** Draws of a bootstrap. */
export const DRAWS = 2000;

/** Pearson's correlation; NaN for fewer than two pairs or where one side does not vary. */
export function correlation(x: readonly number[], y: readonly number[]): number {
  return correlationOf([...x.keys()], x, y);
}

/** The same over some members, each as often as it is named; those whose x is NaN are left out. */
function correlationOf(members: readonly number[], x: ArrayLike<number>, y: ArrayLike<number>): number {
  let [count, sumX, sumY] = [0, 0, 0];
  for (const member of members) {
    if (Number.isNaN(x[member])) continue;
    count++;
    sumX += x[member];
    sumY += y[member];
  }
  const [mx, my] = [sumX / count, sumY / count];
  let [xx, xy, yy] = [0, 0, 0];
  for (const member of members) {
    if (Number.isNaN(x[member])) continue;
    const [dx, dy] = [x[member] - mx, y[member] - my];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  return xx > ZERO * ZERO && yy > ZERO * ZERO ? xy / Math.sqrt(xx * yy) : NaN;
}

/**
 * Computes a percentile bootstrap over clusters (Efron 1979): clusters are drawn with replacement, all their members
 * with them. A draw depends only on the seed and its number.
 * @param clusters [members]
 * @param statistics of the members that were drawn; NaN if one is not defined
 * @returns [draws][statistics]; no draws for a single cluster, because all of them would be equal
 */
export function bootstrap(
  clusters: readonly number[],
  draws: number,
  seed: number,
  statistics: (members: readonly number[]) => readonly number[],
): (readonly number[])[] {
  const byCluster = new Map<number, number[]>(clusters.map((cluster) => [cluster, []]));
  clusters.forEach((cluster, member) => {
    byCluster.get(cluster)?.push(member);
  });
  const members = [...byCluster.values()];
  if (members.length < 2) return [];
  return Array.from({ length: draws }, (_, draw) => {
    const random = new CounterRandom(seed, STREAMS.resampling, draw);
    return statistics(members.flatMap(() => members[random.integer(members.length)]));
  });
}

/** The middle 95 % of what was drawn, by linear interpolation; NaN where none, or fewer than half, are defined. */
export function interval(value: number, draws: readonly number[]): Interval {
  const sorted = draws.filter((draw) => !Number.isNaN(draw)).sort((a, b) => a - b);
  if (Number.isNaN(value) || sorted.length === 0 || 2 * sorted.length < draws.length)
    return { value, low: NaN, high: NaN };
  const at = (share: number) => {
    const position = share * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
    return low + (position - Math.floor(position)) * (high - low);
  };
  return { value, low: at(0.025), high: at(0.975) };
}

/** Compares rules with the truth. @returns [rules] */
export function agreements(steps: readonly Step[], rules: number, seed: number, draws = DRAWS): Agreement[] {
  const truth = Float64Array.from(steps, (step) => step.truth.mean);
  const ruleAdvantages = Array.from({ length: rules }, (_, rule) =>
    Float64Array.from(steps, (step) => step.advantages[rule]),
  );
  const correlations = (members: readonly number[]) =>
    ruleAdvantages.map((advantages) => correlationOf(members, advantages, truth));
  const coefficients = correlations([...steps.keys()]);
  const drawn = bootstrap(
    steps.map(({ cluster }) => cluster),
    draws,
    seed,
    correlations,
  );
  return coefficients.map((value, rule) => ({
    correlation: interval(
      value,
      drawn.map((row) => row[rule]),
    ),
    ahead: interval(
      value - coefficients[0],
      drawn.map((row) => row[rule] - row[0]),
    ),
    ...signs(steps, rule),
  }));
}

/** Returns true if an advantage is so far from 0 that its sign is known. */
export function isClear({ mean, error }: Estimate): boolean {
  return Math.abs(mean) > Math.max(ZERO, CLEAR * error);
}

/** Share of the absolute credit on steps whose exact advantage is 0; NaN for measured advantages, or without such steps. */
function leakage(steps: readonly Step[], rule: number): number {
  const idle = steps.filter(({ truth }) => Math.abs(truth.mean) < IDLE);
  if (idle.length === 0 || steps.some(({ truth }) => truth.error > 0)) return NaN;
  const credit = (of: readonly Step[]) => of.reduce((sum, { advantages }) => sum + Math.abs(advantages[rule]), 0);
  return credit(idle) / (credit(steps) + IDLE);
}

function signs(steps: readonly Step[], rule: number): Omit<Agreement, 'correlation' | 'ahead'> {
  const known = steps.filter(({ advantages }) => !Number.isNaN(advantages[rule]));
  const clear = known.filter(({ truth }) => isClear(truth));
  const zero = (step: Step) => Math.abs(step.advantages[rule]) <= ZERO;
  const opposite = (step: Step) => !zero(step) && Math.sign(step.advantages[rule]) !== Math.sign(step.truth.mean);
  return {
    steps: known.length,
    clear: clear.length,
    wrong: clear.filter(opposite).length / clear.length,
    silent: clear.filter(zero).length / clear.length,
    leakage: leakage(known, rule),
  };
}

/** Computes the precision with which the advantages of these steps were measured. */
export function precision(steps: readonly Pick<Step, 'truth'>[]): Precision {
  const deviation = standardDeviation(steps.map(({ truth }) => truth.mean));
  const error = Math.sqrt(mean(steps.map(({ truth }) => square(truth.error))));
  return { deviation, error, reliability: Math.max(0, 1 - square(error / deviation)) };
}
