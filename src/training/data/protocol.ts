import type { ParameterValue } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { ProgramDetail, ToolDetail } from '../../rollouts/turnDetail.ts';
import type { RunConfiguration } from './configuration.ts';
import type { TruthCommand, TruthMessage } from './truthProtocol.ts';

/**
 * What the page and the training worker say to one another. The page sends a Command, the worker sends Messages;
 * nothing else passes between them. `SavedRun` is also what storage keeps and what a file of a run holds.
 */
export type Command =
  /** A run will be asked for: the device is opened, and compiles what every run needs. */
  | { readonly type: 'prepare' }
  | {
      readonly type: 'start';
      readonly configuration: RunConfiguration;
      readonly saved?: SavedRun;
      readonly play: boolean;
    }
  | { readonly type: 'play' }
  | { readonly type: 'pause' }
  /** One single update, then pause. */
  | { readonly type: 'step' }
  /** Back to step 0 of the same configuration (controls as they are now). */
  | { readonly type: 'reset' }
  | { readonly type: 'change'; readonly changes: Readonly<Record<string, ParameterValue>> }
  /** What is scheduled for later steps will not happen. */
  | { readonly type: 'drop-plan' }
  /** Samples one group with the present policy, without an update ("new sample"). */
  | { readonly type: 'sample' }
  /** Which group of the batch to show after each update (0-based); until then the first one that is not tied. */
  | { readonly type: 'show'; readonly group: number }
  /** Groups of this batch alone are shown, while the run goes on; with null those of the last one again. */
  | { readonly type: 'hold'; readonly of: { readonly step: number; readonly sampleOnly: boolean } | null }
  /** Runs the warm start on this device instead of loading the shipped checkpoint, then starts at step 0. */
  | { readonly type: 'warm-start' }
  /** Asks for a 'checkpoint' message now. */
  | { readonly type: 'save' }
  | { readonly type: 'visibility'; readonly hidden: boolean }
  | TruthCommand;

export type Message =
  | {
      readonly type: 'ready';
      /** Which of the runs that this worker was asked for it is: 1 for the first. */
      readonly run?: number;
      readonly configuration: RunConfiguration;
      readonly device: DeviceDescription;
      readonly step: number;
    }
  | { readonly type: 'status'; readonly status: Status }
  | {
      readonly type: 'warm-start';
      readonly stage: string;
      /** Which stage it is, from 1, and how many there are. */
      readonly number: number;
      readonly stages: number;
      readonly step: number;
      readonly steps: number;
      /** Steps that are left after this one, those of later stages too. */
      readonly left: number;
      readonly loss: number;
    }
  | { readonly type: 'metrics'; readonly metrics: Metrics }
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'group'; readonly group: GroupView }
  | { readonly type: 'checkpoint'; readonly saved: SavedRun }
  | { readonly type: 'problem'; readonly problem: Problem }
  | TruthMessage;

export type Status = 'loading' | 'warming' | 'playing' | 'measuring' | 'paused' | 'hidden' | 'recovering' | 'stopped';

export interface DeviceDescription {
  /** For people: vendor, architecture, device, as far as the browser tells. */
  readonly name: string;
  /** A software renderer: expect few steps a second. */
  readonly software: boolean;
}

/** Something went wrong. The run itself is never lost: `recovery` says what the page can offer. */
export interface Problem {
  readonly kind:
    | 'no-webgpu'
    | 'device-lost'
    | 'non-finite'
    | 'checkpoint'
    | 'configuration'
    | 'not-loaded'
    | 'internal';
  /** One or two sentences for a person: what happened, where, and what becomes of the run. */
  readonly message: string;
  readonly step: number;
  readonly recovery: 'none' | 'automatic' | 'last-checkpoint';
}

