import type { SavedRun } from '../../training/data/protocol.ts';

/** Callbacks of storage for changes by other tabs. */
export interface StorageListener {
  /**
   * Called when another tab has continued the run, and writing `saved` would replace its state. The updates trained in
   * this tab are saved as a copy instead.
   * @param opened true if the run was opened again meanwhile; its old id then refers to the other tab's state
   */
  copied(id: string, copy: string, opened: boolean, saved: SavedRun): void;
  /** Called when another tab removed a run. The run is no longer saved. */
  removed(id: string, name: string): void;
}
