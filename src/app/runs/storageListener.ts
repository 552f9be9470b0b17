import type { SavedRun } from '../../training/data/protocol.ts';

/** Notifications to the owner of the runs. */
export interface StorageListener {
  /**
   * Another tab continues this run, and this state would have replaced that tab's state. The updates trained here are
   * saved as a copy.
   * @param opened the run was opened again meanwhile: under its old id runs the other tab's state
   */
  copied(id: string, copy: string, opened: boolean, saved: SavedRun): void;
  /** Another tab removed a run; it is no longer kept. */
  removed(id: string, name: string): void;
}
