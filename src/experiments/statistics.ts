import { square } from '../numbers/exponential.ts';

/** Statistics over seeds and steps. An empty list gives NaN, which is null in JSON and a dash in tables. */

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation (n - 1); NaN for fewer than two values. */
export function sampleDeviation(values: readonly number[]): number {
  if (values.length < 2) return NaN;
  const center = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + square(value - center), 0) / (values.length - 1));
}

/** Mean over runs, and their sample standard deviation; null for one run. */
export interface SummaryStatistics {
  readonly mean: number;
  readonly deviation: number | null;
}

/** Result of a run in which each number is replaced by its statistics over the runs. Labels are equal in all runs. */
export type Summary<Result> = Result extends number
  ? SummaryStatistics
  : Result extends readonly (infer Entry)[]
    ? readonly Summary<Entry>[]
    : Result extends object
      ? { readonly [Name in keyof Result]: Name extends Label ? Result[Name] : Summary<Result[Name]> }
      : Result;
const LABELS = ['k', 'stratum', 'tasks'] as const;
type Label = (typeof LABELS)[number];

/**
 * Summarises the results of runs of the same plan. A value that some runs lack is summarised over the other runs.
 */
export function summarize<Result>(runs: readonly Result[]): Summary<Result> {
  const summary = (values: readonly unknown[]): unknown => {
    const [first] = values;
    if (typeof first === 'number')
      return {
        mean: mean(values as number[]),
        deviation: values.length < 2 ? null : sampleDeviation(values as number[]),
      };
    if (Array.isArray(first)) return first.map((_, at) => summary((values as unknown[][]).map((list) => list[at])));
    const records = values as Readonly<Record<string, unknown>>[];
    const names = new Set(records.flatMap((record) => Object.keys(record)));
    const entries = [...names].map((name) => {
      const known = records.map((record) => record[name]).filter((value) => value !== undefined);
      return [name, LABELS.some((label) => label === name) ? known[0] : summary(known)];
    });
    return Object.fromEntries(entries);
  };
  return summary(runs) as Summary<Result>;
}

/** Number of steps before and after a step that its average includes. A step is a batch of 128 rollouts. */
export const RADIUS = 4;
/** Number of steps at the end of a run that its final value averages. */
export const LAST = 10;

/**
 * Returns the mean of a curve over a step and its neighbours (RADIUS). Step 0 is not averaged, because only its
 * rollouts are sampled before any update.
 */
export function around(series: readonly number[], step: number): number {
  if (step >= series.length) return NaN;
  return step === 0 ? series[0] : mean(series.slice(Math.max(0, step - RADIUS), step + RADIUS + 1));
}

/** Returns the mean of the last steps of a curve. */
export function computeFinalMean(series: readonly number[]): number {
  return mean(series.slice(-LAST));
}

/** Returns the mean over several curves at each step, up to the length of the shortest curve. */
export function meanSeries(curves: readonly (readonly number[])[]): number[] {
  const length = Math.min(...curves.map((curve) => curve.length));
  return Array.from({ length: curves.length === 0 ? 0 : length }, (_, step) =>
    mean(curves.map((curve) => curve[step])),
  );
}
