import type { RunSummary } from '../../storage/runStore.ts';
import type { Answers } from '../look/answers.ts';
import type { SessionController } from '../session/sessionController.ts';
import { savedRunStrings } from '../strings/savedRunStrings.ts';
import type { RunDownloads } from './runDownloads.ts';
import type { StorageController } from './storageController.ts';

/** Deletes, saves and exports the runs of the list. The results appear next to its buttons. */
export class SavedRuns {
  constructor(
    private readonly session: SessionController,
    private readonly storage: StorageController,
    private readonly downloads: RunDownloads,
    private readonly answers: Answers,
  ) {}

  async remove(run: RunSummary): Promise<void> {
    if (!(await this.storage.remove(run))) return this.answerFromStorage();
    const current = run.id === this.session.id;
    this.answers.done('runs', (current ? savedRunStrings.removedCurrent : savedRunStrings.removed)(run.name));
  }

  /** Saves the current run again after it was deleted. */
  retrySave(): void {
    const { id, model } = this.session;
    this.storage.retrySave(id, model.curve);
    this.answers.done('runs', savedRunStrings.savedNotice);
    if (model.status !== 'stopped') this.session.send({ type: 'save' });
    else if (model.checkpoint) this.storage.save(id, model.checkpoint);
  }

  async download(run: RunSummary): Promise<void> {
    if (!(await this.downloads.writeStored(run))) this.answerFromStorage();
  }

  /** Shows the notice of storage next to the button that the user pressed. */
  answerFromStorage(): void {
    const notice = this.storage.consumeNotice();
    if (notice) this.answers.failed('runs', notice);
  }
}
