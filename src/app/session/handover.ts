import type { Command, Message, Status } from '../../training/data/protocol.ts';
import type { OpenRun } from './openRun.ts';

/**
 * Phases of a session between two runs:
 * - `running`: the messages of the worker are about the present run.
 * - `requested`: the page requested a run. The messages are about the previous run.
 * - `leaving`: the worker sends the last state of the previous run.
 */
export type HandoverPhase = 'running' | 'requested' | 'leaving';

export interface HandoverState {
  readonly phase: HandoverPhase;
  /** Run that the messages are about. */
  readonly run: OpenRun;
  /** Run that the page requested last. */
  readonly next: OpenRun;
  /** Number of runs that the page has requested from this worker. */
  readonly requested: number;
  /** Requested runs that have not begun, by the numbers of their requests. */
  readonly runs: ReadonlyMap<number, OpenRun>;
  /** True if the run trains, or trains when it has begun. */
  readonly trains: boolean;
}

/** Result of a message. */
export interface Received {
  readonly state: HandoverState;
  /** Run that the message is about. `neither` if the message must be ignored. */
  readonly about: 'present' | 'previous' | 'neither';
  /** True if the last state of the previous run has arrived, or cannot arrive. */
  readonly isSaved: boolean;
}

/** Types of messages about one run. They may arrive after the page has requested the next run. */
const RUN_MESSAGES: readonly Message['type'][] = [
  'metrics',
  'event',
  'group',
  'push',
  'no-tie',
  'checkpoint',
  'truth-progress',
  'truth',
];

/** Status values that show whether a run trains. */
const TRAINS: Readonly<Partial<Record<Status, boolean>>> = {
  playing: true,
  hidden: true,
  paused: false,
  stopped: false,
};

export function initialHandover(run: OpenRun): HandoverState {
  return { phase: 'running', run, next: run, requested: 0, runs: new Map(), trains: true };
}

/** Returns the state for a new worker, from which no run has been requested. */
export function replaceWorker(state: HandoverState): HandoverState {
  return { ...state, requested: 0, runs: new Map() };
}

/** Returns the state after the page has requested a run. */
export function requestRun(state: HandoverState, next: OpenRun): HandoverState {
  return { ...state, phase: 'requested', next };
}

export function sendCommand(state: HandoverState, { type }: Command): HandoverState {
  if (type === 'play' || type === 'pause') return { ...state, trains: type === 'play' };
  if (type !== 'start' && type !== 'warm-start') return state;
  const requested = state.requested + 1;
  return { ...state, requested, runs: new Map(state.runs).set(requested, state.next) };
}

export function receiveMessage(before: HandoverState, message: Message): Received {
  if (message.type === 'ready') return receiveReady(before, message.run);
  const isPending = before.phase !== 'running';
  const state = message.type === 'status' ? receiveStatus(before, message.status) : before;
  const isLast = message.type === 'checkpoint' && before.phase === 'leaving';
  const isSaved = isLast || message.type === 'problem';
  if (!isPending || !RUN_MESSAGES.includes(message.type)) return { state, about: 'present', isSaved };
  // If an earlier state of the same run is being opened, its later updates are dropped.
  return { state, about: state.run.id === state.next.id ? 'neither' : 'previous', isSaved };
}

function receiveReady(before: HandoverState, run = before.requested): Received {
  const state = { ...before, run: before.runs.get(run) ?? before.next };
  // This run was replaced before it had begun. The messages that follow are about it.
  if (run !== before.requested) return { state, about: 'neither', isSaved: true };
  return { state: { ...state, phase: 'running', runs: new Map() }, about: 'present', isSaved: true };
}

function receiveStatus(state: HandoverState, status: Status): HandoverState {
  if (state.phase === 'running') return { ...state, trains: TRAINS[status] ?? state.trains };
  return status === 'loading' ? { ...state, phase: 'leaving' } : state;
}
