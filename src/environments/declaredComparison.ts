import type { RunValue } from './claim.ts';

/**
 * Declaration of the comparison of rules in an environment: arms, columns of the table, drawing and notes. Rules,
 * controls, metrics and measured values are referenced by name.
 */
export interface EnvironmentComparison {
  /** Arms, seeds and updates by default. */
  readonly standard: { readonly arms: readonly string[]; readonly seeds: number; readonly steps: number };
  /** Estimated processor time per update on the exact engine, with its share of the Lab's measurements [s]. */
  readonly seconds: number;
  /** Estimated processor time of a warm start [s]. */
  readonly startSeconds: number;
  /**
   * True if other seeds (worldSeed, warmSeed) draw other worlds. A seed can then have a separate warm start, or the
   * seeds can be distributed over several worlds.
   */
  readonly freshWarmStart?: boolean;
  /** Default number of episodes per held-out problem, if problems are measured separately. */
  readonly samples?: number;
  readonly columns: readonly ComparisonColumn[];
  /**
   * Name of the column with the amount that an update generates, which must be equal in all arms. Absent if the amount
   * is fixed.
   */
  readonly budget?: string;
  readonly drawing: ComparisonDrawing;
  /**
   * Returns notes on how to read the table, in addition to the notes of every comparison: one or two sentences per
   * line.
   */
  readonly notes: (measuring: Readonly<Record<string, number>>) => readonly string[];
  /** Expected rates of the warm starts, one entry per world. The default world comes first. */
  readonly warmStarts?: readonly WarmStartRates[];
  /** Options of `compare` for the examples of --help. */
  readonly examples: readonly string[];
}

/**
 * Format of a column. `percent`: a share times 100. `rate`: a share, only its mean. `count`: 0 or 1 per seed, reported
 * as a count.
 */
export type ColumnFormat = 'percent' | 'share' | 'number' | 'rate' | 'count';

/** Column of the table with statistics over seeds. */
export type ComparisonColumn =
  | {
      readonly name: string;
      readonly title: string;
      readonly format: ColumnFormat;
      readonly of: RunValue;
      /** True if the initial policy of the runs is measured for this column, too. */
      readonly base?: boolean;
    }
  /** Curve at some steps, as far as the comparison reaches, and at its end. */
  | { readonly name: string; readonly title: string; readonly format: 'points'; readonly steps: readonly number[] };

/** Settings of the figure of a comparison. */
export interface ComparisonDrawing {
  readonly panels: readonly { readonly metric: string; readonly title: string; readonly note: string }[];
  /** Number of updates that a point of a mean line averages. Updates with few tasks have a large variance. */
  readonly window: number;
  /**
   * True if arms without changes are labelled by the title of their rule. False if each arm is labelled by its name.
   */
  readonly titles: boolean;
  /** Colours and dashes of rules with a fixed style. Other arms receive the remaining styles in order. */
  readonly styles: Readonly<Record<string, { readonly colour: string; readonly dash: string }>>;
}

/** Rates of the warm start of a world before training. */
export interface WarmStartRates {
  /** Name of the world, if the environment has named worlds. */
  readonly world?: string;
  readonly rates: readonly BaseClaim[];
}

/** Expected rate of a warm start, with the bounds `from` and `to`. Rates with `required` are part of the acceptance. */
export interface BaseClaim {
  /** Name of the rate in the measurement. */
  readonly rate: string;
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly required: boolean;
}

/** Creates the column of a measured value, for trained policies and for their initial policy. */
export const measuredColumn = (name: string, title: string, format: ColumnFormat = 'percent'): ComparisonColumn => ({
  ...{ name, title, format, base: true },
  of: { measured: name },
});

/** Creates the column of a curve's mean over all updates of a run, or over the first or last quarter. */
export const curveColumn = (
  name: string,
  title: string,
  format: ColumnFormat,
  part?: 'first' | 'last',
): ComparisonColumn => ({
  ...{ title, format },
  name: part ? `${name}:${part}` : name,
  of: { mean: name, ...(part ? { part } : {}) },
});

/**
 * Drawing for arms with few tasks per update: lines are smoothed, and each arm has its name, because some arms have
 * changes.
 */
export const SMALL_BATCH_DRAWING = { window: 9, titles: false, styles: {} } as const;
