import type { OwnResult } from '../../credit/rules/own/ownRule.ts';
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
  /** Which stage it is, from 1, and how many there are. */
  readonly number: number;
  readonly stages: number;
  readonly step: number;
  readonly steps: number;
  /** Steps that are left after this one, those of later stages too. */
  readonly left: number;
  readonly loss: number;
  /** What the try before this one never learned ("learned to read a document"), where all begins again. */
  readonly missed?: string | undefined;
}

/**
 * What the page and the training worker say to one another. The page sends a Command, the worker sends Messages;
 * nothing else passes between them. `SavedRun` is also what storage keeps and what a file of a run holds.
 */
export type Command = OneCommand & Laned;

/** Runs that one worker trains at a time. */
export const MOST_LANES = 4;

/** Which of the runs of a worker is meant; the first one where nothing is said. */
interface Laned {
  readonly lane?: number;
}

type OneCommand =
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
  /** What is scheduled for later steps will not happen. */
  | { readonly type: 'drop-plan' }
  /** Samples one group with the present policy, without an update ("new sample"). */
  | { readonly type: 'sample' }
  /** Samples groups as 'sample' does until all rollouts of one end with the same outcome, a few times at most. */
  | { readonly type: 'find-tie' }
  /** One update, then pause, as 'step'; and what it did to the turns of the group that is shown ('push'). */
  | { readonly type: 'slow-motion' }
  /** Which group of the batch to show after each update (0-based); until then `variedGroup` chooses. */
  | { readonly type: 'show'; readonly group: number }
  /** Groups of this batch alone are shown, while the run goes on; with null those of the last one again. */
  | { readonly type: 'hold'; readonly of: { readonly step: number; readonly sampleOnly: boolean } | null }
  /** Runs the warm start on this device instead of loading the shipped checkpoint, then starts at step 0. */
  | { readonly type: 'warm-start' }
  /** Asks for a 'checkpoint' message now. */
  | { readonly type: 'save' }
  | { readonly type: 'visibility'; readonly hidden: boolean }
  /** Most updates a second while it plays; null for as many as there can be. Holds for every run from then on. */
  | {
      readonly type: 'pace';
      readonly updatesPerSecond: number | null;
      /** True: every update shows a group, at any speed. It stays so until a command says false. */
      readonly everyGroup?: boolean;
    }
  /** The run of this lane is over: it is handed out as it is, and its memory is given back. */
  | { readonly type: 'leave' }
  | TruthCommand;

export type Message = OneMessage & Laned;

type OneMessage =
  | {
      readonly type: 'ready';
      /** Which of the runs that this worker was asked for it is: 1 for the first. */
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
  /** What the update of a group that is shown did to its turns. */
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
  /** For people: vendor, architecture, device, as far as the browser tells. */
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
  /** What the credit rules read of it. */
  readonly forest: Group;
  /** What a rule of one's own said of it. */
  readonly own?: OwnResult;
  /** In the order of the forest's turns. */
  readonly rollouts: readonly RolloutView[];
}

/** How probable the turns of a group were before the update of a step, and after it. */
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
