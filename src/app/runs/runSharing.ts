import type { KeptRun } from '../../storage/runStore.ts';
import type { SessionController } from '../session/sessionController.ts';
import { keptStrings } from '../strings/keptStrings.ts';
import { runName } from './naming.ts';
import type { StorageController } from './storageController.ts';
import type { Tabs } from './tabs.ts';

/** What the owner of the runs does for this one. */
export interface SharingHost {
  tell(notice: string): void;
  /** Opens a kept run, paused. */
  goOn(kept: KeptRun): void;
  /** What was trained under one number is another run now. */
  renamed(id: string, copy: string): void;
}

/**
 * One run in several tabs: one of them goes on with it. What another tab trains becomes a copy, and when the first tab
 * leaves the run, a tab that only shows it takes it over. So no tab ever writes over what another one trained.
 */
export class RunSharing {
  constructor(
    private readonly session: SessionController,
    private readonly storage: StorageController,
    private readonly tabs: Tabs,
    private readonly host: SharingHost,
  ) {
    storage.listener = {
      copied: (id, copy, opened, saved) => {
        if (!opened) this.goOnAsCopy(id, copy);
        host.tell(keptStrings.copied(saved.step));
      },
      removed: (id, name) => {
        if (id === session.id) host.tell(keptStrings.removedElsewhere(name));
      },
    };
    session.listen((message, id) => {
      // The run before has handed over its last state, and its worker has turned to this one.
      if (message.type === 'ready') void storage.written.then(() => this.keepOnly(id));
    });
  }

  /** A run begins that no other tab knows yet. */
  begin(): void {
    void this.hold(this.session.id);
  }

  /** Asks for a run, which is this tab's now or when another tab leaves it. */
  hold(id: string): Promise<boolean> {
    return this.tabs.hold(id, () => void this.takeOver(id));
  }

  private keepOnly(id: string): void {
    if (id === this.session.id) this.tabs.keepOnly(id);
  }

  /** The tab that went on with this run has left it. */
  private async takeOver(id: string): Promise<void> {
    const { session, storage } = this;
    if (session.id !== id) return;
    const { model } = session;
    storage.leaveToOthers(id, false);
    const kept = await storage.load({ id, name: runName(model) });
    session.flush();
    // What was trained here meanwhile becomes a copy when it is kept, if the other tab wrote since.
    if (session.model !== model || model.touched || !kept) return;
    storage.resume(kept, false);
    this.host.goOn(kept);
    this.host.tell(keptStrings.takenOver(kept.saved.step));
  }

  /** What was trained here would have replaced what another tab trained. */
  private goOnAsCopy(id: string, copy: string): void {
    const current = this.session.id === id;
    this.session.rename(id, copy);
    this.host.renamed(id, copy);
    if (current) void this.hold(copy).then(() => this.keepOnly(copy));
  }
}
