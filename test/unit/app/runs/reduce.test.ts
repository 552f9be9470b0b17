import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultConfiguration } from '../../../../src/app/address/pageTables.ts';
import type { Effect, PageEvent, PageState, Phase, RunFacts, StoredRun } from '../../../../src/app/runs/pageState.ts';
import { reduce, TABLE } from '../../../../src/app/runs/reduce.ts';
import type { SeedSeries } from '../../../../src/app/runs/trainingQueue.ts';
import { CLOSED, isOpen } from '../../../../src/app/runs/transitions.ts';
import { laneStrings } from '../../../../src/app/strings/runStrings.ts';
import { Curve } from '../../../../src/storage/curve.ts';
import { MAX_LANES } from '../../../../src/training/data/protocol.ts';
import { savedRun } from '../appFixtures.ts';

const configuration = defaultConfiguration();
const facts: RunFacts = { id: 'a', link: configuration, step: 3, trains: true, lent: 0 };
const saved = savedRun({ step: 5 });
const summary = { id: 'b', name: 'B', link: '?v=1', step: 5, savedAt: 1, bytes: 16 };

function match(hasLock = true, id = 'b'): StoredRun {
  return { stored: { summary: { ...summary, id }, saved, curve: Curve.of(saved) }, hasLock };
}

/** Returns the state after events, and the effects of all events. */
function follow(events: readonly PageEvent[], state: PageState = CLOSED, run: RunFacts = facts) {
  const effects: Effect[] = [];
  let now = state;
  for (const event of events) {
    const next = reduce(now, { ...event, run });
    now = next.state;
    effects.push(...next.effects);
  }
  return { state: now, effects, types: effects.map(({ type }) => type) };
}

const OPEN: PageEvent = { type: 'open', play: true, scheduled: [] };
const address = (request: number, run?: StoredRun): PageEvent => ({
  ...{ type: 'addressed', request, match: run, configuration, notices: [], additional: [] },
});
const CHOOSE: PageEvent = { type: 'choose', configuration, isEntry: true };
const START: PageEvent = { type: 'transport', button: 'play' };
const change = (klCoef: number): PageEvent => ({ type: 'change', changes: { klCoef } });
const LIVE = follow([OPEN, address(1), { type: 'ready' }]).state;
const RECORDED = follow([OPEN, address(1, match(false))]).state;

/** A state for each phase. */
const STATES: Readonly<Record<Phase, PageState>> = {
  closed: CLOSED,
  searching: follow([OPEN]).state,
  opening: follow([OPEN, address(1)]).state,
  live: LIVE,
  leaving: follow([{ type: 'travel' }], LIVE).state,
  warming: follow([{ type: 'warm-start' }, { type: 'warming' }], LIVE).state,
  recorded: RECORDED,
  stopped: follow([{ type: 'stopped' }], LIVE).state,
};

describe('the phases of the page', () => {
  test('each phase of the page is reachable and has a row in the transition table', () => {
    for (const [phase, state] of Object.entries(STATES)) expect(state.phase).toBe(phase);
    expect(Object.keys(STATES).sort()).toEqual(Object.keys(TABLE).sort());
  });

  test.each<[Phase, PageEvent, Phase]>([
    ['closed', OPEN, 'searching'],
    ['closed', START, 'closed'],
    ['searching', address(1), 'opening'],
    ['searching', address(1, match()), 'opening'],
    ['searching', address(1, match(false)), 'recorded'],
    ['searching', CHOOSE, 'opening'],
    ['searching', START, 'searching'],
    ['opening', { type: 'ready' }, 'live'],
    ['opening', { type: 'warming' }, 'warming'],
    ['opening', { type: 'stopped' }, 'stopped'],
    ['live', { type: 'travel' }, 'leaving'],
    ['live', { type: 'loaded', request: 9, match: match(false) }, 'recorded'],
    ['live', { type: 'imported', request: 9, saved, name: 'a.json' }, 'opening'],
    ['live', { type: 'return' }, 'opening'],
    ['leaving', { type: 'handed-over', request: 2 }, 'searching'],
    ['leaving', { type: 'return' }, 'searching'],
    ['warming', { type: 'ready' }, 'live'],
    ['warming', { type: 'previous', request: 9, match: undefined, again: configuration }, 'opening'],
    ['recorded', { type: 'ready' }, 'recorded'],
    ['recorded', START, 'live'],
    ['recorded', change(0.5), 'live'],
    ['recorded', { type: 'transport', button: 'pause' }, 'recorded'],
    ['recorded', { type: 'reread', request: 9, stored: match().stored }, 'opening'],
    ['stopped', { type: 'restart' }, 'opening'],
    ['stopped', { type: 'ready' }, 'live'],
  ])('in the phase %s, the event %o leads to the phase %s', (phase, event, next) => {
    expect(reduce(STATES[phase], { ...event, run: facts }).state.phase).toBe(next);
  });

  test('after a restart, a stopped run of another tab is recorded again, and a changed run is a copy', () => {
    const stopped = follow([{ type: 'stopped' }], RECORDED).state;
    expect(follow([{ type: 'restart' }], stopped).state.phase).toBe('recorded');
    const changed = follow([change(0.5), { type: 'restart' }], stopped);
    expect([changed.state.phase, ...changed.types]).toEqual(['opening', 'copy', 'notify', 'change', 'restart']);
  });
});

