import type { ParameterValues } from '../parameters/parameters.ts';

/**
 * Claims of papers and additional questions, as declared in `src/experiments/claims/data`. Rules, controls, metrics
 * and measurements are referenced by name.
 */

/** Papers whose claims are tested. The key is the first letter of a claim's id, in upper case. */
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

/** Claim of a paper, or additional question, with the experiments that test it. */
export interface Claim {
  /** Identifier in commands, files and links, in lower case, for example `t1`. It never changes. */
  readonly id: string;
  /** Paper that makes the claim; absent for an additional question. */
  readonly paper?: Paper;
  /** Section, figure or table of the paper, or the origin of an additional question. */
  readonly place: string;
  /** Quotation from the paper, at most one line. */
  readonly quote?: string;
  /** Comparison that the paper makes; absent for an additional question. */
  readonly compared?: string;
  /** Statement of the claim in the words of this project. */
  readonly says: string;
  /** Change of the primary test or its margin after a part of the runs: what changed, when, and what was known. */
  readonly changed?: string;
  readonly experiments: readonly Experiment[];
  /** Reason why no experiment can run yet, or the part of the claim that no experiment tests. */
  readonly missing?: string;
  /** Differences from the paper in addition to the model size, one sentence each. */
  readonly differs: readonly string[];
  /**
   * Most probable reason for the result "no such gain" or "reverse", by experiment. Pages show it next to such a result.
   * It contains no numbers, because the results have them.
   */
  readonly reasons?: Readonly<Record<string, string>>;
}

/** Arms that are trained in one world, and the tests of these arms. */
export interface Experiment {
  /** Name of the experiment, unique in its claim. If a claim is about several worlds, this is the name of the world. */
  readonly name: string;
  readonly environment: string;
  /** Name of the world, if the environment has named worlds. */
  readonly world?: string;
  /** Differences from the settings of the world, for all arms. `controls` has the differences from its controls. */
  readonly settings?: ParameterValues;
  readonly controls?: ParameterValues;
  /**
   * Settings of the measurement of policies that differ from the defaults (`compare --iterations 5 --strata 8`).
   */
  readonly measuring?: Readonly<Record<string, number>>;
  /** Arms in the syntax of `compare --rules`, for example `verpo:norm=std`. */
  readonly arms: readonly string[];
  /** Number of updates of each run. */
  readonly steps: number;
  /** True if the experiment measures times. No other work may run on the machine meanwhile. */
  readonly idle?: true;
  /**
   * Switches between arms (`compare --switch`, `--habit`). Each arm, or each arm in `from`, changes to each other arm
   * at the steps `at`. With `habit`, a run starts with this number of updates under the arm to which it later returns.
   */
  readonly switch?: { readonly at: readonly number[]; readonly habit?: number; readonly from?: readonly string[] };
  /**
   * Number of seeds: `SEEDS.primary` if the experiment has a primary test, else `SEEDS.secondary`. Arms outside primary
   * tests have `SEEDS.secondary` seeds.
   */
  readonly seeds: number;
  /**
   * Maximum number of worlds. It is the largest number of seeds, because each seed has a separate world and warm start.
   */
  readonly worlds: number;
  readonly tests: readonly ClaimTest[];
}

/** Numbers of seeds: for arms of a primary test, for all other arms, and for the interim analysis of a primary test. */
export const SEEDS = { primary: 20, secondary: 10, interim: 10 } as const;

/** Test of a claim on values of runs. */
export type ClaimTest = TestKind & {
  /** True for the test that decides the claim. It is chosen before the runs. */
  readonly primary?: true;
  /** True if the result follows from the formulas, whatever the runs. */
  readonly byArithmetic?: true;
  /** Difference in the information that is available to the two sides. */
  readonly unequal?: string;
};

type TestKind =
  | ({ readonly kind: 'paired' } & PairedTest)
  | ({ readonly kind: 'seeds' } & SeedsTest)
  | ({ readonly kind: 'switch' } & SwitchTest)
  | ({ readonly kind: 'pooled' } & PooledTest);

