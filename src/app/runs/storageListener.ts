import type { SavedRun } from '../../training/data/protocol.ts';

/** What the owner of the runs is told. */
export interface StorageListener {
  /**
   * Another tab goes on with this run, and this state would have replaced that tab's: what was trained here is kept as
   * a copy.
   * @param opened the run was opened again meanwhile: under its old number runs the other tab's state
   */
  copied(id: string, copy: string, opened: boolean, saved: SavedRun): void;
  /** Another tab removed a run; it is no longer kept. */
  removed(id: string, name: string): void;
}
