import type { ParameterValues } from '../../parameters/parameters.ts';
import type { LoadedRun, RunSummary } from '../../storage/runStore.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { Command, SavedRun } from '../../training/data/protocol.ts';

/**
 * Phases of the page's first run:
 * - `closed`: the page has not opened.
 * - `leaving`: Back or Forward reached another run's address; the worker sends the state of the present run.
 * - `searching`: storage searches for the run of the address.
 * - `opening`: the worker received the run and has not answered.
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

/** The run that the present one replaced. */
export interface PreviousRun {
  readonly id: string;
  readonly link: RunConfiguration;
}

export interface PageState {
  readonly phase: Phase;
  /** Number of the last request for a run. */
  readonly requested: number;
  /** Number of the request that the shown run belongs to. Results of earlier requests are ignored. */
  readonly applied: number;
  /** A new run of the address begins to train. */
  readonly trains: boolean;
  /** The entry of the history exists already, because Back or Forward led to it. */
  readonly hasEntry: boolean;
  readonly pending: PendingActions;
  readonly previous: PreviousRun | undefined;
  /** Schedule of the run at its start, without changes by the user. */
  readonly scheduled: RunConfiguration['schedule'];
  /** Another tab trains the run. */
  readonly isElsewhere: boolean;
}

/** The first run at the time of an event. */
export interface RunFacts extends PreviousRun {
  readonly step: number;
  /** The run trains, or trains when it is open. */
  readonly trains: boolean;
  /** The panels show this run, not an additional one. */
  readonly isSelected: boolean;
}

/** A run in storage, and whether this tab holds its lock. */
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
  /** The state of the run that was left is in storage. */
  | { readonly type: 'handed-over'; readonly request: number }
  /** Storage answered for the address. */
  | ({ readonly type: 'addressed'; readonly request: number } & AddressedRun)
  /** The user chose a new run. */
  | ({ readonly type: 'choose' } & NewRun)
  /** The user chose a run of storage or of a file. */
  | { readonly type: 'open-saved'; readonly summary: RunSummary }
  | { readonly type: 'import'; readonly file: File }
  | { readonly type: 'loaded'; readonly request: number; readonly match: StoredRun }
  | { readonly type: 'imported'; readonly request: number; readonly saved: SavedRun; readonly name: string }
  | { readonly type: 'warm-start' }
  | { readonly type: 'cancel-warm-start'; readonly usual: RunConfiguration }
  /** Storage answered for the run before a warm start. */
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
  /** The page's element returned to the document; its worker had ended. */
  | { readonly type: 'return' }
  /** Messages of the worker. */
  | { readonly type: 'ready' }
  | { readonly type: 'warming' }
  | { readonly type: 'stopped' }
  /** The other tab closed the run, and this tab holds its lock. */
  | { readonly type: 'released'; readonly id: string }
  | { readonly type: 'reread'; readonly request: number; readonly stored: LoadedRun }
  /** Storage saved updates under another id, because another tab has written the run. */
  | {
      readonly type: 'copied';
      readonly id: string;
      readonly copy: string;
      readonly step: number;
      /** The run was opened again meanwhile. */
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

/** A run from its beginning. */
export interface NewRun {
  readonly configuration: RunConfiguration;
  /** Default: the run trains if the present one does. */
  readonly play?: boolean;
  /** Additional runs. */
  readonly additional?: readonly RunConfiguration[];
  /** The run is another entry of the history. */
  readonly isEntry: boolean;
}

export type Effect =
  | { readonly type: 'open-worker' }
  /** Requests, whose results are events. */
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
  /** A run for the worker. */
  | { readonly type: 'begin'; readonly configuration: RunConfiguration; readonly play: boolean }
  | { readonly type: 'continue'; readonly match: StoredRun; readonly play: boolean; readonly isLatest: boolean }
  | { readonly type: 'begin-file'; readonly saved: SavedRun }
  | { readonly type: 'warm-start' }
  | { readonly type: 'restart'; readonly run: 'first' | 'shown' }
  /** Leaves the runs before the present one to other tabs. */
  | { readonly type: 'release' }
  /** Gives the run a new id, under which its updates are saved. */
  | { readonly type: 'copy' }
  | { readonly type: 'rename'; readonly id: string; readonly copy: string }
  /** Additional runs. */
  | { readonly type: 'begin-additional'; readonly configurations: readonly RunConfiguration[] }
  | { readonly type: 'open-additional'; readonly configurations: readonly RunConfiguration[] }
  | { readonly type: 'send'; readonly command: Command; readonly to: 'all' | 'first' | 'shown' }
  | { readonly type: 'change'; readonly changes: ParameterValues }
  /** Shows values that the run has as soon as it is open. */
  | { readonly type: 'expect'; readonly changes: ParameterValues }
  /** Writes the run into the present entry of the history, or into a new one. */
  | { readonly type: 'show-address' }
  | { readonly type: 'enter-address' }
  | { readonly type: 'notices'; readonly notices: readonly string[] }
  | { readonly type: 'notify'; readonly notice: string }
  | { readonly type: 'answer'; readonly text: string };
