import type { Occurrences } from './fileChecks.ts';

/** Kinds of findings in decreasing importance. */
export const FINDING_KINDS = [
  ...['credit-outside-mask', 'advantages-against-rewards', 'rows-are-turns', 'turn-boundaries', 'token-lists'],
  ...['repeated-rows', 'tool-given-up', 'component-farmed', 'groups-without-signal', 'truncated'],
  ...['component-constant', 'copied-rollouts'],
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** Degrees of confidence that a finding is not due to chance. */
export const CONFIDENCES = ['high', 'medium', 'low'] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/**
 * Problem in the log that requires attention. It describes the rollouts, and never the effect of another rule on
 * training.
 */
export interface Finding {
  readonly kind: FindingKind;
  readonly confidence: Confidence;
  readonly title: string;
  /** Sentences with the numbers that support the finding. */
  readonly evidence: readonly string[];
  /** Recommended next step. */
  readonly next: string;
  /** IDs of groups to read. */
  readonly groups: readonly string[];
  /** First and last step of the finding; absent if the finding does not refer to steps. */
  readonly firstStep?: number | null;
  readonly lastStep?: number | null;
}

/** Formats occurrences: "3 of 8 groups (first: a; b)". */
export function countOf({ count, examples }: Occurrences, all: number, noun: string): string {
  return `${count} of ${all} ${noun} (first: ${examples.join('; ')})`;
}

/** Formats a number with three decimals. @param signed true for advantages, which have a plus sign if positive */
export function three(value: number | null, signed = false): string {
  if (value === null) return '–';
  const rounded = Math.round(value * 1000) / 1000 + 0;
  return `${signed && rounded > 0 ? '+' : ''}${rounded.toFixed(3)}`;
}
