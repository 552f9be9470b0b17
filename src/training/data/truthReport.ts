import type { ParameterValues } from '../../parameters/parameters.ts';

/**
 * Result of a measurement of true advantages (docs/learn/truth.md), in the form of files and messages. Undefined
 * numbers are NaN, and null in files.
 */
export interface TruthReport {
  readonly plan: TruthPlan;
  /** Number of groups that were sampled to obtain the requested groups. */
  readonly drawn: number;
  readonly histories: number;
  readonly continuations: number;
  readonly precision: Precision;
  /** Units of the resampling for the intervals: groups, or the rollouts of a single group. */
  readonly resampled: 'groups' | 'rollouts';
  readonly rules: readonly MeasuredRule[];
  /** Absent if gradients were not requested or the measurement stopped before. */
  readonly gradients?: GradientReport;
  readonly groups: readonly MeasuredGroup[];
  /** Group of a run that was selected for the measurement; absent for measurements of newly sampled groups. */
  readonly selectedGroup?: ReportedGroup;
}

/** Scope of the measurement. */
export interface TruthPlan {
  readonly rules: readonly string[];
  readonly groups: number;
  /** Number of continuations of each history. */
  readonly continuations: number;
  readonly split: 'train' | 'held-out';
  /** `skip`: a group whose episodes all have the same outcome is replaced by another group. `keep`: it is used. */
  readonly ties: 'skip' | 'keep';
  /** Number of groups in the large batch with which gradients are compared; 0 omits gradients. */
  readonly gradientGroups: number;
  readonly counts: Return;
}

/** Group of a run, and the policy of its measurement. */
export interface ReportedGroup {
  /** Step of the policy that sampled the group [updates]. */
  readonly step: number;
  /** Step of the measured policy [updates]. */
  readonly policyStep: number;
  /** Index of the group in its batch. */
  readonly group: number;
  /** True if the group was sampled for inspection, without training. */
  readonly sampleOnly: boolean;
  /** Number of turns of the group (`turns`), and number of requested turns (`chosen`). */
  readonly turns: number;
  readonly chosen: number;
  /** Rules that cannot read the group, with the reason. */
  readonly refused: readonly { readonly rule: string; readonly problem: string }[];
}

/** Measured mean with its standard error. */
export interface Estimate {
  readonly mean: number;
  /** Standard error; 0 for an exact value. */
  readonly error: number;
}

/** Number with a 95 % interval; NaN if it is not defined. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Agreement between the advantages of one rule and the true advantages. */
export interface Agreement {
  readonly correlation: Interval;
  /** Correlation minus the correlation of the first rule, from the same resamples. */
  readonly ahead: Interval;
  /** Number of turns with an advantage under the rule. */
  readonly steps: number;
  /** Number of these turns whose true advantage is clearly not 0. */
  readonly clear: number;
  /** Share of the clear turns whose advantage has the opposite sign, 0 to 1. */
  readonly wrong: number;
  /** Share of the clear turns with advantage 0, 0 to 1. */
  readonly silent: number;
  /**
   * Share of the absolute credit on turns whose exact advantage is 0 (docs/reference/exact-credit.md). NaN if the true
   * advantages are measured, or if no turn has exact advantage 0.
   */
  readonly leakage: number;
}

export interface MeasuredRule extends Agreement {
  readonly rule: string;
  readonly parameters: ParameterValues;
}

/** Precision of the measured advantages: the part of their variance that is not measurement error. */
export interface Precision {
  /** Standard deviation of the measured advantages over the turns. */
  readonly deviation: number;
  /** Root mean square of their standard errors. */
  readonly error: number;
  /**
   * 1 - error^2 / deviation^2. A correlation with the measured advantages is about the square root of the reliability
   * times the correlation with the true advantages (Spearman 1904).
   */
  readonly reliability: number;
}

