import type { CreditRule } from '../credit/rule.ts';
import type { ReportLine } from '../objective/objective.ts';
import type { Sequence } from '../policy/batch.ts';
import type { CriticState } from '../policy/critic.ts';
import type { AdamWStep } from '../policy/optimizer.ts';
import type { PolicyState } from '../policy/policy.ts';
import type { PolicyConfiguration } from '../policy/policyConfiguration.ts';
import type { Continuation, Generated, SamplingSettings } from '../policy/turns.ts';
import type { ParameterLayout } from '../policy/weights.ts';
import type { RolloutBatch } from '../rollouts/rolloutBatch.ts';
import type { ExactCredit } from '../training/update/exactCredit.ts';
import type { UpdatePlan } from '../training/update/planUpdate.ts';
import type { UsedCredit } from '../training/update/tokenAdvantages.ts';
import type { UpdateReport } from '../training/update/updater.ts';

/** A sequence in its place of the table, with the log-probability of each of its tokens. */
export interface SampledSequence {
  readonly sequence: number;
  readonly logProb: ArrayLike<number>;
}

/**
 * The arithmetic of one run: a policy with its reference, its optimizer and, if a rule needs one, a critic. Calls take effect in their
 * order, also those that are not awaited.
 */
export interface Engine {
  readonly kind: 'wgsl' | 'exact';
  readonly config: PolicyConfiguration;
  readonly layout: ParameterLayout;
  readonly capacity: { readonly sequences: number; readonly rows: number };
  /** Token table [sequences, context]; the environment's tokens are written here before a turn. */
  readonly table: Uint32Array;
  /** Optimizer steps of policy and critic; 0 for a critic that does not exist. */
  readonly steps: { readonly policy: number; readonly critic: number };
  /** One turn of all open sequences. @throws {RangeError} naming the rollout that does not fit, or the setting that cannot be */
  turn(continuations: readonly Continuation[], settings: SamplingSettings): Promise<Generated>;
  /** Consecutive updates in which the critic has learned under a rule. */
  criticUpdates(rule: CreditRule): number;
  /** One update as planned: credit, reference pass, critic, minibatches, optimizer. @param exact of the plan's batch */
  update(plan: UpdatePlan, exact: ExactCredit): Promise<UpdateReport>;
  /** Advantages of a batch from which nothing is learned. @param exact of the batch */
  judge(batch: RolloutBatch, rule: CreditRule, exact: ExactCredit): Promise<UsedCredit>;
  /** Values of the critic before the tokens that a rule reads. @returns [policy tokens] */
  values(batch: RolloutBatch, rule: CreditRule): Promise<Float32Array>;
  /** Log-probabilities of the tokens with a weight, in order; nothing moves. @returns [targets] */
  logProbabilities(sequences: readonly Sequence[], of: 'policy' | 'reference'): Promise<Float32Array>;
  /** Saves the log-probabilities with which sequences were sampled again, if others were generated since. */
  recordSampled(sequences: readonly SampledSequence[]): void;
  /** The direction that raises the weighted sum of log-probabilities; nothing moves. @returns [parameters] */
  gradient(sequences: readonly Sequence[]): Promise<Float32Array>;
  /** One step of weighted cross-entropy. @returns its loss before the step */
  imitate(minibatch: readonly Sequence[], step: AdamWStep): Promise<ReportLine>;
  /** Forgets the moments of the policy's optimizer. */
  resetMoments(): void;
  /** A value network of the policy's shape: from parameters, or from the policy's trunk with a value head drawn from a seed. */
  openValueNetwork(start: { readonly parameters: Float32Array } | { readonly seed: number }): ValueNetwork;
  /** Critic and its moments included. */
  readState(): Promise<PolicyState>;
  writeState(state: PolicyState): void;
  /** Takes parameters as policy and reference, and forgets moments and critic. */
  start(parameters: Float32Array): void;
  /** Resolves with the reason when the engine is lost, for example with its device. */
  readonly lost: Promise<string>;
  destroy(): void;
}

/** A network that returns one number for a sequence, for example a reward model. */
export interface ValueNetwork {
  /** Optimizer steps done. */
  readonly steps: number;
  /** Values before the tokens with a weight; nothing moves. @returns [targets] */
  score(sequences: readonly Sequence[]): Promise<Float32Array>;
  /**
   * One step on pairs under Bradley and Terry. @param pairs the better and the worse one in turns, one target each
   * @returns its loss; as entropy the weight of the pairs in the right order
   */
  step(pairs: readonly Sequence[], step: AdamWStep): Promise<ReportLine>;
  readState(): Promise<Pick<CriticState, 'parameters' | 'firstMoment' | 'secondMoment' | 'steps'>>;
  writeState(state: Pick<CriticState, 'parameters' | 'firstMoment' | 'secondMoment' | 'steps'>): void;
  destroy(): void;
}
