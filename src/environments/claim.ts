import type { ParameterValues } from '../parameters/parameters.ts';

/**
 * Claims of papers and questions of the project, as `src/experiments/claims/data` has them. Rules, controls, metrics and
 * measurements are named by strings.
 */

/** The papers whose claims are tested, by the letter that their claims begin with. */
export const PAPERS = {
  T: {
    name: 'Turn-level rewards',
    title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
    reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821v2',
  },
  M: {
    name: 'Murphy',
    title: 'Murphy: Feedback-Aware GRPO with Retrospective Credit Assignment for Multi-Turn Code Generation',
    reference: 'Ekbote, Lingam et al. 2025, arXiv 2511.07833v3',
  },
  V: {
    name: 'VeRPO',
    title: 'VeRPO: Verifiable Dense Reward Policy Optimization for Code Generation',
    reference: 'Wang, Wu et al. 2026, arXiv 2601.03525v2',
  },
  R: {
    name: 'RTMC',
    title: 'RTMC: Step-Level Credit Assignment via Rollout Trees',
    reference: 'Wang, Zheng, Xu 2026, arXiv 2604.11037v1',
  },
} as const;

export type Paper = keyof typeof PAPERS;

/** A claim of a paper, or a question of the project, and the experiments that test it. */
export interface Claim {
  /** In commands, files and links, lower case: `t1`. It never changes. */
  readonly id: string;
  /** Absent for a question of the project. */
  readonly paper?: Paper;
  /** Section, figure or table of the paper; the origin of a question of the project. */
  readonly place: string;
  /** The words of the paper, at most a line. */
  readonly quote?: string;
  /** The comparison in the paper; absent for a question of the project. */
  readonly compared?: string;
  /** The sentence, in our words. */
  readonly says: string;
  readonly experiments: readonly Experiment[];
  /** Why no experiment can be run yet, or which part of the claim none of them is about. */
  readonly missing?: string;
  /** Differences from the paper in addition to the size, one sentence each. */
  readonly differs: readonly string[];
}

/** Arms that are trained in one world, and the tests of them. */
export interface Experiment {
  /** Unique in its claim; the name of its world, where claims are about several. */
  readonly name: string;
  readonly environment: string;
  /** The named world, where worlds have names. */
  readonly world?: string;
  /** Differences from the settings and controls of that world, for all arms. */
  readonly settings?: ParameterValues;
  readonly controls?: ParameterValues;
  /**
   * Settings of the measurement of policies, if they differ from the defaults (`compare --iterations 5 --strata 8`).
   */
  readonly measuring?: Readonly<Record<string, number>>;
  /** As in `compare --rules`: `verpo:norm=std`. */
  readonly arms: readonly string[];
  /** Updates of a run. */
  readonly steps: number;
  /** The experiment measures times, so no other work may run on the machine. */
  readonly idle?: true;
  /** Steps at which each arm (those of `from` only) becomes each other one (`compare --switch`, `--habit`). */
  readonly switch?: { readonly at: readonly number[]; readonly habit?: number; readonly from?: readonly string[] };
  /** Seeds of the arms of a primary test: SEEDS.primary where it has one, else SEEDS.other; other arms have SEEDS.other. */
  readonly seeds: number;
  /** As many as there may be seeds: every seed has a separate world and warm start. */
  readonly worlds: number;
  readonly tests: readonly ClaimTest[];
}

/** Seeds of an arm in a primary test, and of all others; and the seeds of the interim analysis of a primary test. */
export const SEEDS = { primary: 20, secondary: 10, interim: 10 } as const;

/** One question to the numbers. */
export type ClaimTest = TestKind & {
  /** The one test that decides the claim, named before the runs. */
  readonly primary?: true;
  /** It follows from the formulas, whatever the runs. */
  readonly byArithmetic?: true;
  /** Difference in the information that the two sides see. */
  readonly unequal?: string;
};

type TestKind =
  | ({ readonly kind: 'paired' } & PairedTest)
  | ({ readonly kind: 'seeds' } & SeedsTest)
  | ({ readonly kind: 'switch' } & SwitchTest)
  | ({ readonly kind: 'pooled' } & PooledTest);

/** A number of a trained run. */
export type RunValue =
  /** Value that was measured of the trained policy. */
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
  /** End of a curve; with `below`, 1 if the end is less than `below`, else 0. */
  | { readonly end: string; readonly below?: number }
  /** Start of a curve: its first update, sampled before the policy learned anything. */
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
  /** Values by the names of a run's controls. */
  readonly changes: ParameterValues;
}

/** One arm does better than another, or than a number (or a number than an arm), seed by seed. */
export interface PairedTest {
  readonly statement: string;
  readonly higher: Side | number;
  readonly lower: Side | number;
  readonly of: RunValue;
  /** Value of the lower side that is compared, if it is another number of the run. */
  readonly lowerOf?: RunValue;
  /**
   * Two further arms, whose difference is taken off: a difference of differences. With `in` they are those of another experiment of
   * the claim, by its name, at the same seeds; its arms may begin with other warm starts. Numbers in the place of one arm here and one
   * there hold an arm of the one against an arm of the other.
   */
  readonly less?: { readonly higher: Side | number; readonly lower: Side | number; readonly in?: string };
  /** Value of those two that is compared, if it is another number of the run. */
  readonly lessOf?: RunValue;
  /**
   * more: the difference is above the margin. keeps: it is no further below 0 than the margin. What the paper says
   * decides which; the margin is set before a run.
   */
  readonly hypothesis: 'more' | 'keeps';
  /** The smallest effect of interest of the measure, the same for both hypotheses. */
  readonly margin: number;
  /** Values count as 1 above this bound and as 0 below it: the test is exact then (McNemar). */
  readonly binary?: number;
  /** Unit of the numbers; if absent, the numbers are shares and are reported in points. */
  readonly unit?: 'updates' | 'searches' | 'rollouts' | 'ms' | 'of the slope';
}

/** Ends of the curves of an arm, and the behaviour of its policies afterwards, in a given share of the seeds. */
export interface SeedsTest {
  readonly rule: string;
  readonly statement: string;
  /** The claim is about more than this share of all seeds. */
  readonly share: number;
  /** By the names of metrics: the mean over the last updates. */
  readonly ends?: Readonly<Record<string, Bounds>>;
  /** By the names of what is measured of a trained policy. */
  readonly measured?: Readonly<Record<string, Bounds>>;
}

/** Behaviour of a run after its switch to another rule. */
export interface SwitchTest {
  readonly from: string;
  readonly to: string;
  /** Of runs that began as the arm that they come back to; of those that did not where absent. */
  readonly habit?: true;
  readonly statement: string;
  /** The claim is about more than this share of all seeds, at every step of the switch. */
  readonly share: number;
  /** The first step of the switch that it is about. */
  readonly since: number;
  /** The metric, averaged over neighbouring updates, comes within the bounds in so many updates. */
  readonly metric: string;
  readonly within: number;
  readonly bounds: Bounds;
}

/** Share of things to which something happens, counted over all seeds. */
export interface PooledTest {
  readonly rule: string;
  readonly statement: string;
  /** Names of measurements: the share to which it happens, and the number of things. */
  readonly share: string;
  readonly outOf: string;
  /** The claim is about more than this share. */
  readonly above: number;
  /** Fewer things decide nothing. */
  readonly minimum: number;
}
