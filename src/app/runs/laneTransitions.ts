import { MAX_LANES } from '../../training/data/protocol.ts';
import { engineStrings, laneStrings } from '../strings/runStrings.ts';
import type { Effect, LaneStart, PageState, RunFacts } from './pageState.ts';
import { notify, type Of, requesting, type Transition, unchanged } from './transitions.ts';

// Transitions of additional runs and of series of seeds.

/** Returns true if the worker has room for another run. */
export function hasCapacity({ lanes, isForking }: PageState, { lent }: Pick<RunFacts, 'lent'>): boolean {
  return !isForking && 1 + lanes.length + lent < MAX_LANES;
}

export function show(state: PageState, { lane }: Of<'show'>): Transition {
  return unchanged({ ...state, selected: has(state, lane) ? lane : 0 });
}

/** Closes an additional run, which stays saved. The first run cannot be closed. */
export function close(state: PageState, { lane }: Of<'close'>): Transition {
  if (!state.lanes.includes(lane)) return unchanged(state);
  const lanes = state.lanes.filter((number) => number !== lane);
  const selected = state.selected === lane ? 0 : state.selected;
  return { state: { ...state, lanes, selected }, effects: [{ type: 'close-lane', lane }] };
}

export function additional(state: PageState, { run, request, start }: Of<'additional'>): Transition {
  return request === state.applied ? addLane(state, run, start) : unchanged(state);
}

/** Requests the state of the shown run, from which an additional run continues with some controls changed. */
export function fork(state: PageState, { run, changes }: Of<'fork'>): Transition {
  if (!hasCapacity(state, run)) return unchanged(state);
  const effect: Effect = { type: 'fork', request: state.applied, from: state.selected, changes };
  return { state: { ...state, isForking: true }, effects: [effect] };
}

export function forked(state: PageState, { run, request, from, saved, changes }: Of<'forked'>): Transition {
  const next = { ...state, isForking: false };
  // The run was replaced or closed meanwhile.
  if (request !== state.applied || !has(state, from)) return unchanged(next);
  return saved ? addLane(next, run, { saved, from, changes }) : { state: next, effects: [notify(laneStrings.noState)] };
}

export function engine(state: PageState, { engine }: Of<'engine'>): Transition {
  const { applied: request, selected: lane, engines } = state;
  const next = { ...state, engines: { ...engines, [lane]: engine } };
  // If a change of this run is pending, it uses the engine that the user chose last.
  return lane in engines ? unchanged(next) : { state: next, effects: [{ type: 'pause-for-engine', request, lane }] };
}

/** Continues a run on another engine after its last update. */
export function engineState(state: PageState, { request, lane, saved, play }: Of<'engine-state'>): Transition {
  const { [lane]: engine, ...engines } = state.engines;
  if (request !== state.applied || engine === undefined || !has(state, lane)) return unchanged(state);
  return {
    state: { ...state, engines },
    effects: [saved ? { type: 'restart-lane', lane, engine, play } : notify(engineStrings.noState)],
  };
}

/** Requests the code of a series of seeds. */
export function seeds(state: PageState, { count, steps }: Of<'seeds'>): Transition {
  const next = requesting(state, (request) => ({ type: 'load-series', request, count, steps }));
  return { ...next, state: { ...next.state, series: next.state.requested } };
}

export function seriesLoaded(state: PageState, { request, series }: Of<'series-loaded'>): Transition {
  if (request !== state.series) return unchanged(state);
  return { state, effects: [{ type: 'open-series', series }, ...TRAIN_SERIES] };
}

/** All runs of the page pause while a series trains. */
const TRAIN_SERIES: readonly Effect[] = [
  { type: 'send', command: { type: 'pause' }, to: 'all' },
  { type: 'train-series' },
];

export function trainSeeds(state: PageState): Transition {
  return { state, effects: TRAIN_SERIES };
}

export function closeSeries(state: PageState): Transition {
  return { state: { ...state, series: 0 }, effects: [{ type: 'close-series' }] };
}

function has({ lanes }: PageState, lane: number): boolean {
  return lane === 0 || lanes.includes(lane);
}

function addLane(state: PageState, run: RunFacts, start: LaneStart): Transition {
  if (!hasCapacity(state, run)) return { state, effects: [notify(laneStrings.full(MAX_LANES))] };
  const lane = state.laneCount + 1;
  return {
    state: { ...state, laneCount: lane, lanes: [...state.lanes, lane] },
    effects: [{ type: 'begin-lane', lane, start }],
  };
}
