import type { Command, Message, Status } from '../../training/data/protocol.ts';

/**
 * Phases of a session between two runs:
 * - `running`: the messages of the worker are about the present run.
 * - `requested`: the page asked for a run. The messages are about the run before.
 * - `leaving`: the worker passes on the last state of the run before.
 */
export type HandoverPhase = 'running' | 'requested' | 'leaving';

export interface HandoverState {
  readonly phase: HandoverPhase;
  /** Id in storage of the run that the messages are about. */
  readonly id: string;
  /** Id of the run that the page asked for last. */
  readonly nextId: string;
  /** Number of runs that the page asked this worker for. */
  readonly requested: number;
  /** Ids of requested runs that have not begun. */
  readonly ids: ReadonlyMap<number, string>;
  /** The run trains, or trains when it has begun. */
  readonly trains: boolean;
}

/** Effects of a message. */
export interface Received {
  readonly state: HandoverState;
  /** The message is about the present run, about the run before, or about neither. */
  readonly about: 'present' | 'previous' | 'neither';
  /** The run before is in storage, or cannot be. */
  readonly isSaved: boolean;
}

/** Types of messages about one run. They may arrive after the page asked for the next run. */
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

export function initialHandover(id: string): HandoverState {
  return { phase: 'running', id, nextId: id, requested: 0, ids: new Map(), trains: true };
}

/** A new worker, which no run was requested of. */
export function replaceWorker(state: HandoverState): HandoverState {
  return { ...state, requested: 0, ids: new Map() };
}

/** The page asks for a run with this id. */
export function requestRun(state: HandoverState, nextId: string): HandoverState {
  return { ...state, phase: 'requested', nextId };
}

export function sendCommand(state: HandoverState, { type }: Command): HandoverState {
  if (type === 'play' || type === 'pause') return { ...state, trains: type === 'play' };
  if (type !== 'start' && type !== 'warm-start') return state;
  const requested = state.requested + 1;
  return { ...state, requested, ids: new Map(state.ids).set(requested, state.nextId) };
}

export function receiveMessage(before: HandoverState, message: Message): Received {
  if (message.type === 'ready') return receiveReady(before, message.run);
  const isPending = before.phase !== 'running';
  const state = message.type === 'status' ? receiveStatus(before, message.status) : before;
  const isLast = message.type === 'checkpoint' && before.phase === 'leaving';
  const isSaved = isLast || message.type === 'problem';
  if (!isPending || !RUN_MESSAGES.includes(message.type)) return { state, about: 'present', isSaved };
  // An earlier state of the same run was opened: later updates are dropped.
  return { state, about: state.id === state.nextId ? 'neither' : 'previous', isSaved };
}

/** From now on a run has another id, also a run that is being left. */
export function renameRun(state: HandoverState, id: string, newId: string): HandoverState {
  const renamed = (known: string) => (known === id ? newId : known);
  const ids = new Map([...state.ids].map(([run, known]) => [run, renamed(known)] as const));
  return { ...state, ids, id: renamed(state.id), nextId: renamed(state.nextId) };
}

function receiveReady(before: HandoverState, run = before.requested): Received {
  const state = { ...before, id: before.ids.get(run) ?? before.nextId };
  // The messages that follow are about a run that was left before it had begun.
  if (run !== before.requested) return { state, about: 'neither', isSaved: true };
  return { state: { ...state, phase: 'running', ids: new Map() }, about: 'present', isSaved: true };
}

function receiveStatus(state: HandoverState, status: Status): HandoverState {
  if (state.phase === 'running') return { ...state, trains: TRAINS[status] ?? state.trains };
  return status === 'loading' ? { ...state, phase: 'leaving' } : state;
}
