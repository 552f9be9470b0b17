import type { ParameterValues } from '../../parameters/parameters.ts';
import type { LoadedRun, RunSummary } from '../../storage/runStore.ts';
import type { EngineName, RunConfiguration } from '../../training/data/configuration.ts';
import type { Command, SavedRun } from '../../training/data/protocol.ts';
import type { SeedSeries } from './trainingQueue.ts';

/**
 * Phases of the page's first run:
 * - `closed`: the page has not opened.
 * - `leaving`: Back or Forward reached the address of another run; the worker sends the state of the present run.
 * - `searching`: storage searches for the run of the address.
 * - `opening`: the page sent the run to the worker, which has not sent `ready`.
 * - `warming`: the worker trains the starting policy.
 * - `live`: the run is in the worker.
 * - `recorded`: the page shows a run that another tab trains. Training here begins a copy.
 * - `stopped`: the worker failed; the user can restart the run.
 */
export type Phase = 'closed' | 'leaving' | 'searching' | 'opening' | 'warming' | 'live' | 'recorded' | 'stopped';

/** Actions of the user before the run of the address is open. */
export interface PendingActions {
  readonly changes: ParameterValues;
  readonly play?: boolean;
  readonly step?: boolean;
  readonly dropPlan?: boolean;
}

/** Run that the present run replaced. */
export interface PreviousRun {
  readonly id: string;
  readonly link: RunConfiguration;
}

export interface PageState {
  readonly phase: Phase;
  /** Number of the last request for a run. */
  readonly requested: number;
  /** Number of the request that the shown run results from. Results of earlier requests are ignored. */
  readonly applied: number;
  /** True if a new run of the address starts training. */
  readonly trains: boolean;
  /** True if the present entry of the history belongs to a run. A run that the user then chooses gets a new entry. */
  readonly hasEntry: boolean;
  readonly pending: PendingActions;
  readonly previous: PreviousRun | undefined;
  /** Schedule of the run at its start, without the user's changes. */
  readonly scheduled: RunConfiguration['schedule'];
  /** True if another tab trains the run. */
  readonly isElsewhere: boolean;
  /** Numbers of the additional runs, in the order of the page. */
  readonly lanes: readonly number[];
  /** Number of additional runs so far. Numbers are not reused. */
  readonly laneCount: number;
  /** Number of the run that the panels show and that their controls change. The first run has the number 0. */
  readonly selected: number;
  /** True while a requested state for a fork has not arrived. */
  readonly isForking: boolean;
  /** Engines that the user chose, by the numbers of the runs whose states have not arrived. */
  readonly engines: Readonly<Record<number, EngineName>>;
  /** Number of the request for the series of seeds; 0 if the series was closed. Other requests open no series. */
  readonly series: number;
}

/** State of the page's first run at the time of an event. */
export interface RunFacts extends PreviousRun {
  readonly step: number;
  /** True if the run trains, or trains when it is open. */
  readonly trains: boolean;
  /** Number of places in the worker that a running series reserves. The page does not show its runs. */
  readonly lent: number;
}

/** Start of an additional run: a new run, a saved run, or a fork of another run. */
export type LaneStart =
  | { readonly configuration: RunConfiguration; readonly play: boolean }
  | { readonly stored: LoadedRun; readonly play: boolean }
  | { readonly saved: SavedRun; readonly from: number; readonly changes: ParameterValues };

/** Run in storage. `hasLock` is true if this tab holds the lock of the run. */
export interface StoredRun {
  readonly stored: LoadedRun;
  readonly hasLock: boolean;
}

/** Transport buttons. */
export type Transport = 'play' | 'pause' | 'step';

