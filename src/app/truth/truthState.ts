import type { Message } from '../../training/data/protocol.ts';
import type { TruthMessage } from '../../training/data/truthProtocol.ts';
import type { TruthReport } from '../../training/data/truthReport.ts';

type Progress = Omit<Extract<TruthMessage, { type: 'truth-progress' }>, 'type' | 'report'>;

/** State of the last requested measurement in the page. */
export interface TruthState {
  /** Results so far. After the end, all results of the measurement. */
  readonly report?: TruthReport;
  /** Reason for the end of the measurement; absent while it continues. */
  readonly ended?: 'complete' | 'cancelled' | 'failed';
  readonly problem?: string;
  readonly progress?: Progress;
  /** Milliseconds, of the page's clock: when the run paused for the measurement, and when the last batch came. */
  readonly startedAt?: number;
  readonly at?: number;
}

/** Folds a message; others than those of a measurement change nothing, but a worker that stops ends it. */
export function foldTruth(state: TruthState | undefined, message: Message, now: number): TruthState | undefined {
  if (message.type === 'truth') {
    const { type: _, ...end } = message;
    const report = end.report ?? (end.ended === 'failed' ? state?.report : undefined);
    return { ...end, ...(report ? { report } : {}) };
  }
  if (!state || state.ended) return state;
  if (message.type === 'status' && message.status === 'measuring') return { ...state, startedAt: now };
  if (message.type === 'status' && message.status === 'stopped') return { ...state, ended: 'failed' };
  if (message.type !== 'truth-progress') return state;
  const { type: _, report = state.report, ...progress } = message;
  return { ...state, progress, at: now, ...(report ? { report } : {}) };
}

/** Seconds until the end, as fast as it went so far; undefined before the first batch. */
export function secondsLeft({ progress, startedAt, at }: TruthState): number | undefined {
  if (!progress || startedAt === undefined || at === undefined || progress.done === 0) return undefined;
  return (((at - startedAt) / progress.done) * (progress.total - progress.done)) / 1000;
}
