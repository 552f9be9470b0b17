import type { RunValue } from './claim.ts';

/**
 * Comparison of rules in an environment, as data: the content of the table. Rules, controls, metrics and measured
 * values are named by strings.
 */
export interface EnvironmentComparison {
  /** Default request. Claims about single rules and the warm start use these numbers of seeds and updates. */
  readonly standard: { readonly arms: readonly string[]; readonly seeds: number; readonly steps: number };
  /** Estimated processor time of an update with its share of the measurements of the lab, on the exact engine [s]. */
  readonly seconds: number;
  /** Estimated processor time of a warm start [s]. */
  readonly startSeconds: number;
  /**
   * Worlds can be drawn again with other seeds (worldSeed, warmSeed): a seed may make a separate warm start, or take
   * turns in several worlds.
   */
  readonly freshWarmStart?: boolean;
  /** Default number of episodes of each held-out problem, if problems are measured separately. */
  readonly samples?: number;
  readonly columns: readonly ComparisonColumn[];
  /** The column of the generated amount of an update, in which arms must be equal; absent if the amount is fixed. */
  readonly budget?: string;
  readonly drawing: ComparisonDrawing;
  /**
   * Notes that explain how to read the table, in addition to those of every comparison: one or two sentences per line.
   */
  readonly notes: (measuring: Readonly<Record<string, number>>) => readonly string[];
  /** Expected rates of the warm starts, world by world; the world that runs begin in comes first. */
  readonly warmStarts?: readonly WarmStartRates[];
  /** For --help, after `compare`. */
  readonly examples: readonly string[];
}

/** `percent`: a share times 100. `rate`: a share, its mean alone. `count`: 0 or 1 of each seed, reported as a count. */
export type ColumnFormat = 'percent' | 'share' | 'number' | 'rate' | 'count';

/** A column of the table, reported over seeds. */
export type ComparisonColumn =
  | {
      readonly name: string;
      readonly title: string;
      readonly format: ColumnFormat;
      readonly of: RunValue;
      /** The policy that the runs start from was measured for it too. */
      readonly base?: boolean;
    }
  /** A curve at some steps, as far as the comparison goes, and where it ends. */
  | { readonly name: string; readonly title: string; readonly format: 'points'; readonly steps: readonly number[] };

/** Drawing of a comparison. */
export interface ComparisonDrawing {
  readonly panels: readonly { readonly metric: string; readonly title: string; readonly note: string }[];
  /** Updates that a point of a mean line is the mean of; few tasks an update scatter. */
  readonly window: number;
  /** Rules as they are go by their titles, where arms with changes are seldom among them; else every arm by its name. */
  readonly titles: boolean;
  /** Colours and dashes of rules that always have the same style; other arms take theirs in order. */
  readonly styles: Readonly<Record<string, { readonly colour: string; readonly dash: string }>>;
}

/** Rates of the warm start of a world before training. */
export interface WarmStartRates {
  /** Its name, where worlds have names. */
  readonly world?: string;
  readonly rates: readonly BaseClaim[];
}

/** A rate of a warm start. `required` rates are part of the acceptance. */
export interface BaseClaim {
  /** By the names of the measurement. */
  readonly rate: string;
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly required: boolean;
}

/** Measured value of a name, for trained policies and for the policy that they start from. */
export const measuredColumn = (name: string, title: string, format: ColumnFormat = 'percent'): ComparisonColumn => ({
  ...{ name, title, format, base: true },
  of: { measured: name },
});

/** The mean of a curve over all updates of a run, or over a quarter of them. */
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

/** Arms of few tasks an update: lines are smoothed, and arms with changes are among them. */
export const SMALL_BATCH_DRAWING = { window: 9, titles: false, styles: {} } as const;
