import { square } from '../../numbers/exponential.ts';
import type { Agreement, Estimate, Precision } from '../../training/data/truthReport.ts';
import { bootstrap, DRAWS, interval } from '../inference/inference.ts';
import { mean, sampleDeviation } from '../statistics.ts';

/**
 * Estimates a mean from sampled returns. Only the standard error includes one additional sample with the worst and one
 * with the best outcome (Agresti and Coull 1998). Samples that are equal by chance therefore do not have error 0.
 * @param range minimum and maximum outcome
 */
export function estimate(samples: readonly number[], range: readonly [number, number]): Estimate {
  const all = [...samples, ...range];
  return { mean: mean(samples), error: sampleDeviation(all) / Math.sqrt(all.length) };
}

/** Computes the true advantage of a turn: A = Q - V with Q = r + gamma V'. The two values are independent estimates. */
export function trueAdvantage(before: Estimate, reward: number, after: Estimate | undefined, gamma: number): Estimate {
  const ahead = gamma * (after?.mean ?? 0);
  return {
    mean: reward + ahead - before.mean,
    error: Math.sqrt(square(before.error) + square(gamma * (after?.error ?? 0))),
  };
}

/** Turn of a group with its true advantage and its advantage under each rule. */
export interface Step {
  /** Cluster of the step. Intervals resample clusters as a whole because the steps of a cluster are dependent. */
  readonly cluster: number;
  readonly truth: Estimate;
  /** [rules] advantages; NaN if the rule prunes the turn, which is then omitted. */
  readonly advantages: readonly number[];
}

/** Number of standard errors from 0 above which the sign of an advantage is clear. */
export const CLEAR = 3;
/** Absolute value below which an advantage counts as 0. */
const ZERO = 1e-9;
/** Absolute value below which an exact advantage counts as 0. It is also added to the denominator of the leakage. */
const IDLE = 1e-8;
/** Computes Pearson's correlation; NaN for fewer than two pairs or if one side does not vary. */
export function correlation(x: readonly number[], y: readonly number[]): number {
  return correlationOf([...x.keys()], x, y);
}

/** Computes the correlation over the given members, which may repeat. Members whose x is NaN are omitted. */
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

/** Compares rules with the true advantages. @returns [rules] */
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

/** Returns true if an advantage differs from 0 so clearly that its sign is known. */
export function isClear({ mean, error }: Estimate): boolean {
  return Math.abs(mean) > Math.max(ZERO, CLEAR * error);
}

/**
 * Computes the share of absolute credit on steps with exact advantage 0; NaN without such steps or if truth has errors.
 */
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
  const deviation = sampleDeviation(steps.map(({ truth }) => truth.mean));
  const error = Math.sqrt(mean(steps.map(({ truth }) => square(truth.error))));
  return { deviation, error, reliability: Math.max(0, 1 - square(error / deviation)) };
}