export type PageEvent =
  /** The page opened. */
  | { readonly type: 'open'; readonly play: boolean; readonly scheduled: RunConfiguration['schedule'] }
  /** Back or Forward reached the address of another run. */
  | { readonly type: 'travel' }
  /** Storage contains the state of the run that was left. */
  | { readonly type: 'handed-over'; readonly request: number }
  /** The search for the run of the address has ended. */
  | ({ readonly type: 'addressed'; readonly request: number } & AddressedRun)
  /** The user chose a new run. */
  | ({ readonly type: 'choose' } & NewRun)
  /** The user chose a run from storage or from a file. */
  | { readonly type: 'open-saved'; readonly summary: RunSummary }
  | { readonly type: 'import'; readonly file: File }
  | { readonly type: 'loaded'; readonly request: number; readonly match: StoredRun }
  | { readonly type: 'imported'; readonly request: number; readonly saved: SavedRun; readonly name: string }
  | { readonly type: 'warm-start' }
  | { readonly type: 'cancel-warm-start'; readonly usual: RunConfiguration }
  /** The search for the run before a warm start has ended. */
  | {
      readonly type: 'previous';
      readonly request: number;
      readonly match: StoredRun | undefined;
      readonly again: RunConfiguration;
    }
  | { readonly type: 'transport'; readonly button: Transport }
  | { readonly type: 'change'; readonly changes: ParameterValues }
  | { readonly type: 'drop-plan' }
  | { readonly type: 'restart' }
  /** The element of the page returned to the document after its worker had ended. */
  | { readonly type: 'return' }
  /** Messages of the worker. */
  | { readonly type: 'ready' }
  | { readonly type: 'warming' }
  | { readonly type: 'stopped' }
  /** The other tab closed the run, and this tab now holds the lock. */
  | { readonly type: 'released'; readonly id: string }
  | { readonly type: 'reread'; readonly request: number; readonly stored: LoadedRun }
  /** Storage saves a run as a copy, because another tab has written the run. `isPresent` if the page shows the run. */
  | { readonly type: 'copied'; readonly step: number; readonly isPresent: boolean }
  /** Additional runs. `request` of a result is the value of `applied` at its request. */
  | { readonly type: 'show' | 'close'; readonly lane: number }
  | { readonly type: 'additional'; readonly request: number; readonly start: LaneStart }
  | { readonly type: 'fork'; readonly changes: ParameterValues }
  | {
      readonly type: 'forked';
      readonly request: number;
      readonly from: number;
      readonly saved: SavedRun | undefined;
      readonly changes: ParameterValues;
    }
  /** The user chose another engine for the shown run, and then its worker sent the state. */
  | { readonly type: 'engine'; readonly engine: EngineName }
  | {
      readonly type: 'engine-state';
      readonly request: number;
      readonly lane: number;
      readonly play: boolean;
      readonly saved: SavedRun | undefined;
    }
  /** Series of seeds. `request` is the value of `requested` at the request. */
  | { readonly type: 'seeds'; readonly count: number; readonly steps: number }
  | { readonly type: 'series-loaded'; readonly request: number; readonly series: SeedSeries }
  | { readonly type: 'train-seeds' | 'close-series' };

/** Result of the search for the run of an address. */
export interface AddressedRun {
  readonly match: StoredRun | undefined;
  readonly configuration: RunConfiguration;
  readonly notices: readonly string[];
  /** Additional runs. */
  readonly additional: readonly RunConfiguration[];
}

/** Run that starts at step 0. */
export interface NewRun {
  readonly configuration: RunConfiguration;
  /** True if the run starts training. By default it trains if the present run does. */
  readonly play?: boolean;
  /** Additional runs. */
  readonly additional?: readonly RunConfiguration[];
  /** True if the run gets a new entry in the browser's history. */
  readonly isEntry: boolean;
}

export type Effect =
  | { readonly type: 'open-worker' }
  /** Requests. Their results are events. */
  | { readonly type: 'hand-over'; readonly request: number }
  | { readonly type: 'search'; readonly request: number }
  | { readonly type: 'load'; readonly request: number; readonly summary: RunSummary }
  | { readonly type: 'read-file'; readonly request: number; readonly file: File }
  | {
      readonly type: 'load-previous';
      readonly request: number;
      readonly id: string | undefined;
      readonly again: RunConfiguration;
    }
  | { readonly type: 'reread'; readonly request: number }
  /** Starts a run in the worker. */
  | { readonly type: 'begin'; readonly configuration: RunConfiguration; readonly play: boolean }
  | { readonly type: 'continue'; readonly match: StoredRun; readonly play: boolean; readonly isLatest: boolean }
  | { readonly type: 'begin-file'; readonly saved: SavedRun }
  | { readonly type: 'warm-start' }
  | { readonly type: 'restart'; readonly run: 'first' | 'shown' }
  /** Releases the locks of earlier runs, so that other tabs can train them. */
  | { readonly type: 'release' }
  /** Turns the run into a copy with a new id. */
  | { readonly type: 'copy' }
  /** Requests the lock of the run, which has a new id. */
  | { readonly type: 'lock' }
  /** Additional runs. `request` is the value of `applied`. */
  | {
      readonly type: 'find-additional';
      readonly request: number;
      readonly configurations: readonly RunConfiguration[];
    }
  | { readonly type: 'begin-lane'; readonly lane: number; readonly start: LaneStart }
  | { readonly type: 'close-lane'; readonly lane: number }
  | { readonly type: 'fork'; readonly request: number; readonly from: number; readonly changes: ParameterValues }
  | { readonly type: 'pause-for-engine'; readonly request: number; readonly lane: number }
  | { readonly type: 'restart-lane'; readonly lane: number; readonly play: boolean; readonly engine: EngineName }
  /** Series of seeds. `request` is the value of `requested`. */
  | { readonly type: 'load-series'; readonly request: number; readonly count: number; readonly steps: number }
  | { readonly type: 'open-series'; readonly series: SeedSeries }
  | { readonly type: 'train-series' | 'close-series' }
  | { readonly type: 'send'; readonly command: Command; readonly to: 'all' | 'shown' }
  | { readonly type: 'change'; readonly changes: ParameterValues }
  /** Shows values that take effect when the run is open. */
  | { readonly type: 'expect'; readonly changes: ParameterValues }
  /** Writes the run to the present entry of the history, or to a new one. */
  | { readonly type: 'show-address' }
  | { readonly type: 'enter-address' }
  | { readonly type: 'notices'; readonly notices: readonly string[] }
  | { readonly type: 'notify'; readonly notice: string }
  | { readonly type: 'answer'; readonly text: string };
