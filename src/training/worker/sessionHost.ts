import type { LiveRunHost } from './liveRun.ts';
import type { MeasuringHost } from './measuring.ts';

/** Functions of the host that a session needs. */
export interface SessionHost extends LiveRunHost, MeasuringHost {
  post: LiveRunHost['post'];
  /** Runs an update when it is the turn of this session; absent if no other session shares the device. */
  turn?<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Runs an update immediately, because no other session shares the device. */
export const runImmediately: NonNullable<SessionHost['turn']> = (work) => work();
