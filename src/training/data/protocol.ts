import type { CustomRuleResult } from '../../credit/rules/custom/customRule.ts';
import type { Metrics } from '../../metrics/metricTable.ts';
import type { ParameterValue } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { ProgramDetail, ToolDetail } from '../../rollouts/rolloutBatch.ts';
import type { EngineName, RunConfiguration } from './configuration.ts';
import type { TruthCommand, TruthMessage } from './truthReport.ts';

export type { Metrics };

/** Progress of a warm start. `loss` is the weighted cross-entropy of the step's batch [nats]. */
export interface WarmStartProgress {
  readonly stage: string;
  /** Number of the stage, from 1 (`number`), and number of stages (`stages`). */
  readonly number: number;
  readonly stages: number;
  readonly step: number;
  readonly steps: number;
  /** Number of remaining steps after this step, including later stages. */
  readonly left: number;
  readonly loss: number;
  /** Skill that the previous attempt did not learn ("learned to read a document"); absent in the first attempt. */
  readonly missed?: string | undefined;
}

/**
 * Command from the page to the training worker, which replies with Messages. The page and the worker exchange no other
 * data. Storage and run files also contain a `SavedRun`.
 */
export type Command = BaseCommand & Laned;

/** Maximum number of runs that one worker trains at a time. */
export const MAX_LANES = 4;

/** Index of the run in its worker to which a message refers; the first run if `lane` is absent. */
interface Laned {
  readonly lane?: number;
}

type BaseCommand =
  /** Announces a run, so that the worker opens the device and compiles the kernels that each run needs. */
  | { readonly type: 'prepare'; readonly engine?: EngineName | undefined }
  | {
      readonly type: 'start';
      readonly configuration: RunConfiguration;
      readonly saved?: SavedRun;
      readonly play: boolean;
    }
  | { readonly type: 'play' }
  | { readonly type: 'pause' }
  /** Runs a single update, then pauses. */
  | { readonly type: 'step' }
  | { readonly type: 'change'; readonly changes: Readonly<Record<string, ParameterValue>> }
  /** Cancels the changes that are scheduled for later steps. */
  | { readonly type: 'drop-plan' }
  /** Samples one group with the current policy, without an update ("new sample"). */
  | { readonly type: 'sample' }
  /** Samples groups like 'sample' until all rollouts of a group have the same outcome, or a limit is reached. */
  | { readonly type: 'find-tie' }
  /** Runs a single update like 'step', and measures its effect on the turns of the displayed group ('push'). */
  | { readonly type: 'slow-motion' }
  /** Selects the index of the group that is displayed after each update. By default, `variedGroup` selects it. */
  | { readonly type: 'show'; readonly group: number }
  /** Displays only groups of this batch while the run continues; with null, groups of the latest batch. */
  | { readonly type: 'hold'; readonly of: { readonly step: number; readonly sampleOnly: boolean } | null }
  /** Runs the warm start on this device instead of loading the shipped checkpoint, then starts at step 0. */
  | { readonly type: 'warm-start' }
  /** Requests a 'checkpoint' message. */
  | { readonly type: 'save' }
  | { readonly type: 'visibility'; readonly hidden: boolean }
  /** Limits the updates per second while a run plays; null for no limit. The limit also applies to later runs. */
  | {
      readonly type: 'pace';
      readonly updatesPerSecond: number | null;
      /** If true, each update displays a group at any speed. The value applies until another command changes it. */
      readonly everyGroup?: boolean;
    }
  /** Ends the run of this lane. The worker sends its current state and frees its memory. */
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
  /** Effect of the update on the turns of the displayed group. */
  | { readonly type: 'push'; readonly push: GroupPush }
  /** No sample was tied with different turn rewards. `isFlat`: a sample was tied, with equal turn rewards. */
  | { readonly type: 'no-tie'; readonly samples: number; readonly isFlat: boolean }
  | { readonly type: 'checkpoint'; readonly saved: SavedRun }
  | { readonly type: 'problem'; readonly problem: Problem }
  /** Last message of a lane. */
  | { readonly type: 'left' }
  | TruthMessage;

export type Status = 'loading' | 'warming' | 'playing' | 'measuring' | 'paused' | 'hidden' | 'recovering' | 'stopped';

export interface DeviceDescription {
  /** Engine that runs on the device. */
  readonly engine: EngineName;
  /** Name for users: vendor, architecture and device, if the browser reports them. */
  readonly name: string;
  /** True for a software renderer, which runs few steps per second. */
  readonly software: boolean;
}

