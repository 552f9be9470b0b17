import type { ParameterValues } from '../../parameters/parameters.ts';
import type { LoadedRun, RunSummary } from '../../storage/runStore.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { Command, SavedRun } from '../../training/data/protocol.ts';

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
}

/** State of the page's first run at the time of an event. */
export interface RunFacts extends PreviousRun {
  readonly step: number;
  /** True if the run trains, or trains when it is open. */
  readonly trains: boolean;
  /** True if the panels show this run, false if they show an additional run. */
  readonly isSelected: boolean;
}

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
  /** Storage saved updates under another id, because another tab has written the run. */
  | {
      readonly type: 'copied';
      readonly id: string;
      readonly copy: string;
      readonly step: number;
      /** True if the run was opened again meanwhile. */
      readonly isReopened: boolean;
    };

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
  /** Assigns a new id to the run. Its updates are saved under this id. */
  | { readonly type: 'copy' }
  | { readonly type: 'rename'; readonly id: string; readonly copy: string }
  /** Additional runs. */
  | { readonly type: 'begin-additional'; readonly configurations: readonly RunConfiguration[] }
  | { readonly type: 'open-additional'; readonly configurations: readonly RunConfiguration[] }
  | { readonly type: 'send'; readonly command: Command; readonly to: 'all' | 'first' | 'shown' }
  | { readonly type: 'change'; readonly changes: ParameterValues }
  /** Shows values that take effect when the run is open. */
  | { readonly type: 'expect'; readonly changes: ParameterValues }
  /** Writes the run to the present entry of the history, or to a new one. */
  | { readonly type: 'show-address' }
  | { readonly type: 'enter-address' }
  | { readonly type: 'notices'; readonly notices: readonly string[] }
  | { readonly type: 'notify'; readonly notice: string }
  | { readonly type: 'answer'; readonly text: string };
