import type { CustomRuleResult } from '../../credit/rules/custom/customRule.ts';
import type { Metrics } from '../../metrics/metricTable.ts';
import type { ParameterValue } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { ProgramDetail, ToolDetail } from '../../rollouts/turnDetail.ts';
import type { EngineName, RunConfiguration } from './configuration.ts';
import type { TruthCommand, TruthMessage } from './truthProtocol.ts';

export type { Metrics };

/** Progress of a warm start; `loss` is the weighted cross-entropy of the step's batch. */
export interface WarmStartProgress {
  readonly stage: string;
  /** Number of the stage, from 1, and number of stages. */
  readonly number: number;
  readonly stages: number;
  readonly step: number;
  readonly steps: number;
  /** Steps that are left after this one, those of later stages too. */
  readonly left: number;
  readonly loss: number;
  /** Skill that the previous try did not learn ("learned to read a document"), if the warm start begins again. */
  readonly missed?: string | undefined;
}

/**
 * Messages between the page and the training worker. The page sends a Command, and the worker sends Messages. The page
 * and the worker exchange no other data. Storage and run files also contain a `SavedRun`.
 */
export type Command = BaseCommand & Laned;

/** Runs that one worker trains at a time. */
export const MAX_LANES = 4;

/** Run of a worker that the message refers to; the first run if `lane` is absent. */
interface Laned {
  readonly lane?: number;
}

type BaseCommand =
  /** A run will be asked for: the device is opened, and compiles what every run needs. */
  | { readonly type: 'prepare'; readonly engine?: EngineName | undefined }
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
  | { readonly type: 'change'; readonly changes: Readonly<Record<string, ParameterValue>> }
  /** Cancels the changes that are scheduled for later steps. */
  | { readonly type: 'drop-plan' }
  /** Samples one group with the present policy, without an update ("new sample"). */
  | { readonly type: 'sample' }
  /** Samples groups as 'sample' does until all rollouts of one end with the same outcome, a few times at most. */
  | { readonly type: 'find-tie' }
  /** One update, then pause, as 'step'; and what it did to the turns of the group that is shown ('push'). */
  | { readonly type: 'slow-motion' }
  /** Selects the group of the batch to show after each update (0-based); until then `variedGroup` selects it. */
  | { readonly type: 'show'; readonly group: number }
  /** Shows only groups of this batch while the run continues; with null, groups of the latest batch again. */
  | { readonly type: 'hold'; readonly of: { readonly step: number; readonly sampleOnly: boolean } | null }
  /** Runs the warm start on this device instead of loading the shipped checkpoint, then starts at step 0. */
  | { readonly type: 'warm-start' }
  /** Asks for a 'checkpoint' message now. */
  | { readonly type: 'save' }
  | { readonly type: 'visibility'; readonly hidden: boolean }
  /** Maximum number of updates a second while the run plays; null for no limit. Applies to every run from then on. */
  | {
      readonly type: 'pace';
      readonly updatesPerSecond: number | null;
      /** True: every update shows a group, at any speed. It stays so until a command says false. */
      readonly everyGroup?: boolean;
    }
  /** Ends the run of this lane: the worker sends its present state and frees its memory. */
  | { readonly type: 'leave' }
  | TruthCommand;

export type Message = BaseMessage & Laned;

type BaseMessage =
  | {
      readonly type: 'ready';
      /** Number of this run among the runs that were requested from this worker: 1 for the first. */
      readonly run?: number;
      readonly configuration: RunConfiguration;
      readonly device: DeviceDescription;
      readonly step: number;
    }
  /** The run continues on another device. */
  | { readonly type: 'device'; readonly device: DeviceDescription }
  | { readonly type: 'status'; readonly status: Status }
  | ({ readonly type: 'warm-start' } & WarmStartProgress)
  | { readonly type: 'metrics'; readonly metrics: Metrics }
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'group'; readonly group: GroupView }
  /** Effect of the update on the turns of a group that is shown. */
  | { readonly type: 'push'; readonly push: GroupPush }
  /** No sample is tied. `isFlat`: some are, and their turn rewards are equal, too. */
  | { readonly type: 'no-tie'; readonly samples: number; readonly isFlat: boolean }
  | { readonly type: 'checkpoint'; readonly saved: SavedRun }
  | { readonly type: 'problem'; readonly problem: Problem }
  /** Nothing more will come of a lane. */
  | { readonly type: 'left' }
  | TruthMessage;

