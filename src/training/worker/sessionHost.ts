import type { LiveRunHost } from './liveRun.ts';
import type { MeasuringHost } from './measuring.ts';

/** Functions that a session needs from its host. */
export interface SessionHost extends LiveRunHost, MeasuringHost {
  post: LiveRunHost['post'];
  /** Does an update when it is this session's turn, where several share a device. */
  turn?<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** No other session wants a turn. */
export const runImmediately: NonNullable<SessionHost['turn']> = (work) => work();
