import type { Return } from './returns.ts';
import type { TruthReport } from './truthReport.ts';

/** Commands of the page to the worker about true advantages; part of the protocol (protocol.ts). */
export type TruthCommand =
  | { readonly type: 'measure-truth'; readonly request: TruthRequest }
  /**
   * Ends the measurement within one batch of continuations; the worker reports the results that are complete by then.
   */
  | { readonly type: 'cancel-truth' };

/** Answers of the worker. Every requested measurement ends with one `truth`. */
export type TruthMessage =
  | {
      readonly type: 'truth-progress';
      readonly stage: TruthStage;
      /** Batches of continuations, of the large batch, and gradients. */
      readonly done: number;
      readonly total: number;
      /** Results up to now, sent at intervals. */
      readonly report?: TruthReport;
    }
  | {
      readonly type: 'truth';
      readonly ended: 'complete' | 'cancelled' | 'failed';
      /** Absent where nothing was complete. */
      readonly report?: TruthReport;
      /** For people, where it failed. */
      readonly problem?: string;
    };

export type TruthStage = 'continuations' | 'gradients';

/** A measurement of one group of a run. */
export interface TruthRequest {
  readonly rules: readonly string[];
  /** Continuations of every history. */
  readonly continuations: number;
  /** Number of groups in the large batch that gradients are compared with, at least 2; 0 omits gradients. */
  readonly gradientGroups: number;
  readonly counts: Return;
  /** The group, by what its view says of itself; a new one is sampled, and shown, without it. */
  readonly of?: { readonly step: number; readonly group: number; readonly sampleOnly: boolean };
  /** Turns of the group's forest; all without it. */
  readonly turns?: readonly number[];
}
