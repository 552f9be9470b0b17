import type { Command, Message, Status } from '../../training/data/protocol.ts';

/**
 * Phases of a session between two runs:
 * - `running`: the messages of the worker are about the present run.
 * - `requested`: the page requested a run. The messages are about the previous run.
 * - `leaving`: the worker sends the last state of the previous run.
 */
export type HandoverPhase = 'running' | 'requested' | 'leaving';

export interface HandoverState {
  readonly phase: HandoverPhase;
  /** Id in storage of the run that the messages are about. */
  readonly id: string;
  /** Id of the run that the page requested last. */
  readonly nextId: string;
  /** Number of runs that the page has requested from this worker. */
  readonly requested: number;
  /** Ids of requested runs that have not begun, by the numbers of their requests. */
  readonly ids: ReadonlyMap<number, string>;
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

export function initialHandover(id: string): HandoverState {
  return { phase: 'running', id, nextId: id, requested: 0, ids: new Map(), trains: true };
}

/** Returns the state for a new worker, from which no run has been requested. */
export function replaceWorker(state: HandoverState): HandoverState {
  return { ...state, requested: 0, ids: new Map() };
}

/** Returns the state after the page has requested a run with this id. */
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
  // If an earlier state of the same run is being opened, its later updates are dropped.
  return { state, about: state.id === state.nextId ? 'neither' : 'previous', isSaved };
}

/** Changes the id of a run, including a run that is being left. */
export function renameRun(state: HandoverState, id: string, newId: string): HandoverState {
  const renamed = (known: string) => (known === id ? newId : known);
  const ids = new Map([...state.ids].map(([run, known]) => [run, renamed(known)] as const));
  return { ...state, ids, id: renamed(state.id), nextId: renamed(state.nextId) };
}

function receiveReady(before: HandoverState, run = before.requested): Received {
  const state = { ...before, id: before.ids.get(run) ?? before.nextId };
  // This run was replaced before it had begun. The messages that follow are about it.
  if (run !== before.requested) return { state, about: 'neither', isSaved: true };
  return { state: { ...state, phase: 'running', ids: new Map() }, about: 'present', isSaved: true };
}

function receiveStatus(state: HandoverState, status: Status): HandoverState {
  if (state.phase === 'running') return { ...state, trains: TRAINS[status] ?? state.trains };
  return status === 'loading' ? { ...state, phase: 'leaving' } : state;
}
