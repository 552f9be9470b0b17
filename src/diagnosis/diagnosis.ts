import { standardDeviation } from '../credit/arithmetic/normalize.ts';
import { endsOf, type FlatReason, flatGroupReason } from '../rollouts/flatGroups.ts';
import type { Group } from '../rollouts/forest.ts';
import type { FileChecks, Occurrences } from './fileChecks.ts';

/** Totals of the log. */
export interface RunTotals {
  groups: number;
  rollouts: number;
  turns: number;
  /** Number of groups whose rollouts cannot be compared, by reason. */
  readonly ties: Map<FlatReason, number>;
  /** ID of the first such group for each reason. */
  readonly tieExamples: Map<FlatReason, string>;
  tiedRollouts: number;
  /** Number of turns with a state, and number of these whose state another rollout of the group shares. */
  withState: number;
  sharedState: number;
  /** Number of turns whose advantages under a rule and under the rule in use have opposite signs, by rule. */
  readonly opposed: Map<string, number>;
  /**
   * Number of pairs of rollouts with different rewards, and groups in which logged advantages reverse the order of a
   * pair.
   */
  pairs: number;
  readonly reversed: Occurrences;
  readonly componentRanges: Map<string, { minimum: number; maximum: number; count: number }>;
  /** True if the components of the reward add up to the reward in all rollouts. */
  componentsAddUp: boolean;
}

/** Group that is recommended for reading, with the signals for the recommendation. */
export interface GroupToRead {
  readonly id: string;
  readonly step: number | null;
  readonly signals: GroupSignals;
}

/** Result of a diagnosis as data. */
export interface Diagnosis {
  /** "logged" for logged advantages, or the name of the rule that computes the advantages. */
  readonly ruleInUse: string;
  readonly totals: Pick<RunTotals, 'groups' | 'rollouts' | 'turns'> & {
    /** Number of groups whose rollouts cannot be compared, by reason. */
    readonly withoutSignal: Readonly<Partial<Record<FlatReason, number>>>;
  };
  readonly steps: readonly StepRow[];
  /** Rules that can read all groups. Rules with equal advantages share an entry. */
  readonly rules: readonly (readonly string[])[];
  /** Number of groups for which all rules are computed: all groups, or a sample of a large log. */
  readonly comparedGroups: number;
  /** Mean advantage over all steps by kind of turn and rule, and the number of turns. */
  readonly kinds: readonly { readonly kind: string; readonly turns: number; readonly credit: Record<string, number> }[];
  /** Number of turns whose advantages under a rule and under the rule in use have opposite signs, by rule. */
  readonly opposed: Readonly<Record<string, number>>;
  /** Share of turns whose state another rollout of the group shares, among turns with a state; null without states. */
  readonly sharedStates: number | null;
  readonly groupsToRead: readonly GroupToRead[];
  readonly findings: readonly Finding[];
}

/** Input of all findings. */
export interface Evidence {
  readonly diagnosis: Omit<Diagnosis, 'findings'>;
  /** Sums of each step, in the order of the steps. */
  readonly steps: readonly StepSums[];
  readonly totals: RunTotals;
  readonly checks: FileChecks;
}

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

/** Sum with its number of terms. */
export class Sum {
  total = 0;
  count = 0;

  add(value: number, times = 1): void {
    this.total += value * times;
    this.count += times;
  }

  /** Mean of the terms; null if there are no terms. */
  get mean(): number | null {
    return this.count === 0 ? null : this.total / this.count;
  }
}

/** Returns the sum with a name, and creates it if it does not exist. */
export function sumOf(sums: Map<string, Sum>, name: string): Sum {
  const known = sums.get(name) ?? new Sum();
  sums.set(name, known);
  return known;
}

/** Sums of one training step. Memory does not depend on the number of groups. */
export class StepSums {
  groups = 0;
  rollouts = 0;
  turns = 0;
  readonly reward = new Sum();
  /** Number of groups whose rollouts cannot be compared, by reason. */
  readonly ties = new Map<FlatReason, number>();
  /** Number of rollouts that call any tool, that call each tool, and that are truncated. */
  calling = 0;
  readonly tools = new Map<string, number>();
  truncated = 0;
  /** Sums of advantages by rule and kind of turn. */
  readonly credit = new Map<string, Map<string, Sum>>();
  /** Sums of each component of the reward, and of the reward without that component. */
  readonly components = new Map<string, Sum>();
  readonly rests = new Map<string, Sum>();
  /** Group with the largest standard deviation of outcomes. */
  widest: { readonly id: string; readonly deviation: number } | undefined;
  /** ID of the first group in which a rollout calls a tool. */
  firstCalling: string | undefined;