/** Metrics of one update; the same names in the terminal's JSON Lines. Shares are 0..1; NaN is sent as null. */
export interface Metrics {
  /** Updates done before this one: the first update is step 0. */
  readonly step: number;
  readonly rule: string;
  /** Of the search environment alone, null elsewhere, as far as `searches`. Share of rollouts with an executed tool call. */
  readonly toolUse: number | null;
  /** Share whose document contained the answer. */
  readonly retrieval: number | null;
  /** Share with the right answer. */
  readonly answer: number | null;
  /** Share with a well-formed answer. */
  readonly format: number | null;
  /** Executed tool calls a rollout, mean. */
  readonly searches: number | null;
  /** Mean over rollouts of the summed rewards of the intermediate turns (R^I). */
  readonly rewardTurn: number;
  /** Mean outcome R^O. */
  readonly rewardOutcome: number;
  /** Mean over rollouts of each reward component, by name. */
  readonly components: Readonly<Record<string, number>>;
  /** Probability that the policy puts on searching at the decision token, mean over rollouts. */
  readonly searchProbability: number | null;
  /** Mean entropy of the next-token distribution at policy tokens, nats. */
  readonly entropy: number;
  /** Mean of (old - new) log-probability at policy tokens during the update (k1) and its k3 form, nats. */
  readonly klOld: number;
  readonly klOldK3: number;
  /** KL to the warm-start policy, k1 and k3, nats. */
  readonly klReferenceK1: number;
  readonly klReference: number;
  /** Share of policy tokens whose ratio is clipped from below (A < 0) and from above (A > 0). */
  readonly clipLow: number;
  readonly clipHigh: number;
  /** Global gradient norm before clipping, and loss, mean over the step's minibatches; null while only the critic learns. */
  readonly gradientNorm: number | null;
  readonly loss: number | null;
  /** The critic's loss and gradient norm, mean over the step's minibatches; null without a critic. */
  readonly valueLoss: number | null;
  readonly valueGradientNorm: number | null;
  /** 1 - var(R - V) / var(R) over the policy's tokens before the update; null without a critic or where all R are equal. */
  readonly explainedVariance: number | null;
  /** Share of groups whose rollouts all got the same reward under the active rule; split by what they tied at. */
  readonly degenerate: number;
  readonly degenerateBest: number;
  readonly degenerateWorst: number;
  readonly degenerateOther: number;
  /** Mean |A| of turn 1 and of the last turn, as the update used them; under a token rule A is a turn's mean. */
  readonly advantageFirst: number;
  readonly advantageLast: number;
  /** Tasks of the batch, and turns sampled for them. */
  readonly tasks: number;
  readonly turns: number;
  /** Share of the turns that a task may take, running mean; decides how many tasks the next update samples on a budget. */
  readonly fill: number;
  /** Share of the turns that the update trained on: those that were neither pruned nor dropped nor without advantage. */
  readonly retained: number;
  /** What the environment alone has to tell, by the names of its facts (environmentEntries.ts). */
  readonly facts: Readonly<Record<string, number | null>>;
  /** How the policy that this update sampled with does on held-out tasks (EnvironmentEntry.heldOut); null where not measured. */
  readonly heldOut: Readonly<Record<string, number | null>> | null;
  /** Tokens that the policy sampled plus tokens it was trained on, a second. */
  readonly tokensPerSecond: number;
  readonly stepMs: number;
  readonly generateMs: number;
  /** Part of `generateMs` that verdicts were waited for. */
  readonly executeMs: number;
  /** From the last sampled token until the GPU is done: credit, optimisation, and what the CPU does for them. */
  readonly updateMs: number;
  /** Part of `updateMs` that the CPU takes to pack the batch and to record the GPU's work. */
  readonly encodeMs: number;
  /** GPU time of credit (critic's values included) and of all that follows it; null on devices without timestamps. */
  readonly creditMs: number | null;
  readonly optimizeMs: number | null;
}

/**
 * Something that happened before the update of `step`: a change by hand or by schedule, a recovery, a problem.
 * `unplanned`: changes that were scheduled for later steps will not happen.
 */
export interface RunEvent {
  readonly step: number;
  readonly kind: 'change' | 'schedule' | 'unplanned' | 'recovered' | 'stopped';
  readonly changes: Readonly<Record<string, ParameterValue>>;
  /** For people, for example "rule: mt-grpo → grpo-or". */
  readonly text: string;
}

/** One group of rollouts as the page shows it. */
export interface GroupView {
  readonly step: number;
  readonly group: number;
  readonly groups: number;
  /** Made by "new sample", not trained on. */
  readonly sampleOnly: boolean;
  readonly question: string;
  readonly rule: string;
  /** What the credit rules read of it. */
  readonly forest: Group;
  /** In the order of the forest's turns. */
  readonly rollouts: readonly RolloutView[];
}

/**
 * One sequence of the group with its tokens: a whole rollout, or, where turns start from a fresh prompt or have several
 * continuations, a part of one. All turns of all sequences are the turns of the forest.
 */
export interface RolloutView {
  readonly tokens: readonly TokenView[];
  readonly turns: readonly TurnView[];
  readonly outcome: number;
}

export interface TurnView {
  /** Index in the group's forest. */
  readonly forestTurn: number;
  readonly summary: string;
  /** Where the turn was a program. */
  readonly detail?: ProgramDetail;
  /** Where the turn called a tool. */
  readonly tool?: ToolDetail;
  readonly reward: number;
  readonly components: Readonly<Record<string, number>>;
  /** Under the active rule; under a token rule the mean over the turn's tokens. */
  readonly advantage: number;
  /** What outcome-only credit (grpo-or) gives the same rollouts; NaN in trees, of which it says nothing. */
  readonly outcomeOnlyAdvantage: number;
}

export interface TokenView {
  readonly text: string;
  readonly kind: string;
  /** Turn that wrote it, -1 for the environment's tokens. */
  readonly turn: number;
  /** Log-probability when sampled, null for the environment's tokens. */
  readonly logProb: number | null;
  /** Entropy of the distribution that it was drawn from. */
  readonly entropy: number | null;
  /** The token's own advantage under a token rule; absent where the turn's tokens share one. */
  readonly advantage?: number;
}

/** What a curve leaves out: of the updates before step `before` it has at least one in each `every`, of the others all. */
export interface Thinned {
  readonly every: number;
  readonly before: number;
}

/** A run as it is kept: everything needed to go on exactly where it stopped. */
export interface SavedRun {
  readonly configuration: RunConfiguration;
  /** Updates done. */
  readonly step: number;
  /** Policy, reference, critic where there is one, and the states of their optimisers, in one safetensors file. */
  readonly checkpoint: ArrayBuffer;
  readonly events: readonly RunEvent[];
  /**
   * In the order of their steps. A file of a run holds all updates. What the worker hands out and takes has the newest
   * alone: the page heard the others as they came, and keeps them (src/storage).
   */
  readonly metrics: readonly Metrics[];
  /** Where a file could not hold all of them. */
  readonly thinned?: Thinned;
}