/** Error of a run. The run is never lost; `recovery` is the recovery that the page can offer. */
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
  /** One or two sentences for the user: the error, its location, and the effect on the run. */
  readonly message: string;
  readonly step: number;
  readonly recovery: 'none' | 'automatic' | 'last-checkpoint';
}

/**
 * Event before the update of `step`: a manual or scheduled change, a recovery, or a problem.
 * `unplanned`: the changes that were scheduled for later steps are cancelled. `engine`: another engine computes the run
 * from this step on. `digest`: the parameters of the saved run differ from those that its last update recorded.
 */
export interface RunEvent {
  readonly step: number;
  readonly kind: 'change' | 'schedule' | 'unplanned' | 'recovered' | 'stopped' | 'engine' | 'digest';
  readonly changes: Readonly<Record<string, ParameterValue>>;
  /** Text for users, for example "rule: mt-grpo → grpo-or". */
  readonly text: string;
}

/** Group of rollouts in the form that the page displays. */
export interface GroupView {
  readonly step: number;
  readonly group: number;
  readonly groups: number;
  /** True if the group was sampled on request, without training. */
  readonly sampleOnly: boolean;
  /** Number of the sample, from 1; absent for a group of an update. */
  readonly sample?: number;
  readonly question: string;
  readonly rule: string;
  /** Group in the form that credit rules read. */
  readonly forest: Group;
  /** Result of a custom rule for the group. */
  readonly customResult?: CustomRuleResult;
  /** Rollouts in the order of their turns in the forest. */
  readonly rollouts: readonly RolloutView[];
}

/** Log-probabilities of the turns of a group before and after the update of a step. */
export interface GroupPush {
  readonly step: number;
  readonly group: number;
  /** [rollouts][turns] log-probability of the tokens of each turn [nats]. */
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

/**
 * Sequence of the group with its tokens. It is a complete rollout, or a part of one if turns start from a fresh prompt
 * or have several continuations. The turns of all sequences are the turns of the forest.
 */
export interface RolloutView {
  readonly tokens: readonly TokenView[];
  readonly turns: readonly TurnView[];
  readonly outcome: number;
}

export interface TurnView {
  /** Index of the turn in the forest of the group. */
  readonly forestTurn: number;
  readonly summary: string;
  /** Program and test results; absent if the turn is not a program. */
  readonly detail?: ProgramDetail;
  /** Call and response of a tool; absent if the turn does not call a tool. */
  readonly tool?: ToolDetail;
  readonly reward: number;
  readonly components: Readonly<Record<string, number>>;
  /** Advantage under the active rule; under a token rule, the mean over the tokens of the turn. */
  readonly advantage: number;
  /** Advantage under outcome-only credit (grpo-or); NaN in trees, for which it is not defined. */
  readonly outcomeOnlyAdvantage: number;
}

export interface TokenView {
  readonly text: string;
  readonly kind: string;
  /** Index of the turn that wrote the token, -1 for environment tokens. */
  readonly turn: number;
  /** Log-probability under the sampling policy [nats]; null for environment tokens. */
  readonly logProb: number | null;
  /** Entropy of the distribution of the token [nats]; null for environment tokens. */
  readonly entropy: number | null;
  /** Advantage of the token under a token rule; absent if the tokens of the turn share one advantage. */
  readonly advantage?: number;
}

/**
 * Downsampling of a curve. Before step `before`, the curve has at least one update in each interval of `every` updates.
 * From `before` on, it has all updates.
 */
export interface DownsampledUpdates {
  readonly every: number;
  readonly before: number;
}

/** Saved run, with all data that are necessary to continue exactly. */
export interface SavedRun {
  readonly configuration: RunConfiguration;
  /** Number of finished updates. */
  readonly step: number;
  /**
   * Safetensors file with the policy, the reference, the critic if there is one, and the states of their optimisers.
   */
  readonly checkpoint: ArrayBuffer;
  readonly events: readonly RunEvent[];
  /**
   * Metrics of updates, in the order of their steps. A file of a run contains all updates. A `SavedRun` in a message
   * contains only the newest updates, because the page stores all updates (src/storage).
   */
  readonly metrics: readonly Metrics[];
  /** Downsampling of the metrics in a file; absent if the file has all updates. */
  readonly downsampled?: DownsampledUpdates;
}