export type Status = 'loading' | 'warming' | 'playing' | 'measuring' | 'paused' | 'hidden' | 'recovering' | 'stopped';

export interface DeviceDescription {
  /** The engine that runs on it. */
  readonly engine: EngineName;
  /** Text for people: vendor, architecture and device, as far as the browser reports them. */
  readonly name: string;
  /** A software renderer: expect few steps a second. */
  readonly software: boolean;
}

/** Something went wrong. The run itself is never lost: `recovery` says what the page can offer. */
export interface Problem {
  readonly kind:
    | 'no-engine'
    | 'device-lost'
    | 'non-finite'
    | 'checkpoint'
    | 'configuration'
    | 'not-loaded'
    | 'rule'
    | 'internal';
  /** One or two sentences for a person: what happened, where, and what becomes of the run. */
  readonly message: string;
  readonly step: number;
  readonly recovery: 'none' | 'automatic' | 'last-checkpoint';
}

/**
 * Something that happened before the update of `step`: a change by hand or by schedule, a recovery, a problem.
 * `unplanned`: changes that were scheduled for later steps will not happen. `engine`: another engine computes the run from here on.
 * `digest`: the parameters of the saved run are not those that its last update recorded.
 */
export interface RunEvent {
  readonly step: number;
  readonly kind: 'change' | 'schedule' | 'unplanned' | 'recovered' | 'stopped' | 'engine' | 'digest';
  readonly changes: Readonly<Record<string, ParameterValue>>;
  /** For people, for example "rule: mt-grpo → grpo-or". */
  readonly text: string;
}

/** One group of rollouts as the page shows it. */
export interface GroupView {
  readonly step: number;
  readonly group: number;
  readonly groups: number;
  /** Sampled on request, not trained on. */
  readonly sampleOnly: boolean;
  /** Number of the sample, from 1. */
  readonly sample?: number;
  readonly question: string;
  readonly rule: string;
  /** Group as the credit rules read it. */
  readonly forest: Group;
  /** Result of a custom rule for the group. */
  readonly customResult?: CustomRuleResult;
  /** In the order of the forest's turns. */
  readonly rollouts: readonly RolloutView[];
}

/** Probabilities of the turns of a group before the update of a step, and after it. */
export interface GroupPush {
  readonly step: number;
  readonly group: number;
  /** [rollouts][turns] log-probability of what the turn wrote, nats. */
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
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
  /** Present if the turn was a program. */
  readonly detail?: ProgramDetail;
  /** Present if the turn called a tool. */
  readonly tool?: ToolDetail;
  readonly reward: number;
  readonly components: Readonly<Record<string, number>>;
  /** Under the active rule; under a token rule the mean over the turn's tokens. */
  readonly advantage: number;
  /** Advantage of the same rollouts under outcome-only credit (grpo-or); NaN in trees, for which it is not defined. */
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

/**
 * Updates that a curve omits. Of the updates before step `before`, the curve has at least one in each `every`. Of the
 * other updates, it has all.
 */
export interface DownsampledUpdates {
  readonly every: number;
  readonly before: number;
}

/** A saved run: everything that is necessary to continue exactly where the run stopped. */
export interface SavedRun {
  readonly configuration: RunConfiguration;
  /** Updates done. */
  readonly step: number;
  /** Policy, reference, critic where there is one, and the states of their optimisers, in one safetensors file. */
  readonly checkpoint: ArrayBuffer;
  readonly events: readonly RunEvent[];
  /**
   * In the order of their steps. A file of a run contains all updates. A `SavedRun` that the worker sends or receives
   * contains only the newest updates. The page received the other updates as they arrived, and stores them
   * (src/storage).
   */
  readonly metrics: readonly Metrics[];
  /** Present if a file could not contain all updates. */
  readonly downsampled?: DownsampledUpdates;
}
