import type { FlatReason } from '../rollouts/flatGroups.ts';
import type { FileChecks, Occurrences } from './fileChecks.ts';
import type { Finding } from './finding.ts';
import type { GroupSignals } from './groupSignals.ts';
import type { StepRow, StepSums } from './stepNumbers.ts';

/** Numbers of the whole log. */
export interface RunTotals {
  groups: number;
  rollouts: number;
  turns: number;
  /** Groups whose rollouts cannot be compared, by reason. */
  readonly ties: Map<FlatReason, number>;
  /** The first such group of each reason. */
  readonly tieExamples: Map<FlatReason, string>;
  tiedRollouts: number;
  /** Turns with a state, and those whose state another rollout of the group shares. */
  withState: number;
  sharedState: number;
  /** Turns that each rule pays and the rule in use blames, or the reverse. */
  readonly opposed: Map<string, number>;
  /** Pairs of rollouts with different rewards, and those whose logged advantages have the opposite order. */
  pairs: number;
  readonly reversed: Occurrences;
  readonly componentRanges: Map<string, { minimum: number; maximum: number; count: number }>;
  /** True if the parts of rewards add up to the reward in every rollout. */
  componentsAddUp: boolean;
}

/** A group to read, with the reason. */
export interface GroupToRead {
  readonly id: string;
  readonly step: number | null;
  readonly signals: GroupSignals;
}

/** A diagnosis as data. */
export interface Diagnosis {
  /** "logged", or the name of the rule by which the rollouts are judged. */
  readonly ruleInUse: string;
  readonly totals: Pick<RunTotals, 'groups' | 'rollouts' | 'turns'> & {
    /** Groups whose rollouts cannot be compared, by reason. */
    readonly withoutSignal: Readonly<Partial<Record<FlatReason, number>>>;
  };
  readonly steps: readonly StepRow[];
  /** Rules that read every group; rules with equal advantages share an entry. */
  readonly rules: readonly (readonly string[])[];
  /** Groups for which every rule was computed: all groups, or a sample of a large log. */
  readonly comparedGroups: number;
  /** Mean advantage over all steps by kind of turn and rule, and the number of turns. */
  readonly kinds: readonly { readonly kind: string; readonly turns: number; readonly credit: Record<string, number> }[];
  /** Turns that a rule pays and the rule in use blames, or the reverse, by rule. */
  readonly opposed: Readonly<Record<string, number>>;
  /** Share of turns with a state that another rollout of the group shares; null without states. */
  readonly sharedStates: number | null;
  readonly groupsToRead: readonly GroupToRead[];
  readonly findings: readonly Finding[];
}

/** Input of all findings. */
export interface Evidence {
  readonly diagnosis: Omit<Diagnosis, 'findings'>;
  /** In the order of steps. */
  readonly steps: readonly StepSums[];
  readonly totals: RunTotals;
  readonly checks: FileChecks;
}
