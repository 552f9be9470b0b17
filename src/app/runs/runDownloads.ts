import type { Curve } from '../../storage/curve.ts';
import { asStorageError, type RunSummary } from '../../storage/runStore.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import type { AnswerLocation, Answers } from '../look/answers.ts';
import type { download } from '../look/download.ts';
import { OpenRun } from '../session/openRun.ts';
import type { SessionController } from '../session/sessionController.ts';
import { savedRunStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';
import type { FileCurve, RunFile } from './runFiles.ts';
import type { StorageController } from './storageController.ts';

/** Parts of the page that downloads use. */
interface DownloadPage {
  /** All runs of the page, beginning with its first run. */
  readonly all: readonly SessionController[];
  readonly selected: SessionController;
  readonly storage: StorageController;
  readonly answers: Answers;
  answerFromStorage(): void;
}

/**
 * Downloads of runs, curves and groups as files. For a run in training, the worker must first send its state. The file
 * contains the run that the user requested, even if another run trains when the state arrives.
 */
export class RunDownloads {
  /** Runs whose state was requested for a file and has not arrived. */
  private readonly pending = new Set<OpenRun>();

  constructor(
    private readonly page: DownloadPage,
    private readonly give: typeof download,
  ) {}

  /** Downloads the present state of the shown run. For a stopped run, downloads its last state. */
  async run(): Promise<void> {
    const session = this.page.selected;
    session.flush();
    const { run, model } = session;
    if (model.status === 'stopped') return this.lastState(session);
    if (this.pending.has(run)) return;
    this.pending.add(run);
    this.answer('share', strings.shell.saved.waiting, false);
    const saved = await session.requestState();
    this.pending.delete(run);
    const isPresent = session.run === run;
    if (saved) await this.offerRun(saved, run, isPresent ? model.curve : undefined, { slot: 'share' });
    else if (isPresent) await this.lastState(session);
    else this.answer('share', savedRunStrings.download.replaced, true);
  }

  /** Downloads a saved run. */
  async saved(summary: RunSummary): Promise<void> {
    const { storage } = this.page;
    const stored = await storage.load(summary);
    if (!stored) this.page.answerFromStorage();
    else {
      const { saved, curve } = stored;
      const run = new OpenRun(summary.id, saved.step, stored.summary.savedAt);
      await this.offerRun(saved, run, curve, { slot: 'runs' });
    }
  }

  async curves(): Promise<void> {
    const trained = this.page.all.filter(({ model }) => model.step > 0 && model.metrics.length > 0);
    const runs = await Promise.all(
      trained.map(async ({ model, run }) => {
        const { configuration, link, appliedEvents, step } = model;
        const known = model.curve.copy();
        const { curve = known, ...rest } = await this.completeCurve(run, step, known);
        return { run: { configuration, link, appliedEvents }, curve, ...rest };
      }),
    );
    const { runCurvesFile } = await import('./runFiles.ts');
    const file = runCurvesFile(runs);
    if (file) this.sendFile('share', file);
    else this.answer('share', strings.shell.saved.noCurves, true);
  }

  async group(): Promise<void> {
    const { group } = this.page.selected.model;
    if (group) this.sendFile('share', (await import('./runFiles.ts')).groupFile(group));
    else this.answer('share', strings.shell.saved.noGroup, true);
  }

  /** Downloads the last state of a run that sends no more states. */
  private async lastState(session: SessionController): Promise<void> {
    session.flush();
    const { model, run } = session;
    const { checkpoint } = model;
    const { none, late } = savedRunStrings.download;
    if (!checkpoint) this.answer('share', none, true);
    else await this.offerRun(checkpoint, run, model.curve, { slot: 'share', first: late(checkpoint.step) });
  }

  /** Downloads a state with its curve. @param first text before the description of missing updates */
  private async offerRun(
    saved: SavedRun,
    run: OpenRun,
    known: Curve | undefined,
    { slot, first }: { readonly slot: AnswerLocation; readonly first?: string },
  ): Promise<void> {
    const fallback = known?.copy();
    fallback?.cut(saved.step);
    const { curve, ...rest } = await this.completeCurve(run, saved.step, fallback);
    if (!curve) {
      this.answer(slot, savedRunStrings.download.notStored, true);
      return;
    }
    const { runFile } = await import('./runFiles.ts');
    this.sendFile(slot, runFile(saved, { curve, ...rest }, first));
  }

  /** Returns the complete curve. If storage cannot read it, returns the part that the page has, and the reason. */
  private async completeCurve(
    run: OpenRun,
    step: number,
    known: Curve | undefined,
  ): Promise<FileCurve<Curve | undefined>> {
    try {
      return { curve: (await this.page.storage.curveOf(run, step)) ?? known };
    } catch (error) {
      return { curve: known, lacking: savedRunStrings.download.partly(asStorageError(error).message) };
    }
  }

  private sendFile(slot: AnswerLocation, { name, type, contents, message, isIncomplete }: RunFile): void {
    this.give(name, type, contents);
    this.answer(slot, message, isIncomplete);
  }

  private answer(slot: AnswerLocation, text: string, failed: boolean): void {
    this.page.answers[failed ? 'failed' : 'done'](slot, text);
  }
}
