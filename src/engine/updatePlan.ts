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
  /** Parameters of the rule. */
  readonly parameters: ParameterValues;
  /** Credit of the batch in float64. */
  readonly exact: GroupCredit;
  /** Undefined under rules without a critic. */
  readonly critic: CriticCreditPlan | undefined;
}

/** Sequences of which a critic values all tokens with a weight, before anything is learned. */
export interface CriticCreditPlan {
  readonly valued: readonly Sequence[];
}

/** Part of the critic in an update. */
export interface CriticPlan extends CriticCreditPlan {
  /** One step of the critic before each step of the policy. They are the policy's minibatches if the critic learns at every token. */
  readonly minibatches: readonly (readonly Sequence[])[];
}

/** Everything that one update computes. */
export interface UpdatePlan extends CreditPlan {
  readonly controls: ParameterValues;
  /** Sequences on which KL to the reference is measured. */
  readonly reference: readonly Sequence[];
  /** Minibatches of the policy in the order of their steps, epoch after epoch; empty if no turn is trained on. */
  readonly minibatches: readonly (readonly Sequence[])[];
  readonly critic: CriticPlan | undefined;
  /** False while the policy waits for its critic: it takes no steps. */
  readonly learns: boolean;
  /** Share of the batch's turns that are trained on. */
  readonly retained: number;
}

/** Sums of the losses of an update. */
export interface ReportLines {
  /** KL(policy || reference) on the batch's tokens as sampled, before the update. */
  readonly reference: ReportLine;
  /** Steps of the policy; empty while it waits for its critic. */
  readonly minibatches: readonly ReportLine[];
  /** Absent under rules without a critic. */
  readonly critic?: TokenLine & { readonly minibatches: readonly ReportLine[] };
}

/** Results of an update. */
export interface UpdateReport extends ReportLines {
  readonly credit: UsedCredit;
  /** Share of the batch's turns that were trained on. */
  readonly retained: number;
  /** Digest of the parameters after the update, the critic's included; null if the bits depend on the device. */
  readonly parameterDigest: number | null;
  /** Time in which the processor recorded the update [ms]. */
  readonly encodeMs: number;
  /** Time of the credit, the critic's values included, and of the rest of the update [ms]; null if the device has no timestamps. */
  readonly creditMs: number | null;
  readonly optimizeMs: number | null;
}
