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
import type { CreditPlan, UpdatePlan, UpdateReport, UsedCredit } from './updatePlan.ts';

/** Device on which engines run. Several engines may share a device. */
export interface EngineDevice {
  /** Name of the engines on this device. */
  readonly engine: EngineName;
  /** Vendor, architecture and model, if the browser reports them. */
  readonly name: string;
  /** True for a software renderer, which is many times slower than a graphics card. */
  readonly software: boolean;
  /** Promise that resolves with the reason when the device is lost or destroyed. */
  readonly lost: Promise<string>;
  /** Creates an engine with all its buffers. The policy has no parameters yet: call `start` or `writeState`. */
  createEngine(options: EngineOptions): Promise<Engine>;
  /** Compiles the kernels that all engines require, before the first engine is created. */
  compileAhead(): Promise<void>;
  /**
   * Runs work that allocates memory. If the memory is too small, destroys the result of the work.
   * @throws {OutOfMemoryError} with the reason of the device
   */
  allocate<Result extends { destroy(): void }>(work: () => Promise<Result>): Promise<Result>;
  /** Returns the first error since the last call that no promise has reported; undefined without an error. */
  readError(): string | undefined;
  destroy(): void;
}

/** Sizes and settings of an engine. */
export interface EngineOptions {
  /** Shape of the policy. */
  readonly config: PolicyConfiguration;
  /** Maximum number of sequences at a time, and of tokens in all of them. */
  readonly capacity: EngineCapacity;
  /** Maximum number of turns of a trajectory. */
  readonly maxTurns: number;
  /** Maximum number of epochs of an update, and of minibatches in all its epochs. */
  readonly largest: { readonly epochs: number; readonly minibatches: number };
  /** Credit rules that plans may use. */
  readonly rules: readonly CreditRule[];
  /** β₁ and β₂ of AdamW in updates. */
  readonly betas: readonly [number, number];
  /** Seed of the critic's value head. */
  readonly seed: number;
  /** Number of tokens of a turn by its first token [vocabulary]. Undefined if the first token does not determine it. */
  readonly turnLengths?: readonly number[] | undefined;
}

/** Maximum number of sequences at a time, and of tokens (rows) in all of them. */
export interface EngineCapacity {
  readonly sequences: number;
  readonly rows: number;
}

/** Position of a sequence in the token table, with the log-probability of each token [tokens, nats]. */
export interface SampledSequence {
  readonly sequence: number;
  readonly logProb: ArrayLike<number>;
}

/**
 * Arithmetic of one run: a policy with its reference, its optimizer and, if a rule requires it, a critic. Calls take
 * effect in their order, including calls that are not awaited.
 */
export interface Engine {
  readonly device: EngineDevice;
  readonly config: PolicyConfiguration;
  readonly capacity: EngineCapacity;
  /** Token table [sequences, context]. The caller writes the environment's tokens into it before a turn. */
  readonly table: Uint32Array;
  /** Optimizer steps of policy and critic, including steps in progress; 0 if there is no critic. */
  readonly steps: { readonly policy: number; readonly critic: number };

  /**
   * Generates one turn of each sequence.
   * @throws {RangeError} that names the rollout that does not fit, or the invalid setting
   */
  turn(continuations: readonly Continuation[], settings: SamplingSettings): Promise<Generated>;
  /** Compiles the kernels of a rule. Await it before `update`, `judge` and `values` with a plan of the rule. */
  prepare(rule: CreditRule): Promise<void>;
  /** Returns the number of consecutive updates, up to the latest, in which the critic was trained under a rule. */
  criticUpdates(rule: CreditRule): number;
  /**
   * Runs one update: credit, reference pass, steps of the critic, steps of the policy. A number that is not finite
   * stops all further steps, until `writeState`.
   * @throws {Error} before the returned promise, without any training, if the plan does not fit
   */
  update(plan: UpdatePlan): Promise<UpdateReport>;
  /** Computes the credit of a batch without training on it. */
  judge(plan: CreditPlan): Promise<UsedCredit>;
  /** Computes the values of the critic under a rule with a critic. Changes no parameters. @returns [policy tokens] */
  values(plan: CreditPlan): Promise<Float32Array>;
  /**
   * Computes the log-probabilities [nats] of all tokens with a weight under the policy, in order. Changes no parameters.
   * @returns [weighted tokens]
   */
  logProbabilities(sequences: readonly Sequence[]): Promise<Float32Array>;
  /**
   * Restores the log-probabilities at which sequences were sampled. Required if other sequences were generated since.
   */
  recordSampled(sequences: readonly SampledSequence[]): void;
  /**
   * Computes the gradient of the sum of weight · log-probability over all tokens. Changes no parameters.
   * @returns [parameters] zeros if no token has a weight
   */
  gradient(sequences: readonly Sequence[]): Promise<Float32Array>;
  /** Takes one optimizer step on the sum of weight · cross-entropy. @returns the loss [nats] before the step */
  imitate(minibatch: readonly Sequence[], step: AdamWStep): Promise<ReportLine>;
  /** Computes the sum of weight · cross-entropy [nats]. Changes no parameters. */
  crossEntropy(sequences: readonly Sequence[]): Promise<number>;
  /** Sets the moments and the step count of the policy's optimizer to 0. */
  resetMoments(): void;
  /**
   * Opens a value network of the policy's shape. It is part of this engine and must not outlive it.
   * @param parameters flat, in the order of the layout
   */
  openValueNetwork(parameters: Float32Array): ValueNetwork;
  /** Opens a trainable value network: the policy's trunk with a value head whose initial values depend on the seed. */
  trainValueNetwork(seed: number): Promise<TrainedValueNetwork>;
  /** Reads parameters, reference and moments, also of the critic if there is one. */
  readState(): Promise<PolicyState>;
  writeState(state: PolicyState): void;
  /** Sets policy and reference to these parameters, the moments to 0, and removes the critic. */
  start(parameters: Float32Array): void;
  destroy(): void;
}

/** Network that returns one number before a token, for example a reward model. */
export interface ValueNetwork {
  /**
   * Computes the values before all tokens with a weight, in order. Changes no parameters. @returns [weighted tokens]
   */
  values(sequences: readonly Sequence[]): Promise<Float32Array>;
  destroy(): void;
}

/** State of a value network and its optimizer on the CPU, flat, in the order of the layout. */
export type ValueNetworkState = Omit<CriticState, 'rule' | 'updates'>;

/** Value network that is trained on pairs. */
export interface TrainedValueNetwork extends ValueNetwork {
  /** Number of optimizer steps, including steps in progress. */
  readonly steps: number;
  /**
   * Takes one optimizer step on the Bradley-Terry loss.
   * @param pairs better and worse sequences, alternating, with one weighted token in each
   * @returns the loss [nats]; `entropy` is the weight of the pairs in the correct order
   */
  step(pairs: readonly Sequence[], step: AdamWStep): Promise<ReportLine>;
  readState(): Promise<ValueNetworkState>;
  writeState(state: ValueNetworkState): void;
}