/** Number computed from a trained run. */
export type RunValue =
  /** Value that is measured on the trained policy, by name. */
  | { readonly measured: string }
  /** Mean of a curve over all updates. */
  | {
      readonly mean: string;
      /** Quarter of the updates to average; all updates if absent. */
      readonly part?: 'first' | 'last';
      /** Name of a control by whose value the mean is multiplied. */
      readonly times?: string;
      /** Factor of the mean, for example .5 for half of it. */
      readonly scale?: number;
      /** Name of another curve by whose mean the value is divided. */
      readonly over?: string;
    }
  /** Mean over the last updates of a curve; with `below`, 1 if this mean is less than `below`, else 0. */
  | { readonly end: string; readonly below?: number }
  /** First value of a curve. Its update is sampled before the policy learns anything. */
  | { readonly start: string }
  /**
   * Number of updates until a curve, averaged over neighbouring updates, first reaches a value; NaN if it never does.
   */
  | { readonly curve: string; readonly reaches: number }
  /** Same as above, but the number of all updates of the run if the curve never reaches the value. */
  | { readonly curve: string; readonly within: number };

/** Bounds of a number. `above` and `below` are exclusive; `from` and `to` are inclusive. */
export interface Bounds {
  readonly above?: number;
  readonly below?: number;
  readonly from?: number;
  readonly to?: number;
}

/** Arm that a test is about: a rule with exactly these parameters changed. */
export interface Side {
  readonly rule: string;
  /** Changed values, by the names of a run's controls. */
  readonly changes: ParameterValues;
}

/** Test that one side has a higher value than the other, seed by seed. A side is an arm or a fixed number. */
export interface PairedTest {
  readonly statement: string;
  readonly higher: Side | number;
  readonly lower: Side | number;
  readonly of: RunValue;
  /** Value of the lower side, if it is not `of`. */
  readonly lowerOf?: RunValue;
  /**
   * Two further sides whose difference is subtracted, which gives a difference of differences. With `in`, the sides
   * belong to another experiment of the claim, by its name, at the same seeds. The arms of that experiment can have
   * other warm starts.
   *
   * If one side here and one side above are numbers, the test compares an arm of one experiment with an arm of the
   * other.
   */
  readonly less?: { readonly higher: Side | number; readonly lower: Side | number; readonly in?: string };
  /** Value of the two sides of `less`, if it is not `of`. */
  readonly lessOf?: RunValue;
  /**
   * Hypothesis, which follows from the statement of the paper. `more`: the difference is above the margin. `keeps`: the
   * difference is at most the margin below 0. The margin is set before the runs.
   */
  readonly hypothesis: 'more' | 'keeps';
  /** Smallest effect of interest for the measure. Both hypotheses use the same margin. */
  readonly margin: number;
  /** Threshold that maps values to 1 (above) or 0 (not above). The test is then exact (McNemar). */
  readonly binary?: number;
  /** Unit of the values. If absent, the values are shares and are reported in points. */
  readonly unit?: 'updates' | 'searches' | 'rollouts' | 'ms' | 'of the slope' | 'of the advantage' | 'ppm of an update';
}

/**
 * Test that an arm meets bounds in more than a given share of its seeds. The bounds apply to final metrics and to
 * measured values of the trained policies.
 */
export interface SeedsTest {
  readonly rule: string;
  readonly statement: string;
  /** Share of all seeds that the claim must exceed, 0 to 1. */
  readonly share: number;
  /** Bounds of the mean over the last updates, by metric. */
  readonly ends?: Readonly<Record<string, Bounds>>;
  /** Bounds of measured values of the trained policy, by name. */
  readonly measured?: Readonly<Record<string, Bounds>>;
}

/** Test of the behaviour of a run after its switch to another rule. */
export interface SwitchTest {
  readonly from: string;
  readonly to: string;
  /** True if the runs started under the rule to which they return; absent if they did not. */
  readonly habit?: true;
  readonly statement: string;
  /** Share of all seeds that the claim must exceed at each switch step, 0 to 1. */
  readonly share: number;
  /** First switch step that the claim is about. */
  readonly since: number;
  /**
   * Metric that must come within `bounds` in `within` updates after the switch. It is averaged over neighbouring
   * updates.
   */
  readonly metric: string;
  readonly within: number;
  readonly bounds: Bounds;
}

/** Test of a share of items, counted over all seeds. The items are held-out problems, for example. */
export interface PooledTest {
  readonly rule: string;
  readonly statement: string;
  /** Name of the measured share of items. `outOf` is the name of the measured number of items. */
  readonly share: string;
  readonly outOf: string;
  /** Share that the claim must exceed, 0 to 1. */
  readonly above: number;
  /** Minimum number of items. With fewer items the claim is undecided. */
  readonly minimum: number;
}
