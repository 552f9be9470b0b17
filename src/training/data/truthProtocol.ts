import type { Return } from './returns.ts';
import type { TruthReport } from './truthReport.ts';

/** Commands of the page to the worker about true advantages; part of the protocol (protocol.ts). */
export type TruthCommand =
  | { readonly type: 'measure-truth'; readonly request: TruthRequest }
  /**
   * Ends the measurement after the current batch of continuations. The worker sends the results that are complete.
   */
  | { readonly type: 'cancel-truth' };

/** Messages of the worker about a measurement. Each requested measurement ends with one `truth`. */
export type TruthMessage =
  | {
      readonly type: 'truth-progress';
      readonly stage: TruthStage;
      /** Number of finished work items: batches of continuations, batches of the large batch, and gradients. */
      readonly done: number;
      readonly total: number;
      /** Results so far, sent at intervals. */
      readonly report?: TruthReport;
    }
  | {
      readonly type: 'truth';
      readonly ended: 'complete' | 'cancelled' | 'failed';
      /** Absent if no result was complete. */
      readonly report?: TruthReport;
      /** Message for users, if the measurement failed. */
      readonly problem?: string;
    };

export type TruthStage = 'continuations' | 'gradients';

/** Request to measure one group of a run. */
export interface TruthRequest {
  readonly rules: readonly string[];
  /** Number of continuations of each history. */
  readonly continuations: number;
  /** Number of groups in the large batch with which gradients are compared, at least 2; 0 omits gradients. */
  readonly gradientGroups: number;
  readonly counts: Return;
  /** Identification of the group, from its view. If absent, a new group is sampled and displayed. */
  readonly of?: { readonly step: number; readonly group: number; readonly sampleOnly: boolean };
  /** Indices of turns in the group's forest; all turns if absent. */
  readonly turns?: readonly number[];
}