  constructor(readonly step: number | null) {}
}

/** Numbers of a training step for the table. A mean without terms is null. */
export interface StepRow {
  readonly step: number | null;
  readonly groups: number;
  readonly rollouts: number;
  readonly turns: number;
  readonly reward: number | null;
  /** Share of rollouts that call any tool, and share that call each tool [0 to 1]. */
  readonly calls: number;
  readonly tools: Readonly<Record<string, number>>;
  readonly truncated: number;
  /** Number of groups whose rollouts cannot be compared, by reason. */
  readonly ties: Readonly<Partial<Record<FlatReason, number>>>;
  /** Mean advantage, under the rule in use, of turns that call a tool and of turns in rollouts without a call. */
  readonly creditOfCall: number | null;
  readonly creditOfAnswer: number | null;
  /** Mean advantage by rule and kind of turn. */
  readonly credit: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly components: Readonly<Record<string, number>>;
}

/** Absolute advantage below which the sign is undefined. */
const ZERO = 1e-9;

/** Signals that determine in which order groups are read. */
export interface GroupSignals {
  /** Standard deviation of the outcomes. */
  readonly deviation: number;
  /** Reason why the rollouts cannot be compared; undefined if they can. */
  readonly tie: FlatReason | undefined;
  /** Share of turns whose advantages under the two rules have opposite signs [0 to 1]. */
  readonly opposed: number;
  /** Names of the rule in use and of the rule that it is compared with; empty if there is no second rule. */
  readonly rules: readonly string[];
}

/** Advantages of a group under one rule. */
export interface NamedCredit {
  readonly rule: string;
  /** [turns] */
  readonly advantage: ArrayLike<number>;
}

/** Computes the signals of a group under two rules. @param compared undefined if there is no second rule */
export function groupSignals(group: Group, used?: NamedCredit, compared?: NamedCredit): GroupSignals {
  const turns = group.turns.length;
  const outcomes = endsOf(group).flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
  return {
    deviation: standardDeviation(outcomes),
    tie: flatGroupReason(group),
    opposed: used && compared && turns > 0 ? opposedTurns(used.advantage, compared.advantage) / turns : 0,
    rules: used && compared ? [used.rule, compared.rule] : [],
  };
}

/** Returns the number of turns whose advantages have opposite signs. */
export function opposedTurns(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let count = 0;
  for (let turn = 0; turn < a.length; turn++)
    if ((a[turn] > ZERO && b[turn] < -ZERO) || (a[turn] < -ZERO && b[turn] > ZERO)) count++;
  return count;
}

/** Compares groups by disagreement, then by deviation. Groups whose rollouts cannot be compared come last. */
export function byInterest(a: GroupSignals, b: GroupSignals): number {
  return (
    Number(a.tie !== undefined) - Number(b.tie !== undefined) || b.opposed - a.opposed || b.deviation - a.deviation
  );
}

/** Sort orders of groups. */
export const GROUP_SORTS = ['file', 'disagreement', 'deviation', 'ties'] as const;
export type GroupSort = (typeof GROUP_SORTS)[number];

const COMPARISONS: Readonly<Record<GroupSort, (a: GroupSignals, b: GroupSignals) => number>> = {
  file: () => 0,
  disagreement: byInterest,
  deviation: (a, b) => b.deviation - a.deviation,
  ties: (a, b) => Number(b.tie !== undefined) - Number(a.tie !== undefined),
};

/** Returns [groups] the indices of the groups in a sort order. Equal groups remain in the order of the file. */
export function sortedGroups(signals: readonly GroupSignals[], sort: GroupSort): readonly number[] {
  const compare = COMPARISONS[sort];
  return signals.map((_, index) => index).sort((a, b) => compare(signals[a], signals[b]));
}

/**
 * Returns the index of the group to read first; of equal groups, the index of the first. Returns 0 if there are no
 * groups.
 */
export function firstToRead(signals: readonly GroupSignals[]): number {
  return signals.reduce((best, group, index) => (byInterest(group, signals[best]) < 0 ? index : best), 0);
}
