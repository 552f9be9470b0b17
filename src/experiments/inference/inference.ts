import { square } from '../../numbers/powers.ts';
import { confidence, mean, standardDeviation } from '../statistics.ts';
import { studentTails } from './student.ts';

/** What Student's t says of a mean. */
export interface Interval {
  readonly mean: number;
  /** 95 % interval; infinite for one value. */
  readonly low: number;
  readonly high: number;
}

/** 95 % interval of a mean by Student's t. */
export function meanInterval(values: readonly number[]): Interval {
  const middle = mean(values);
  const half = values.length < 2 ? Infinity : confidence(values);
  return { mean: middle, low: middle - half, high: middle + half };
}

/** Probability of a mean so far from a bound, if the bound were the truth: two-sided one-sample t test; 1 for one value. */
export function meanTest(values: readonly number[], bound: number): number {
  if (values.length < 2) return 1;
  const away = mean(values) - bound;
  const error = standardDeviation(values) / Math.sqrt(values.length);
  if (error === 0) return away === 0 ? 1 : 0;
  return studentTails(away / error, values.length - 1);
}

/** Adjusted probabilities of tests that stand or fall together, in their order (Holm 1979). */
export function holm(probabilities: readonly number[]): number[] {
  const order = probabilities.map((_, index) => index).sort((a, b) => probabilities[a] - probabilities[b]);
  const adjusted: number[] = Array(probabilities.length).fill(1);
  let most = 0;
  order.forEach((test, rank) => {
    most = Math.max(most, Math.min(1, (probabilities.length - rank) * probabilities[test]));
    adjusted[test] = most;
  });
  return adjusted;
}

/** The two parts of a spread: deviation between strata and within them, from a one-way analysis of variance. */
export interface SpreadParts {
  readonly between: number;
  readonly within: number;
}

/**
 * Parts of the spread of values in strata (unbiased by the expected mean squares, cut at 0).
 * @returns NaN for the part that the numbers cannot tell: one stratum, or no stratum with two members
 */
export function spreadParts(strata: readonly (readonly number[])[]): SpreadParts {
  const { withinSquare, betweenSquare } = meanSquares(strata);
  const count = strata.reduce((sum, members) => sum + members.length, 0);
  // Members of a stratum, where strata have different numbers of them (Snedecor and Cochran).
  const each =
    (count - strata.reduce((sum, members) => sum + square(members.length), 0) / count) / Math.max(1, strata.length - 1);
  const noise = Number.isNaN(withinSquare) ? 0 : withinSquare;
  return { within: Math.sqrt(withinSquare), between: Math.sqrt(Math.max(0, (betweenSquare - noise) / each)) };
}

/** Mean squares of a one-way analysis of variance; F is their quotient. */
export function meanSquares(strata: readonly (readonly number[])[]) {
  const all = strata.flat();
  const centre = mean(all);
  const squares = strata.reduce((sum, members) => {
    const own = mean(members);
    return sum + members.reduce((total, value) => total + square(value - own), 0);
  }, 0);
  const between = strata.reduce((sum, members) => sum + members.length * square(mean(members) - centre), 0);
  const ratio = (sum: number, freedom: number) => (freedom < 1 ? NaN : sum / freedom);
  return {
    withinSquare: ratio(squares, all.length - strata.length),
    betweenSquare: ratio(between, strata.length - 1),
  };
}