describe('actions before the run of the address is open', () => {
  test('actions before the run of the address is open apply to this run once, in order', () => {
    const { effects, state } = follow([
      OPEN,
      change(0.25),
      { type: 'drop-plan' },
      change(0.5),
      { type: 'transport', button: 'step' },
      address(1),
    ]);
    const commands = effects.filter(({ type }) => ['begin', 'change', 'send'].includes(type));
    expect(commands).toEqual([
      { type: 'begin', configuration, play: false },
      { type: 'change', changes: { klCoef: 0.5 } },
      { type: 'send', command: { type: 'drop-plan' }, to: 'shown' },
      { type: 'send', command: { type: 'step' }, to: 'all' },
    ]);
    expect(follow([CHOOSE], state).types).not.toContain('change');
  });

  test('Play before the run of the address is open trains a saved run, or a copy of a run of another tab', () => {
    const locked = follow([OPEN, START, address(1, match())]).effects;
    expect(locked.find(({ type }) => type === 'continue')).toMatchObject({ play: true });
    const { types } = follow([OPEN, START, address(1, match(false))]);
    expect(types.indexOf('copy')).toBeGreaterThan(types.indexOf('continue'));
    expect(types.indexOf('send')).toBeGreaterThan(types.indexOf('copy'));
  });

  test('actions before the run of the address is open do not apply to the run of another address', () => {
    const left = follow([OPEN, change(0.5), START, { type: 'travel' }, { type: 'handed-over', request: 2 }]);
    const { effects } = follow([address(2, match())], left.state);
    expect(effects.map(({ type }) => type)).not.toContain('change');
    expect(effects.find(({ type }) => type === 'continue')).toMatchObject({ play: false });
  });
});

describe('several requests', () => {
  const open = (): PageEvent => ({ type: 'open-saved', summary });

  test('the newest request that returns a run takes effect, regardless of the order of the responses', () => {
    const { state } = follow([open(), open()], LIVE);
    const late = follow(
      [
        { type: 'loaded', request: 3, match: match(true, 'second') },
        { type: 'loaded', request: 2, match: match(true, 'first') },
      ],
      state,
    );
    expect(late.effects.filter(({ type }) => type === 'continue')).toMatchObject([
      { match: { stored: { summary: { id: 'second' } } } },
    ]);
  });

  test('a pending request does not prevent the run of the address from opening, and a newer run does', () => {
    expect(follow([OPEN, open(), address(1)]).state.phase).toBe('opening');
    // The user opened another run before storage returned the run of the address.
    expect(follow([OPEN, CHOOSE, address(1)]).types.filter((type) => type === 'begin')).toHaveLength(1);
  });

  test('Back invalidates all earlier requests', () => {
    const { state } = follow([open(), { type: 'travel' }], LIVE);
    expect(follow([{ type: 'loaded', request: 2, match: match() }], state).effects).toEqual([]);
  });
});

test('a fork whose place is reserved by a series before its state arrives starts no run, and a message says why', () => {
  const requested = follow([{ type: 'fork', changes: {} }], LIVE);
  const request = requested.effects.find((effect) => effect.type === 'fork')?.request ?? Number.NaN;
  const forked: PageEvent = { type: 'forked', request, from: 0, saved: savedRun({ step: 5 }), changes: {} };
  const { state, effects } = follow([forked], requested.state, { ...facts, lent: MAX_LANES - 1 });
  expect(effects).toEqual([{ type: 'notify', notice: laneStrings.full(MAX_LANES) }]);
  expect([state.lanes, state.isForking]).toEqual([[], false]);
  // Another fork is possible as soon as the series has ended.
  expect(follow([{ type: 'fork', changes: {} }], state).types).toEqual(['fork']);
});