/** Comparison of the gradient directions of single groups with the gradient of a large batch. */
export interface GradientReport {
  /** Number of groups in the large batch. */
  readonly groups: number;
  /** Cosine between the gradients of its even and odd batches: the precision of its direction. */
  readonly halves: number;
  readonly rules: readonly GradientAgreement[];
}

export interface GradientAgreement {
  /** Name of a rule, or `truth` for the measured advantages of the same rollouts. */
  readonly rule: string;
  /** Mean cosine between a group and the large batch. The cosine of a group without advantages is 0. */
  readonly cosine: Interval;
  /** Cosine between the sum of the groups' gradients and the large batch. */
  readonly summed: number;
  /**
   * Norm of the difference between the mean gradients under the rule and under `truth`, relative to the norm under
   * `truth`. NaN if the gradient under `truth` is 0.
   */
  readonly error: number;
  /** [groups] cosine of each group. */
  readonly cosines: readonly number[];
}

/** Turn with its measured values and its advantages. */
export interface MeasuredTurn {
  /** Index of the turn in the forest of the group. */
  readonly forestTurn: number;
  /** Index of the rollout in the group, and of the turn in the rollout. A shared turn belongs to its first rollout. */
  readonly rollout: number;
  readonly turn: number;
  readonly summary: string;
  readonly state?: string;
  readonly action?: string;
  /** Reward of the turn under the requested return. */
  readonly reward: number;
  /** V(h), equal for turns with the same history. */
  readonly before: Estimate;
  /** V after the turn; absent on the last turn. */
  readonly after?: Estimate;
  /** Q(h, a) - V(h). */
  readonly advantage: Estimate;
  /** Advantage by rule; null if the rule pruned the turn. */
  readonly rules: Readonly<Record<string, number | null>>;
}

export interface MeasuredGroup {
  readonly question: string;
  /** [rollouts] outcome of each rollout. */
  readonly outcomes: readonly number[];
  readonly turns: readonly MeasuredTurn[];
}

/** Commands of the page to the worker about true advantages; part of the protocol (protocol.ts). */
export type TruthCommand =
  | { readonly type: 'measure-truth'; readonly request: TruthRequest }
  /**
   * Ends the measurement after the current batch of continuations. The worker sends the results that are complete.
   */
  | { readonly type: 'cancel-truth' };

/** Messages of the worker about a measurement. Each requested measurement ends with one `truth`. */
export type TruthMessage =
  | {
      readonly type: 'truth-progress';
      readonly stage: TruthStage;
      /** Number of finished work items: batches of continuations, batches of the large batch, and gradients. */
      readonly done: number;
      readonly total: number;
      /** Results so far, sent at intervals. */
      readonly report?: TruthReport;
    }
  | {
      readonly type: 'truth';
      readonly ended: 'complete' | 'cancelled' | 'failed';
      /** Absent if no result was complete. */
      readonly report?: TruthReport;
      /** Message for users, if the measurement failed. */
      readonly problem?: string;
    };

export type TruthStage = 'continuations' | 'gradients';

/** Request to measure one group of a run. */
export interface TruthRequest {
  readonly rules: readonly string[];
  /** Number of continuations of each history. */
  readonly continuations: number;
  /** Number of groups in the large batch with which gradients are compared, at least 2; 0 omits gradients. */
  readonly gradientGroups: number;
  readonly counts: Return;
  /** Identification of the group, from its view. If absent, a new group is sampled and displayed. */
  readonly of?: { readonly step: number; readonly group: number; readonly sampleOnly: boolean };
  /** Indices of turns in the group's forest; all turns if absent. */
  readonly turns?: readonly number[];
}

/** Definition of a return: its rewards and its discount. */
export interface Return {
  /** `outcome`: only the outcome of the episode. `rewards`: the outcome and the turn rewards. */
  readonly kind: 'outcome' | 'rewards';
  /** Discount per turn, 0 to 1. */
  readonly gamma: number;
  /** Bonus that is added to the reward of a validating turn. Only for `rewards`. */
  readonly bonus: number;
}
