import {
  additional,
  close,
  closeSeries,
  engine,
  engineState,
  fork,
  forked,
  seeds,
  seriesLoaded,
  show,
  trainSeeds,
} from './laneTransitions.ts';
import type { PageEvent, PageState, Phase, RunFacts } from './pageState.ts';
import {
  actionsOf,
  addressed,
  cancelWarmStart,
  choose,
  continueClosedRun,
  copied,
  copying,
  dropPlan,
  imported,
  joined,
  loaded,
  type Of,
  open,
  postpone,
  ready,
  requesting,
  restart,
  restartFirst,
  returned,
  search,
  type Transition,
  to,
  travel,
  unchanged,
  unscheduled,
  warmStart,
} from './transitions.ts';

type Handler<T extends PageEvent['type']> = (state: PageState, event: Of<T>) => Transition;
type Handlers = { readonly [T in PageEvent['type']]?: Handler<T> };

/** Events in every phase after `closed`. */
const ANY: Handlers = {
  travel,
  choose: chooseRuns,
  'open-saved': (state, { summary }) => requesting(state, (request) => ({ type: 'load', request, summary })),
  import: (state, { file }) => requesting(state, (request) => ({ type: 'read-file', request, file })),
  loaded,
  imported,
  'warm-start': warmStart,
  copied,
  show,
  close,
  additional,
  forked,
  'close-series': closeSeries,
};

/** Events before the run of the address has been found. */
const WAITING: Handlers = {
  ...ANY,
  transport: (state, { button }) => postpone(state, { play: button === 'play', step: button === 'step' }),
  change: (state, { changes }) => postpone(state, { changes }, { type: 'expect', changes }),
  'drop-plan': (state, { run }) => postpone(unscheduled(state, run.step), { dropPlan: true }),
};

/** Events while the page has its run. */
const OPEN: Handlers = {
  ...ANY,
  transport: copyFirst((state, { button }: Of<'transport'>) => {
    return { state, effects: [{ type: 'send', command: { type: button }, to: 'all' }] };
  }),
  change: copyFirst((state, { changes }: Of<'change'>) => ({ state, effects: [{ type: 'change', changes }] })),
  'drop-plan': copyFirst(dropPlan),
  restart,
  return: restartFirst,
  fork,
  engine,
  'engine-state': engineState,
  seeds,
  'series-loaded': seriesLoaded,
  'train-seeds': trainSeeds,
  ready,
  warming: (state) => to(state, 'warming'),
  stopped: (state) => to(state, 'stopped'),
};

/** Transitions of the page by phase and event. An event that a phase does not list changes nothing. */
export const TABLE: Readonly<Record<Phase, Handlers>> = {
  closed: { open },
  leaving: {
    ...WAITING,
    'handed-over': (state, { request }) => search(state, request),
    return: (state) => search(state),
  },
  searching: { ...WAITING, addressed: openAddressed },
  opening: OPEN,
  warming: {
    ...OPEN,
    'cancel-warm-start': cancelWarmStart,
    previous: returned,
  },
  live: OPEN,
  recorded: {
    ...OPEN,
    warming: unchanged,
    released: (state, { id, run }) =>
      id === run.id ? requesting(state, (request) => ({ type: 'reread', request })) : unchanged(state),
    reread: continueClosedRun,
  },
  stopped: { ...OPEN, warming: unchanged },
};

/** Returns the next state of the page and the effects of an event. The function is pure. */
export function reduce(state: PageState, event: PageEvent & { readonly run: RunFacts }): Transition {
  const handler = TABLE[state.phase][event.type] as Handler<PageEvent['type']> | undefined;
  return handler ? handler(state, event) : unchanged(state);
}

/**
 * Wraps a handler: a run of another tab becomes a copy before this tab trains or changes it. Additional runs belong
 * to this tab.
 */
function copyFirst<E extends Of<'transport'> | Of<'change'> | Of<'drop-plan'>>(
  handler: (state: PageState, event: E) => Transition,
): (state: PageState, event: E) => Transition {
  return (state, event) => {
    const changesRun = event.type === 'transport' ? event.button !== 'pause' : state.selected === 0;
    if (!state.isElsewhere || !changesRun) return handler(state, event);
    const copy = copying(state, event.run);
    return joined(copy, handler(copy.state, event));
  };
}

/** Begins the runs that the user chose. */
function chooseRuns(state: PageState, event: Of<'choose'>): Transition {
  // A series of seeds ends with the run before.
  const run = { ...event.run, lent: 0 };
  return (event.additional ?? []).reduce(
    (next, configuration) => {
      const { applied: request } = next.state;
      const start = { configuration, play: true };
      return joined(next, reduce(next.state, { type: 'additional', request, start, run }));
    },
    choose(state, event),
  );
}

/** Opens the run of the address, applies the pending actions, then opens the additional runs. */
function openAddressed(state: PageState, event: Of<'addressed'>): Transition {
  const opened = addressed(state, event);
  if (opened.state === state) return opened;
  const run = { ...event.run, step: event.match?.stored.saved.step ?? 0 };
  const acted = actionsOf(state.pending, opened.state).reduce(
    (next, action) => joined(next, reduce(next.state, { ...action, run })),
    opened,
  );
  const { applied: request } = acted.state;
  const effect = { type: 'find-additional', request, configurations: event.additional } as const;
  return { ...acted, effects: [...acted.effects, effect] };
}
