/**
 * How rules are compared in an environment, as data: what the table has, and which claims are put to the test. Rules,
 * controls, metrics and what a measurement finds are named by strings.
 */
export interface EnvironmentComparison {
  /** What is asked for unless told otherwise; claims about single rules and the warm start are about so many seeds and updates. */
  readonly standard: { readonly arms: readonly string[]; readonly seeds: number; readonly steps: number };
  /** Worlds can be drawn anew (worldSeed, warmSeed): a seed may make a warm start of its own, or take turns in several worlds. */
  readonly freshWarmStart?: boolean;
  /** Episodes of each held-out problem, unless told otherwise; where problems are measured one by one. */
  readonly samples?: number;
  readonly columns: readonly ComparisonColumn[];
  /** The column of what an update generates, which arms must have alike; absent where it is fixed. */
  readonly budget?: string;
  readonly drawing: ComparisonDrawing;
  /** How the table is to be read, beside what holds of every comparison: one sentence or two a line. */
  readonly notes: (measuring: Readonly<Record<string, number>>) => readonly string[];
  readonly claims: ComparisonClaims;
  /** For --help, after `compare`. */
  readonly examples: readonly string[];
}

/** A number of a trained run. */
export type RunValue =
  /** What was measured of the trained policy. */
  | { readonly measured: string }
  /** The mean of a curve over all updates, or over a quarter of them; times a control of the run. */
  | { readonly mean: string; readonly part?: 'first' | 'last'; readonly times?: string }
  /** Where a curve ends; with `below` 1 where that is less, else 0. */
  | { readonly end: string; readonly below?: number }
  /** Updates until a curve, averaged over its neighbours, first reaches a value; nothing where it never does. */
  | { readonly curve: string; readonly reaches: number };

/** percent: a share times 100. rate: a share, its mean alone. tally: 0 or 1 of each seed, told as a count. */
export type ColumnFormat = 'percent' | 'share' | 'number' | 'rate' | 'tally';

/** A column of the table, told over seeds. */
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

/** What is drawn of a comparison. */
export interface ComparisonDrawing {
  readonly panels: readonly { readonly metric: string; readonly title: string; readonly note: string }[];
  /** Updates that a point of a mean line is the mean of; few tasks an update scatter. */
  readonly window: number;
  /** Rules as they are go by their titles, where arms with changes are seldom among them; else every arm by its name. */
  readonly titles: boolean;
  /** Colours and dashes of rules that always look alike; other arms take theirs in order. */
  readonly styles: Readonly<Record<string, { readonly colour: string; readonly dash: string }>>;
}

/** What is put to the test: claims of papers, which a paper's or rule's name stands before, and questions of our own. */
export interface ComparisonClaims {
  /** Of the standard run; of each named world where there are several, the one that runs begin in first. */
  readonly standard?: readonly WorldClaims[];
  /** Of two arms, in whatever runs have both. */
  readonly paired?: readonly PairedClaim[];
}

/** Claims about the standard run of one world. */
export interface WorldClaims {
  /** Its name, where worlds have names. */
  readonly world?: string;
  /** Of the warm start. */
  readonly base?: readonly BaseClaim[];
  /** Of single rules. */
  readonly rules: readonly RuleClaim[];
  /** Of runs that become another rule on their way. */
  readonly switches?: readonly SwitchClaim[];
}

/** Bounds of a number; `above` and `below` leave the bound itself out. */
export interface Bounds {
  readonly above?: number;
  readonly below?: number;
  readonly from?: number;
  readonly to?: number;
}

/** What a warm start does before training. `required` rates are part of the acceptance. */
export interface BaseClaim {
  /** By the names of the measurement. */
  readonly rate: string;
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly required: boolean;
}

/** Where the curves of a rule end, and what its policies do afterwards. */
export interface RuleClaim {
  readonly rule: string;
  readonly statement: string;
  /** Share of the seeds that must do so. */
  readonly share: number;
  /** By the names of metrics: the mean over the last updates. */
  readonly ends?: Readonly<Record<string, Bounds>>;
  /** By the names of what is measured of a trained policy. */
  readonly measured?: Readonly<Record<string, Bounds>>;
}

/** What a run does after it became another rule. */
export interface SwitchClaim {
  readonly from: string;
  readonly to: string;
  /** Of runs that began as the arm that they come back to; of those that did not where absent. */
  readonly habit?: true;
  readonly statement: string;
  /** Share of the seeds that must do so, of every step of the switch. */
  readonly share: number;
  /** The first step of the switch that it is about. */
  readonly since: number;
  /** The metric, averaged over neighbouring updates, comes within the bounds in so many updates. */
  readonly metric: string;
  readonly within: number;
  readonly bounds: Bounds;
}

/** An arm that a claim is about: a rule with these parameters changed and no others. */
export interface Side {
  readonly rule: string;
  /** Values by the names of a run's controls; true for any value. */
  readonly changes?: Readonly<Record<string, number | string | true>>;
}

/** One arm does better than another. */
export interface PairedClaim {
  readonly statement: string;
  readonly higher: Side;
  readonly lower: Side;
  readonly of: RunValue;
  /** How far the one may stay behind the other all the same; 0 where absent. */
  readonly margin?: number;
}

/** What was measured under a name, of trained policies and of the one that they start from. */
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
export const FEW_TASKS = { window: 9, titles: false, styles: {} } as const;
