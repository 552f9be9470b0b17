import type { CreditRule } from '../credit/rule.ts';
import type { ReportLine } from '../objective/objective.ts';
import type { TokenLine } from '../objective/valueObjective.ts';
import type { ParameterValues } from '../parameters/parameters.ts';
import type { Sequence } from '../policy/batch.ts';
import type { RolloutBatch } from '../rollouts/rolloutBatch.ts';
import type { GroupCredit, UsedCredit } from './usedCredit.ts';

/** Inputs of the credit of a batch. */
export interface CreditPlan {
  readonly batch: RolloutBatch;
  readonly rule: CreditRule;
  /** Values of the rule's parameters. */
  readonly parameters: ParameterValues;
  /** Credit of the batch in float64. */
  readonly exact: GroupCredit;
  /** Sequences for the critic; undefined under rules without a critic. */
  readonly critic: CriticCreditPlan | undefined;
}

/** Sequences that a critic values before an update, at all tokens with a weight. */
export interface CriticCreditPlan {
  readonly valued: readonly Sequence[];
}

/** Part of an update that concerns the critic. */
export interface CriticPlan extends CriticCreditPlan {
  /**
   * Minibatches of the critic, one before each step of the policy. They equal the policy's minibatches if the critic
   * learns at every token.
   */
  readonly minibatches: readonly (readonly Sequence[])[];
}

/** Inputs of one update. */
export interface UpdatePlan extends CreditPlan {
  readonly controls: ParameterValues;
  /** Sequences on which the KL to the reference is measured. */
  readonly reference: readonly Sequence[];
  /** Minibatches of the policy in the order of their steps, epoch after epoch; empty if no turn is trained on. */
  readonly minibatches: readonly (readonly Sequence[])[];
  readonly critic: CriticPlan | undefined;
  /** False while the policy waits for its critic and takes no steps. */
  readonly learns: boolean;
  /** Share of the batch's turns that are trained on, 0 to 1. */
  readonly retained: number;
}

/** Sums of the losses of an update. */
export interface ReportLines {
  /** KL(policy || reference) on the sampled tokens of the batch, before the update. */
  readonly reference: ReportLine;
  /** Steps of the policy; empty while the policy waits for its critic. */
  readonly minibatches: readonly ReportLine[];
  /** Explained variance and steps of the critic; absent under rules without a critic. */
  readonly critic?: TokenLine & { readonly minibatches: readonly ReportLine[] };
}

/** Results of an update. */
export interface UpdateReport extends ReportLines {
  readonly credit: UsedCredit;
  /** Share of the batch's turns that were trained on, 0 to 1. */
  readonly retained: number;
  /** Digest of the parameters after the update, including the critic's; null if the bits depend on the device. */
  readonly parameterDigest: number | null;
  /** CPU time of recording the update [ms]. */
  readonly encodeMs: number;
  /** Time of the credit, including the critic's values [ms]; null if the device has no timestamps. */
  readonly creditMs: number | null;
  /** Time of the rest of the update [ms]; null if the device has no timestamps. */
  readonly optimizeMs: number | null;
}
