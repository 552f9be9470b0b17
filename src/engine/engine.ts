import type { CreditRule } from '../credit/rule.ts';
import type { EngineName } from './engineName.ts';
import type {
  AdamWStep,
  Continuation,
  CriticState,
  Generated,
  PolicyConfiguration,
  PolicyState,
  ReportLine,
  SamplingSettings,
  Sequence,
} from './shared.ts';
import type { CreditPlan, UpdatePlan, UpdateReport } from './updatePlan.ts';
import type { UsedCredit } from './usedCredit.ts';

/** A device on which engines run. Several engines may share one. */
export interface EngineDevice {
  /** Name of the engines that run on it. */
  readonly engine: EngineName;
  /** Vendor, architecture and model, if the browser says them. */
  readonly name: string;
  /** True for a software renderer, which is many times slower than a graphics card. */
  readonly software: boolean;
  /** Resolves with the reason when the device is lost or destroyed. */
  readonly lost: Promise<string>;
  /** Creates an engine with all its buffers. The policy has no parameters yet: call `start` or `writeState`. */
  createEngine(options: EngineOptions): Promise<Engine>;
  /** Compiles the kernels that every engine needs, before the first engine is created. */
  compileAhead(): Promise<void>;
  /**
   * Does work that allocates memory, and destroys its result if the memory was too small.
   * @throws {OutOfMemoryError} with the reason of the device
   */
  allocate<Result extends { destroy(): void }>(work: () => Promise<Result>): Promise<Result>;
  /** Returns the first error since the last call that no promise has reported. */
  readError(): string | undefined;
  destroy(): void;
}

/** Sizes and settings of an engine. */
export interface EngineOptions {
  /** Shape of the policy. */
  readonly config: PolicyConfiguration;
  /** Maximum number of sequences at a time, and of tokens that all of them have together. */
  readonly capacity: EngineCapacity;
  /** Maximum number of turns of a trajectory. */
  readonly maxTurns: number;
  /** Maximum number of epochs of an update, and of minibatches in all its epochs. */
  readonly largest: { readonly epochs: number; readonly minibatches: number };
  /** Credit rules that plans may have. */
  readonly rules: readonly CreditRule[];
  /** β₁ and β₂ of AdamW in updates. */
  readonly betas: readonly [number, number];
  /** Seed of the critic's value head. */
  readonly seed: number;
  /** [vocabulary] number of tokens of a turn by its first token, if the first token decides it. */
  readonly turnLengths?: readonly number[] | undefined;
}

/** Maximum number of sequences at a time, and of tokens (rows) that all of them have together. */
export interface EngineCapacity {
  readonly sequences: number;
  readonly rows: number;
}

/** A sequence at its place in the token table, with the log-probability of each of its tokens [tokens, nats]. */
export interface SampledSequence {
  readonly sequence: number;
  readonly logProb: ArrayLike<number>;
}

/**
 * The arithmetic of one run: a policy with its reference, its optimizer and, if a rule needs one, a critic. Calls take effect in
 * their order, also calls that are not awaited.
 */
export interface Engine {
  readonly device: EngineDevice;
  readonly config: PolicyConfiguration;
  readonly capacity: EngineCapacity;
  /** Token table [sequences, context]. The caller writes the environment's tokens here before a turn. */
  readonly table: Uint32Array;
  /** Optimizer steps of policy and critic, steps that are still being computed included; 0 for a critic that does not exist. */
  readonly steps: { readonly policy: number; readonly critic: number };

  /**
   * Generates one turn of sequences.
   * @throws {RangeError} naming the rollout that does not fit, or the setting that is not allowed
   */
  turn(continuations: readonly Continuation[], settings: SamplingSettings): Promise<Generated>;
  /** Compiles the kernels of a rule. Await it before `update`, `judge` and `values` with a plan of the rule. */
  prepare(rule: CreditRule): Promise<void>;
  /** Returns the number of consecutive updates, up to the last one, in which the critic has learned under a rule. */
  criticUpdates(rule: CreditRule): number;
  /**
   * Does one update: credit, reference pass, steps of the critic, steps of the policy. A number that is not finite stops all
   * further steps, until `writeState`.
   * @throws {Error} before it returns, if the plan does not fit; nothing is learned then
   */
  update(plan: UpdatePlan): Promise<UpdateReport>;
  /** Computes the credit of a batch without learning from it. */
  judge(plan: CreditPlan): Promise<UsedCredit>;
  /** Computes the values of the critic under a rule with a critic; nothing moves. @returns [policy tokens] */
  values(plan: CreditPlan): Promise<Float32Array>;
  /** Computes the log-probabilities [nats] of all tokens with a weight, in order; nothing moves. @returns [weighted tokens] */
  logProbabilities(sequences: readonly Sequence[], of: 'policy' | 'reference'): Promise<Float32Array>;
  /** Restores the log-probabilities with which sequences were sampled. Call it if other sequences were generated since. */
  recordSampled(sequences: readonly SampledSequence[]): void;
  /**
   * Computes the gradient of the sum of weight · log-probability over all tokens; nothing moves.
   * @returns [parameters] zeros if no token has a weight
   */
  gradient(sequences: readonly Sequence[]): Promise<Float32Array>;
  /** Takes one optimizer step on the sum of weight · cross-entropy. @returns the loss [nats] before the step */
  imitate(minibatch: readonly Sequence[], step: AdamWStep): Promise<ReportLine>;
  /** Computes the sum of weight · cross-entropy [nats]; nothing moves. */
  crossEntropy(sequences: readonly Sequence[]): Promise<number>;
  /** Sets the moments and the step count of the policy's optimizer to 0. */
  resetMoments(): void;
  /** Opens a value network of the policy's shape. It is part of this engine and must not outlive it. @param parameters flat, in the order of the layout */
  openValueNetwork(parameters: Float32Array): ValueNetwork;
  /** Opens a value network that can learn: the policy's trunk with a value head drawn from a seed. */
  trainValueNetwork(seed: number): Promise<TrainedValueNetwork>;
  /** Reads parameters, reference and moments, and those of the critic if there is one. */
  readState(): Promise<PolicyState>;
  writeState(state: PolicyState): void;
  /** Sets policy and reference to these parameters, the moments to 0, and removes the critic. */
  start(parameters: Float32Array): void;
  destroy(): void;
}

/** A network that returns one number before a token, for example a reward model. */
export interface ValueNetwork {
  /** Computes the values before all tokens with a weight, in order; nothing moves. @returns [weighted tokens] */
  values(sequences: readonly Sequence[]): Promise<Float32Array>;
  destroy(): void;
}

/** State of a value network and its optimizer on the processor, flat, in the order of the layout. */
export type ValueNetworkState = Omit<CriticState, 'rule' | 'updates'>;

/** A value network that learns from pairs. */
export interface TrainedValueNetwork extends ValueNetwork {
  /** Optimizer steps, steps that are still being computed included. */
  readonly steps: number;
  /**
   * Takes one optimizer step on the Bradley-Terry loss.
   * @param pairs the better and the worse sequence in turns, one token with a weight in each
   * @returns the loss [nats]; `entropy` is the weight of the pairs in the right order
   */
  step(pairs: readonly Sequence[], step: AdamWStep): Promise<ReportLine>;
  readState(): Promise<ValueNetworkState>;
  writeState(state: ValueNetworkState): void;
}
