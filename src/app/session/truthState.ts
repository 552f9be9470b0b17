import type { Message } from '../../training/data/protocol.ts';
import type { TruthMessage, TruthReport } from '../../training/data/truthReport.ts';

type Progress = Omit<Extract<TruthMessage, { type: 'truth-progress' }>, 'type' | 'report'>;

/** State of the last requested measurement. */
export interface TruthState {
  /** Results so far. After the end, all results of the measurement. */
  readonly report?: TruthReport;
  /** Reason for the end of the measurement; absent while it continues. */
  readonly ended?: 'complete' | 'cancelled' | 'failed';
  readonly problem?: string;
  readonly progress?: Progress;
  /** Times on the clock of the page [ms]: pause of the run for the measurement, and arrival of the last progress. */
  readonly startedAt?: number;
  readonly at?: number;
}

/** Returns the state after a message. Only messages of a measurement, and a worker that stops, change the state. */
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

/** Estimates the remaining time [s] from the average speed so far. Returns undefined before the first progress. */
export function secondsLeft({ progress, startedAt, at }: TruthState): number | undefined {
  if (!progress || startedAt === undefined || at === undefined || progress.done === 0) return undefined;
  return (((at - startedAt) / progress.done) * (progress.total - progress.done)) / 1000;
}
