import type { Occurrences } from './fileChecks.ts';

/** Kinds of findings, the most important first. */
export const FINDING_KINDS = [
  ...['credit-outside-mask', 'advantages-against-rewards', 'rows-are-turns', 'turn-boundaries', 'token-lists'],
  ...['repeated-rows', 'tool-given-up', 'component-farmed', 'groups-without-signal', 'truncated'],
  ...['component-constant', 'copied-rollouts'],
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** Confidence that the finding is no accident of the sample. */
export const CONFIDENCES = ['high', 'medium', 'low'] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** Something in the log that needs attention. It says what the rollouts show, never what another rule would have done to training. */
export interface Finding {
  readonly kind: FindingKind;
  readonly confidence: Confidence;
  readonly title: string;
  /** Sentences with numbers. */
  readonly evidence: readonly string[];
  /** Next step for the user. */
  readonly next: string;
  /** Groups to read. */
  readonly groups: readonly string[];
  /** Steps at which the finding begins and ends, where it has such steps. */
  readonly firstStep?: number | null;
  readonly lastStep?: number | null;
}

/** "3 of 8 groups (first: a; b)". */
export function countOf({ count, examples }: Occurrences, all: number, noun: string): string {
  return `${count} of ${all} ${noun} (first: ${examples.join('; ')})`;
}

/** A number with three digits after the point, with a sign if it is an advantage. */
export function three(value: number | null, signed = false): string {
  if (value === null) return '–';
  const rounded = Math.round(value * 1000) / 1000 + 0;
  return `${signed && rounded > 0 ? '+' : ''}${rounded.toFixed(3)}`;
}
