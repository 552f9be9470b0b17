import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Return } from './returns.ts';

/**
 * Result of a measurement of true advantages (docs/learn/truth.md): only data, in the form that files and messages
 * contain. Numbers that are not defined are NaN, and null in files.
 */
export interface TruthReport {
  readonly plan: TruthPlan;
  /** Groups that were played until there were enough. */
  readonly drawn: number;
  readonly histories: number;
  readonly continuations: number;
  readonly precision: Precision;
  /** Units that were resampled for the intervals: groups, or, if there is one group, its rollouts. */
  readonly resampled: 'groups' | 'rollouts';
  readonly rules: readonly MeasuredRule[];
  /** Absent where it was not asked for, or stopped before. */
  readonly gradients?: GradientReport;
  readonly groups: readonly MeasuredGroup[];
  /** Present if a run showed the group. */
  readonly selectedGroup?: ReportedGroup;
}

/** Scope of the measurement. */
export interface TruthPlan {
  readonly rules: readonly string[];
  readonly groups: number;
  /** Continuations of every history. */
  readonly continuations: number;
  readonly split: 'train' | 'held-out';
  /** Groups whose episodes all have the same outcome are drawn again, or used. */
  readonly ties: 'skip' | 'keep';
  /** Number of groups in the large batch that gradients are compared with; 0 omits gradients. */
  readonly gradientGroups: number;
  readonly counts: Return;
}

/** A group of a run, and the policy that its turns were measured under. */
export interface ReportedGroup {
  /** Updates that the policy had done when it played the group. */
  readonly step: number;
  /** Updates that the policy had done when it was measured. */
  readonly policyStep: number;
  /** Index in its batch. */
  readonly group: number;
  /** Made for looking at, not trained on. */
  readonly sampleOnly: boolean;
  /** Number of turns of the group, and number of the turns that were requested. */
  readonly turns: number;
  readonly chosen: number;
  /** Rules that cannot read the group, each with the reason. */
  readonly refused: readonly { readonly rule: string; readonly problem: string }[];
}

/** A mean that was measured. */
export interface Estimate {
  readonly mean: number;
  /** Standard error; 0 where the value is known. */
  readonly error: number;
}

/** A number with a 95 % interval; NaN where it is not defined. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Agreement between the advantages of one rule and the true advantages. */
export interface Agreement {
  readonly correlation: Interval;
  /** Correlation less that of the first rule, drawn together. */
  readonly ahead: Interval;
  /** Steps that the rule gave an advantage. */
  readonly steps: number;
  /** Those of them whose true advantage is clearly not 0. */
  readonly clear: number;
  /** Share of the clear steps with the opposite sign. */
  readonly wrong: number;
  /** Share of the clear steps with advantage 0. */
  readonly silent: number;
  /**
   * Share of the absolute credit on steps whose exact advantage is 0 (docs/reference/exact-credit.md). NaN if the true
   * advantages are measured, or if no step has advantage 0.
   */
  readonly leakage: number;
}

export interface MeasuredRule extends Agreement {
  readonly rule: string;
  readonly parameters: ParameterValues;
}

/** Precision of the measured advantages: the part of their spread that is not measurement error. */
export interface Precision {
  /** Standard deviation of the measured advantages over the steps. */
  readonly deviation: number;
  /** Root mean square of their standard errors. */
  readonly error: number;
  /**
   * 1 - error^2 / deviation^2. A correlation with the measured advantages is about its square root times the correlation
   * with the true ones (Spearman 1904).
   */
  readonly reliability: number;
}

/** Directions of the gradients of single groups, compared with the gradient of a large batch. */
export interface GradientReport {
  /** Groups of the large batch. */
  readonly groups: number;
  /** Cosine of the gradients of its even and odd batches: how well the large batch knows its own direction. */
  readonly halves: number;
  readonly rules: readonly GradientAgreement[];
}

export interface GradientAgreement {
  /** A rule, or `truth`: the same rollouts under their measured advantages. */
  readonly rule: string;
  /** Mean over the groups of the cosine with the large batch; 0 for a group without advantages. */
  readonly cosine: Interval;
  /** Cosine of the sum of the groups' gradients. */
  readonly summed: number;
  /**
   * Norm of the difference of the mean gradients under the rule and under `truth`, relative to the norm under `truth`. NaN if
   * the gradient under `truth` is 0.
   */
  readonly error: number;
  /** [groups] */
  readonly cosines: readonly number[];
}

/** One turn with its measured value before and after, and its advantages. */
export interface MeasuredTurn {
  /** Index in the group's forest. */
  readonly forestTurn: number;
  /** Rollout of the group, and turn of the rollout, from 0; a turn of several rollouts belongs to the first of them. */
  readonly rollout: number;
  readonly turn: number;
  readonly summary: string;
  readonly state?: string;
  readonly action?: string;
  /** Reward of the turn under the requested return. */
  readonly reward: number;
  /** V(h). Turns of the same history have the same one. */
  readonly before: Estimate;
  /** V of what comes after; absent on the last turn, where nothing does. */
  readonly after?: Estimate;
  /** Q(h, a) - V(h). */
  readonly advantage: Estimate;
  /** By rule; null where it pruned the turn. */
  readonly rules: Readonly<Record<string, number | null>>;
}

export interface MeasuredGroup {
  readonly question: string;
  /** [rollouts] */
  readonly outcomes: readonly number[];
  readonly turns: readonly MeasuredTurn[];
}
