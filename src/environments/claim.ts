import type { ParameterValues } from '../parameters/parameters.ts';

/**
 * What is put to the test, as data: claims of papers, and findings of our own in lists of their own. Rules, controls,
 * metrics and what a measurement finds are named by strings.
 */

/** The papers whose claims are put to the test, by the letter that their claims begin with. */
export const PAPERS = {
  T: {
    name: 'Turn-level rewards',
    title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
    reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
  },
  M: {
    name: 'Murphy',
    title: 'Murphy: Multi-Turn GRPO for Self-Correcting Code Generation',
    reference: 'Ekbote, Lingam et al. 2025, arXiv 2511.07833',
  },
  V: {
    name: 'VeRPO',
    title: 'VeRPO: Verifiable Dense Reward Policy Optimization for Code Generation',
    reference: 'Wang, Wu et al. 2026, arXiv 2601.03525',
  },
  R: {
    name: 'RTMC',
    title: 'RTMC: Step-Level Credit Assignment via Rollout Trees',
    reference: 'Wang, Zheng, Xu 2026, arXiv 2604.11037',
  },
} as const;

export type Paper = keyof typeof PAPERS;

/** A claim: who makes it where, in our words, and the experiments that put it to the test. */
export interface Claim {
  /** In commands, files and links, lower case: `t1`. It never changes. */
  readonly id: string;
  /** Absent for a finding of our own. */
  readonly paper?: Paper;
  /** Section, figure or table of the paper; where the question comes from, for a finding of our own. */
  readonly place: string;
  /** The sentence, in our words. */
  readonly says: string;
  /** headline: ten seeds; ablation: five. Seeds take turns in five worlds. */
  readonly rank: 'headline' | 'ablation';
  readonly experiments: readonly Experiment[];
  /** Why no experiment can be run yet, or which part of the claim none of them is about. */
  readonly missing?: string;
  /** What differs from the paper besides the size, one sentence each. */
  readonly differs: readonly string[];
}

/** Arms that are trained in one world, and what is asked of them. */
export interface Experiment {
  /** Unique in its claim; the name of its world, where claims are about several. */
  readonly name: string;
  readonly environment: string;
  /** The named world, where worlds have names. */
  readonly world?: string;
  /** What differs from the settings and controls of that world, for all arms. */
  readonly settings?: ParameterValues;
  readonly controls?: ParameterValues;
  /** How policies are measured, where that is not as usual (`compare --iterations 5 --strata 8`). */
  readonly measuring?: Readonly<Record<string, number>>;
  /** As in `compare --rules`: `verpo:norm=std`. */
  readonly arms: readonly string[];
  /** Updates of a run. */
  readonly steps: number;
  /** Where each arm (those of `from` alone) becomes each other one (`compare --switch`, `--habit`). */
  readonly switch?: { readonly at: readonly number[]; readonly habit?: number; readonly from?: readonly string[] };
  /** Seeds an arm, and the worlds in which they take turns. */
  readonly seeds: number;
  readonly worlds: number;
  readonly tests: readonly ClaimTest[];
}

/** One question to the numbers. */
export type ClaimTest =
  | ({ readonly kind: 'paired' } & PairedTest)
  | ({ readonly kind: 'seeds' } & SeedsTest)
  | ({ readonly kind: 'switch' } & SwitchTest);

/** A number of a trained run. */
export type RunValue =
  /** What was measured of the trained policy. */
  | { readonly measured: string }
  /** The mean of a curve over all updates. */
  | {
      readonly mean: string;
      /** Over a quarter of them. */
      readonly part?: 'first' | 'last';
      /** Times a control of the run, by its name. */
      readonly times?: string;
      /** Times a number: half of it is .5. */
      readonly scale?: number;
      /** As a share of the mean of another curve. */
      readonly over?: string;
    }
  /** Where a curve ends; with `below` 1 where that is less, else 0. */
  | { readonly end: string; readonly below?: number }
  /** Where a curve begins: its first update, sampled before anything was learned. */
  | { readonly start: string }
  /** Updates until a curve, averaged over its neighbours, first reaches a value; nothing where it never does. */
  | { readonly curve: string; readonly reaches: number }
  /** The same; all updates of the run where it never does. */
  | { readonly curve: string; readonly within: number };

/** Bounds of a number; `above` and `below` leave the bound itself out. */
export interface Bounds {
  readonly above?: number;
  readonly below?: number;
  readonly from?: number;
  readonly to?: number;
}

/** An arm that a test is about: a rule with these parameters changed and no others. */
export interface Side {
  readonly rule: string;
  /** Values by the names of a run's controls; true for any value. */
  readonly changes?: Readonly<Record<string, number | string | true>>;
}

/** One arm does better than another, or than a number (or a number than an arm), seed by seed. */
export interface PairedTest {
  readonly statement: string;
  readonly higher: Side | number;
  readonly lower: Side | number;
  readonly of: RunValue;
  /** What of the lower side is compared, where that is another number of the run. */
  readonly lowerOf?: RunValue;
  /**
   * Two further arms, whose difference is taken off: a difference of differences. With `in` they are those of another experiment of
   * the claim, by its name, at the same seeds; its arms may begin with other warm starts. Numbers in the place of one arm here and one
   * there hold an arm of the one against an arm of the other.
   */
  readonly less?: { readonly higher: Side | number; readonly lower: Side | number; readonly in?: string };
  /** What of those two is compared, where that is another number of the run. */
  readonly lessOf?: RunValue;
  /**
   * more: the difference is above the margin. keeps: it is no further below 0 than the margin. What the paper says
   * decides which; the margin is set before a run.
   */
  readonly asks: 'more' | 'keeps';
  readonly margin: number;
  /** What the numbers are; shares, which are told in points, where absent. */
  readonly unit?: 'updates' | 'searches' | 'rollouts' | 'ms' | 'of the slope';
}

/** Where the curves of an arm end, and what its policies do afterwards, in so many of the seeds. */
export interface SeedsTest {
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
export interface SwitchTest {
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

/** An arm with a rule's parameters. */
export const side = (rule: string, changes?: Side['changes']): Side => (changes ? { rule, changes } : { rule });

/**
 * Headline and ablation: how many seeds over how many worlds. Both take turns in five worlds, so that a run of the one is
 * a run of the other.
 */
export const HEADLINE = { seeds: 10, worlds: 5 } as const;
export const ABLATION = { seeds: 5, worlds: 5 } as const;

/** What so many seeds leave undecided goes on to this number. */
export const FURTHER_SEEDS = 20;

/** The one is above the other by more than the margin. */
export const beats = (
  statement: string,
  higher: Side | number,
  lower: Side | number,
  of: RunValue,
  margin: number,
): ClaimTest => ({
  ...{ kind: 'paired', asks: 'more', statement, higher, lower, of, margin },
});

/** The one is no further behind the other than the margin. */
export const keeps = (
  statement: string,
  higher: Side | number,
  lower: Side | number,
  of: RunValue,
  margin: number,
): ClaimTest => ({
  ...{ kind: 'paired', asks: 'keeps', statement, higher, lower, of, margin },
});