describe('history entries', () => {
  const order = ['show-address', 'begin', 'enter-address'];
  test('the first run of a page uses the history entry of its address, and a later run adds an entry', () => {
    expect(follow([OPEN, CHOOSE]).types.filter((type) => order.includes(type))).toEqual(['begin']);
    expect(follow([CHOOSE], LIVE).types.filter((type) => order.includes(type))).toEqual(order);
    const travelled = follow([{ type: 'travel' }, CHOOSE], LIVE);
    expect(travelled.types.filter((type) => order.includes(type))).toEqual(['begin', 'enter-address']);
    expect(follow([{ ...CHOOSE, isEntry: false }], LIVE).types).not.toContain('enter-address');
  });
});

test('a cancelled warm start returns to the run before it, not to an earlier warm start', () => {
  const twice = follow(
    [
      { type: 'warm-start' },
      { type: 'warming' },
      { type: 'warm-start' },
      { type: 'warming' },
      { type: 'cancel-warm-start', usual: configuration },
    ],
    LIVE,
  );
  expect(twice.effects.at(-1)).toMatchObject({ type: 'load-previous', id: 'a', again: facts.link });
});

/** Model of the worker, storage and other tabs, derived from a sequence of effects. */
class Effects {
  id = 'none';
  runs = 0;
  isElsewhere = false;
  readonly lanes = new Set<number>();
  /** Requests without a response. */
  readonly requests: Effect[] = [];
  /** Number of the newest request that opened a run. */
  latest = 0;
  changes = 0;

  apply(effect: Effect, state: PageState): void {
    switch (effect.type) {
      case 'begin':
      case 'begin-file':
      case 'warm-start':
        this.open(`new-${++this.runs}`, false, state);
        break;
      case 'continue':
        this.open(effect.match.stored.summary.id, !effect.match.hasLock, state);
        break;
      case 'copy':
        expect(this.isElsewhere).toBe(true);
        this.isElsewhere = false;
        this.id = `copy-${++this.runs}`;
        break;
      case 'send':
      case 'change':
        expect(isOpen(state)).toBe(true);
        // No effect trains or changes the run of another tab. Additional runs belong to this tab.
        if (effect.type === 'send' && effect.command.type === 'pause') break;
        if (state.selected !== 0 && (effect.type === 'change' || effect.to === 'shown')) break;
        expect(this.isElsewhere).toBe(false);
        break;
      case 'restart':
        expect(isOpen(state)).toBe(true);
        break;
      case 'begin-lane':
        expect(this.lanes.has(effect.lane)).toBe(false);
        this.lanes.add(effect.lane);
        break;
      case 'close-lane':
        expect(this.lanes.delete(effect.lane)).toBe(true);
        break;
      case 'hand-over':
      case 'search':
      case 'load':
      case 'read-file':
      case 'load-previous':
      case 'reread':
      case 'fork':
      case 'pause-for-engine':
      case 'load-series':
        expect(effect.request).toBeLessThanOrEqual(state.requested);
        this.requests.push(effect);
        break;
      default:
    }
  }

  private open(id: string, isElsewhere: boolean, state: PageState): void {
    expect(state.applied).toBeGreaterThanOrEqual(this.latest);
    this.latest = state.applied;
    this.id = id;
    this.isElsewhere = isElsewhere;
    this.lanes.clear();
  }

  /**
   * Returns the response to a request; undefined without one.
   * @param index selects the request and the kind of its response
   */
  answer(index: number): PageEvent | undefined {
    const [effect] = this.requests.splice(index % Math.max(1, this.requests.length), 1);
    const hasLock = index % 2 === 0;
    const any = match(hasLock, `saved-${index % 5}`);
    const some = index % 3 === 0 ? undefined : any;
    switch (effect?.type) {
      case 'hand-over':
        return { type: 'handed-over', request: effect.request };
      case 'search':
        return address(effect.request, some);
      case 'load':
        return some && { type: 'loaded', request: effect.request, match: some };
      case 'read-file':
        return some && { type: 'imported', request: effect.request, saved, name: 'a.json' };
      case 'load-previous':
        return { type: 'previous', request: effect.request, match: some, again: effect.again };
      case 'reread':
        return some && { type: 'reread', request: effect.request, stored: match(true, this.id).stored };
      case 'fork':
        return { ...effect, type: 'forked', saved: some && saved };
      case 'pause-for-engine':
        return { ...effect, type: 'engine-state', play: true, saved: some && saved };
      case 'load-series':
        return { type: 'series-loaded', request: effect.request, series: {} as SeedSeries };
      default:
        return undefined;
    }
  }
}

