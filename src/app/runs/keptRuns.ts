import { asStorageError, type KeptRun, type RunSummary } from '../../storage/runStore.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import type { Answers } from '../look/answers.ts';
import { markForeign } from '../ownRule/foreignRules.ts';
import type { SessionController } from '../session/sessionController.ts';
import { keptStrings } from '../strings/keptStrings.ts';
import { strings } from '../strings/strings.ts';
import type { RunDownloads } from './runDownloads.ts';
import type { StorageController } from './storageController.ts';

/** What the owner of the runs does for this one. */
export interface KeptRunsHost {
  /**
   * The visitor chose another run, which has to be read first; asked once when it is there, it tells whether no later choice
   * came to something, and is the last one from then on.
   */
  ask(): () => boolean;
  /** Goes on with a kept run where it is still wanted, and tells whether it was. */
  goOnWith(kept: KeptRun, wanted: () => boolean): Promise<boolean>;
  /** Goes on with a run that storage does not have. */
  enter(saved: SavedRun): void;
}

/** What the list of runs does: open, delete, save and import runs. What comes of it is said beside its buttons. */
export class KeptRuns {
  constructor(
    private readonly session: SessionController,
    private readonly storage: StorageController,
    private readonly downloads: RunDownloads,
    private readonly answers: Answers,
    private readonly host: KeptRunsHost,
  ) {}

  /** Goes on with a run of this device, paused. */
  async open(run: RunSummary): Promise<void> {
    const wanted = this.host.ask();
    const kept = await this.storage.load(run);
    if (!kept) this.answerFromStorage();
    else if (await this.host.goOnWith(kept, wanted)) {
      this.answers.done('runs', strings.shell.opened(run.name, kept.saved.step));
    }
  }

  async remove(run: RunSummary): Promise<void> {
    if (!(await this.storage.remove(run))) return this.answerFromStorage();
    const current = run.id === this.session.id;
    this.answers.done('runs', (current ? keptStrings.removedCurrent : keptStrings.removed)(run.name));
  }

  /** The current run was deleted and is kept again. */
  keepAgain(): void {
    const { id, model } = this.session;
    this.storage.keepAgain(id, model.curve);
    this.answers.done('runs', keptStrings.keptAgain);
    if (model.status !== 'stopped') this.session.send({ type: 'save' });
    else if (model.checkpoint) this.storage.keep(id, model.checkpoint);
  }

  async download(run: RunSummary): Promise<void> {
    if (!(await this.downloads.kept(run))) this.answerFromStorage();
  }

  /** Goes on with the run in a file; a file that is none is named, and changes nothing. */
  async import(file: File): Promise<void> {
    const wanted = this.host.ask();
    let saved: SavedRun;
    try {
      const { readRunFile } = await import('../../storage/runFile.ts');
      saved = readRunFile(await file.text());
    } catch (error) {
      this.answers.failed('runs', strings.storage.badFile(file.name, asStorageError(error).message));
      return;
    }
    if (!wanted()) return;
    const { configuration, events } = saved;
    const changes = [...configuration.schedule, ...events].map((entry) =>
      'changes' in entry ? entry.changes.rule : '',
    );
    markForeign([configuration.controls.rule, ...changes]);
    this.host.enter(saved);
    this.storage.adopt(this.session.id, saved);
    this.answers.done('runs', strings.runs.imported(file.name));
  }

  /** What storage has just said of a run that a button was pressed for stands beside that button. */
  private answerFromStorage(): void {
    const { notice } = this.storage;
    this.storage.dismiss();
    if (notice) this.answers.failed('runs', notice);
  }
}
