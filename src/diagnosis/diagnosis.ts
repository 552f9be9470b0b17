import type { FlatReason } from '../rollouts/flatGroups.ts';
import type { FileChecks, Occurrences } from './fileChecks.ts';
import type { Finding } from './finding.ts';
import type { GroupSignals } from './groupSignals.ts';
import type { StepRow, StepSums } from './stepNumbers.ts';

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