type Command = (effects: Effects, argument: number) => PageEvent | undefined;
const always =
  (event: PageEvent): Command =>
  () =>
    event;

const COMMANDS: Readonly<Record<string, Command>> = {
  ...{ open: always(OPEN), travel: always({ type: 'travel' }), choose: always(CHOOSE), play: always(START) },
  pause: always({ type: 'transport', button: 'pause' }),
  step: always({ type: 'transport', button: 'step' }),
  change: (_, argument) => change(argument / 100),
  'drop-plan': always({ type: 'drop-plan' }),
  'open-saved': always({ type: 'open-saved', summary }),
  import: always({ type: 'import', file: {} as File }),
  'warm-start': always({ type: 'warm-start' }),
  'cancel-warm-start': always({ type: 'cancel-warm-start', usual: configuration }),
  ...{ restart: always({ type: 'restart' }), return: always({ type: 'return' }), ready: always({ type: 'ready' }) },
  ...{ warming: always({ type: 'warming' }), stopped: always({ type: 'stopped' }) },
  released: ({ id }, argument) => ({ type: 'released', id: argument % 2 === 0 ? id : 'another' }),
  copied: (_, argument) => ({ type: 'copied', step: 3, isPresent: argument % 2 === 0 }),
  compare: always({ ...CHOOSE, play: true, additional: [configuration, configuration] }),
  ...{ fork: always({ type: 'fork', changes: {} }), engine: always({ type: 'engine', engine: 'wgsl' }) },
  show: (_, argument) => ({ type: 'show', lane: argument % 9 }),
  close: (_, argument) => ({ type: 'close', lane: argument % 9 }),
  seeds: always({ type: 'seeds', count: 3, steps: 30 }),
  'close-series': always({ type: 'close-series' }),
  answer: (effects, argument) => effects.answer(argument),
};

test('in any order of actions and responses, only the newest run is open, and no run of another tab is trained', () => {
  const phases = new Set<Phase>();
  const commands = fc.array(fc.tuple(fc.constantFrom(...Object.keys(COMMANDS), 'answer', 'answer'), fc.nat(99)), {
    minLength: 5,
    maxLength: 60,
  });
  fc.assert(
    fc.property(commands, (sequence) => {
      const world = new Effects();
      let { state } = reduce(CLOSED, { ...OPEN, run: facts });
      world.apply({ type: 'search', request: state.applied }, state);
      for (const [name, argument] of sequence) {
        const event = COMMANDS[name]?.(world, argument);
        if (!event) continue;
        const run = { ...facts, id: world.id };
        const next = reduce(state, { ...event, run });
        const started = next.effects.filter(({ type }) =>
          ['begin', 'continue', 'begin-file', 'warm-start'].includes(type),
        );
        expect(started.length).toBeLessThanOrEqual(1);
        // A response to a request that a newer request superseded has no effect.
        if ('request' in event && event.request < state.applied) {
          expect(next).toEqual({ state: { ...state, isForking: next.state.isForking }, effects: [] });
        }
        expect(next.state.applied).toBeLessThanOrEqual(next.state.requested);
        // The page returns only to a run in one of these phases, and not to a warm start.
        if (next.state.previous !== state.previous) {
          expect(['live', 'recorded', 'stopped']).toContain(state.phase);
          expect(next.state.previous?.id).toBe(world.id);
        }
        for (const effect of next.effects) world.apply(effect, next.state);
        if (isOpen(next.state)) expect(next.state.isElsewhere).toBe(world.isElsewhere);
        // The page has at most four runs, and the panels show one of them.
        expect(next.state.lanes).toEqual([...world.lanes]);
        expect(world.lanes.size).toBeLessThan(MAX_LANES);
        expect([0, ...world.lanes]).toContain(next.state.selected);
        if (next.effects.some(({ type }) => type === 'open-series')) expect(state.series).toBeGreaterThan(0);
        state = next.state;
        phases.add(state.phase);
      }
      // The page searches for the run of its address until a run is open.
      if (!isOpen(state)) {
        const pending = world.requests.some(({ type }) => type === 'search' || type === 'hand-over');
        expect(pending).toBe(true);
      }
    }),
    { numRuns: Number(process.env.RUN_SEQUENCES ?? 2000) },
  );
  expect([...phases].sort()).toEqual(
    Object.keys(TABLE)
      .filter((phase) => phase !== 'closed')
      .sort(),
  );
});
