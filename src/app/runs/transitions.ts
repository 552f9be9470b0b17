import { savedRunStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';
import type { Effect, PageEvent, PageState, PendingActions, Phase, RunFacts, StoredRun } from './pageState.ts';

/** State after an event, and its effects in order of application. */
export interface Transition {
  readonly state: PageState;
  readonly effects: readonly Effect[];
}

export type Of<T extends PageEvent['type']> = Extract<PageEvent, { readonly type: T }> & { readonly run: RunFacts };

/** Phases whose run becomes the previous run when another run replaces it. */
const KNOWN: readonly Phase[] = ['live', 'recorded', 'stopped'];
const NO_ACTIONS: PendingActions = { changes: {} };

export const CLOSED: PageState = {
  phase: 'closed',
  requested: 0,
  applied: 0,
  trains: false,
  hasEntry: false,
  pending: NO_ACTIONS,
  previous: undefined,
  scheduled: [],
  isElsewhere: false,
  lanes: [],
  laneCount: 0,
  selected: 0,
  isForking: false,
  engines: {},
  series: 0,
};

/** Returns true if the page has started or resumed the run of the present address. */
export function isOpen({ phase }: PageState): boolean {
  return phase === 'opening' || phase === 'warming' || KNOWN.includes(phase);
}

export function to(state: PageState, phase: Phase, ...effects: readonly Effect[]): Transition {
  return { state: { ...state, phase }, effects };
}

export function open(state: PageState, { play, scheduled }: Of<'open'>): Transition {
  const next = superseding({ ...state, trains: play, scheduled });
  return to(next, 'searching', { type: 'open-worker' }, { type: 'search', request: next.applied });
}

/** Leaves the run for the address of another run. Pending actions are dropped, because they apply to the old run. */
export function travel(state: PageState, { run }: Of<'travel'>): Transition {
  const next = superseding({ ...state, trains: run.trains, hasEntry: true, pending: NO_ACTIONS });
  return to(next, 'leaving', { type: 'hand-over', request: next.applied });
}

export function search(state: PageState, request = state.applied): Transition {
  return request < state.applied ? unchanged(state) : to(state, 'searching', { type: 'search', request });
}

/** Stores an action until the run of the address is open. */
export function postpone(state: PageState, action: Partial<PendingActions>, ...effects: readonly Effect[]): Transition {
  const changes = { ...state.pending.changes, ...action.changes };
  return { state: { ...state, pending: { ...state.pending, ...action, changes } }, effects };
}

/** Opens the run of the address. The pending actions of the user are applied afterwards as events. */
export function addressed(
  state: PageState,
  { request, run, match, configuration, notices }: Of<'addressed'>,
): Transition {
  if (request < state.applied) return unchanged(state);
  const { play, step } = state.pending;
  const next = match
    ? continued(state, run, match, { play: match.hasLock && play === true, isEntry: false, notices })
    : startRun(state, run, { configuration, play: play ?? (state.trains && !step), isEntry: false, notices });
  return match?.hasLock ? adding(next, notify(strings.runs.resumed(match.stored.saved.step))) : next;
}

/** Returns the events of the pending actions. A new run starts with `play`, so only a recorded run needs that event. */
export function actionsOf({ play, step, changes, dropPlan }: PendingActions, { phase }: PageState): PageEvent[] {
  return [
    ...(Object.keys(changes).length > 0 ? [{ type: 'change', changes } as const] : []),
    ...(dropPlan ? [{ type: 'drop-plan' } as const] : []),
    ...(step ? [{ type: 'transport', button: 'step' } as const] : []),
    ...(play && phase === 'recorded' ? [{ type: 'transport', button: 'play' } as const] : []),
  ];
}

/** Begins a new run that the user chose. */
export function choose(state: PageState, { run, ...chosen }: Of<'choose'>): Transition {
  const { configuration, isEntry, play = state.pending.play ?? run.trains } = chosen;
  return startRun(superseding(state), run, { configuration, play, isEntry, notices: [] });
}

export function warmStart(state: PageState, { run }: Of<'warm-start'>): Transition {
  const { scheduled } = state;
  return replaced(superseding(state), run, 'opening', { begin: { type: 'warm-start' }, scheduled, isEntry: false });
}

/** Requests a run from storage or from a file. The present run continues until the result arrives. */
export function requesting(state: PageState, effect: (request: number) => Effect): Transition {
  const requested = state.requested + 1;
  return { state: { ...state, requested }, effects: [effect(requested)] };
}

export function loaded(state: PageState, { request, run, match }: Of<'loaded'>): Transition {
  if (request < state.applied) return unchanged(state);
  const { summary, saved } = match.stored;
  const next = continued({ ...state, applied: request }, run, match, CHOSEN);
  return adding(next, answer(strings.shell.opened(summary.name, saved.step)));
}

export function imported(state: PageState, { request, run, saved, name }: Of<'imported'>): Transition {
  if (request < state.applied) return unchanged(state);
  const { schedule: scheduled } = saved.configuration;
  const begin: Effect = { type: 'begin-file', saved };
  const next = replaced({ ...state, applied: request }, run, 'opening', { begin, scheduled, ...CHOSEN });
  return adding(next, answer(strings.runs.imported(name)));
}

export function cancelWarmStart(state: PageState, { usual }: Of<'cancel-warm-start'>): Transition {
  const { id, link } = state.previous ?? { id: undefined, link: usual };
  return requesting(state, (request) => ({ type: 'load-previous', request, id, again: link }));
}

/** Returns to the run before the warm start: its saved state, or step 0 if it is not saved. */
export function returned(state: PageState, { request, run, match, again }: Of<'previous'>): Transition {
  if (request < state.applied) return unchanged(state);
  const next = { ...state, applied: request };
  if (match)
    return adding(continued(next, run, match, CHOSEN), notify(strings.warming.cancelled(match.stored.saved.step)));
  const fresh = startRun(next, run, { configuration: again, play: false, isEntry: false, notices: [] });
  return adding(fresh, notify(strings.warming.cancelledFresh));
}

/** Continues a run from its last state after the other tab closed it. */
export function continueClosedRun(state: PageState, { request, run, stored }: Of<'reread'>): Transition {
  if (request < state.applied) return unchanged(state);
  const next = continued(
    { ...state, applied: request },
    run,
    { stored, hasLock: true },
    { play: false, isEntry: false },
  );
  return adding(next, notify(savedRunStrings.continuedHere(stored.saved.step)));
}

/** Turns a run of another tab into a copy that this tab trains. */
export function copying(state: PageState, { step }: RunFacts): Transition {
  const phase = state.phase === 'recorded' ? 'live' : state.phase;
  const copy = to({ ...state, isElsewhere: false }, phase, { type: 'copy' });
  return adding(copy, notify(savedRunStrings.copying(step)));
}

export function copied(state: PageState, { step, isPresent }: Of<'copied'>): Transition {
  return adding({ state, effects: isPresent ? [{ type: 'lock' }] : [] }, notify(savedRunStrings.copied(step)));
}

export function dropPlan(state: PageState, { run: { step } }: Of<'drop-plan'>): Transition {
  const next = state.selected === 0 ? unscheduled(state, step) : state;
  return { state: next, effects: [{ type: 'send', command: { type: 'drop-plan' }, to: 'shown' }] };
}

/** Removes the scheduled changes after a step. */
export function unscheduled(state: PageState, step: number): PageState {
  return { ...state, scheduled: state.scheduled.filter((entry) => entry.step <= step) };
}

/** Handles `ready`: the worker has opened the run and has already sent the state of the previous run. */
export function ready(state: PageState): Transition {
  return to(state, state.isElsewhere ? 'recorded' : 'live', { type: 'release' });
}

export function restart(state: PageState): Transition {
  if (state.selected !== 0 && state.phase !== 'stopped') return { state, effects: [{ type: 'restart', run: 'shown' }] };
  return restartFirst(state);
}

export function restartFirst(state: PageState): Transition {
  return to(state, state.isElsewhere ? 'recorded' : 'opening', { type: 'restart', run: 'first' });
}

export function unchanged(state: PageState): Transition {
  return { state, effects: [] };
}

/** Numbers a new request. The results of all earlier requests are ignored. */
function superseding(state: PageState): PageState {
  const requested = state.requested + 1;
  return { ...state, requested, applied: requested };
}

/** Options for replacing the present run by another run. */
interface Replacement {
  /** True if the run gets a new entry in the browser's history. */
  readonly isEntry: boolean;
  /** New notices of the page. The present notices stay by default. */
  readonly notices?: readonly string[];
}

/** Replacement by a run that the user chose. */
const CHOSEN = { play: false, isEntry: true, notices: [] } as const;

function startRun(
  state: PageState,
  run: RunFacts,
  {
    configuration,
    play,
    ...replacement
  }: Replacement & Pick<Extract<Effect, { type: 'begin' }>, 'configuration' | 'play'>,
): Transition {
  const begin: Effect = { type: 'begin', configuration, play };
  return replaced(state, run, 'opening', { begin, scheduled: configuration.schedule, ...replacement });
}

function continued(
  state: PageState,
  run: RunFacts,
  match: StoredRun,
  { play, ...replacement }: Replacement & { readonly play: boolean },
): Transition {
  const { hasLock, stored } = match;
  const begin: Effect = { type: 'continue', match, play, isLatest: hasLock && replacement.isEntry };
  const { schedule: scheduled } = stored.saved.configuration;
  const next = replaced(state, run, hasLock ? 'opening' : 'recorded', { begin, scheduled, ...replacement });
  return hasLock ? next : adding(next, notify(savedRunStrings.elsewhere(stored.saved.step)));
}

/** Replaces the present run with another run. */
function replaced(
  state: PageState,
  { id, link }: RunFacts,
  phase: Phase,
  {
    begin,
    scheduled,
    isEntry,
    notices,
  }: Replacement & { readonly begin: Effect; readonly scheduled: PageState['scheduled'] },
): Transition {
  const previous = KNOWN.includes(state.phase) ? { id, link } : state.previous;
  const isElsewhere = phase === 'recorded';
  const effects: Effect[] = [begin];
  if (notices) effects.unshift({ type: 'notices', notices });
  // First writes the last address of the old run to its entry.
  if (isEntry && isOpen(state)) effects.unshift({ type: 'show-address' });
  if (isEntry && state.hasEntry) effects.push({ type: 'enter-address' });
  const noLanes = { lanes: [], selected: 0, engines: {}, series: 0 };
  return {
    state: { ...state, ...noLanes, phase, hasEntry: true, pending: NO_ACTIONS, previous, scheduled, isElsewhere },
    effects,
  };
}

/** Joins two consecutive transitions. */
export function joined(first: Transition, second: Transition): Transition {
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}

function adding({ state, effects }: Transition, ...more: readonly Effect[]): Transition {
  return { state, effects: [...effects, ...more] };
}

export const notify = (notice: string): Effect => ({ type: 'notify', notice });
const answer = (text: string): Effect => ({ type: 'answer', text });
