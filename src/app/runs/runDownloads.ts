import type { Curve } from '../../storage/curve.ts';
import { asStorageError, type RunSummary } from '../../storage/runStore.ts';
import type { Message, SavedRun } from '../../training/data/protocol.ts';
import type { AnswerLocation, Answers } from '../look/answers.ts';
import { download } from '../look/download.ts';
import type { SessionController } from '../session/sessionController.ts';
import { savedRunStrings } from '../strings/savedRunStrings.ts';
import { strings } from '../strings/strings.ts';
import type { FileCurve, RunFile } from './runFiles.ts';
import type { RunLanes } from './runLanes.ts';
import type { StorageController } from './storageController.ts';

/** Session of the requested run, and its generation (number of runs begun) at the request. */
interface DownloadRequest {
  readonly session: SessionController;
  readonly generation: number;
}

/**
 * Downloads of runs, curves and groups as files. For a run in training, the worker must first send its state. The file
 * contains the run that the user requested, even if another run trains when the state arrives.
 */
export class RunDownloads {
  /** Open requests for the states of runs, by the ids of the runs. */
  private readonly pendingById = new Map<string, DownloadRequest>();
  private readonly subscribed = new WeakSet<SessionController>();

  constructor(
    session: SessionController,
    private readonly storage: StorageController,
    private readonly answers: Answers,
    private readonly give: typeof download = download,
    /** All runs of the page, beginning with its first run, and the run that the panels show. */
    private readonly lanes: Pick<RunLanes, 'all' | 'selected'> = { all: [session], selected: session },
  ) {
    this.listenTo(session);
  }

  /**
   * Downloads the present state of the shown run when its session sends this state. For a stopped run, downloads its
   * last state.
   */
  run(): void {
    const session = this.lanes.selected;
    session.flush();
    if (session.model.status === 'stopped') this.lastState(session);
    else {
      this.listenTo(session);
      this.pendingById.set(session.id, { session, generation: session.generation });
      this.answer('share', strings.shell.saved.waiting, false);
      session.send({ type: 'save' });
    }
  }

  /** Updates a request after its run received another id. */
  renamed(id: string, newId: string): void {
    const pending = this.pendingById.get(id);
    if (pending === undefined) return;
    this.pendingById.delete(id);
    this.pendingById.set(newId, pending);
  }

  /** Downloads the last state for open requests, because a restarted worker does not receive them. */
  restarted(): void {
    for (const [id, { session }] of [...this.pendingById]) if (session.id === id) this.lastState(session);
  }

  /** Downloads a saved run. @returns false if storage cannot load the run; a notice of storage has the reason */
  async writeStored(summary: RunSummary): Promise<boolean> {
    const storedRun = await this.storage.load(summary);
    if (storedRun) await this.offerRun(storedRun.saved, summary.id, storedRun.curve, { slot: 'runs' });
    return storedRun !== undefined;
  }

  async curves(): Promise<void> {
    const trained = this.lanes.all.filter(({ model }) => model.step > 0 && model.metrics.length > 0);
    const runs = await Promise.all(
      trained.map(async ({ model, id }) => {
        const { configuration, link, appliedEvents, step } = model;
        const known = model.curve.copy();
        const { curve = known, ...rest } = await this.completeCurve(id, step, known);
        return { run: { configuration, link, appliedEvents }, curve, ...rest };
      }),
    );
    const { runCurvesFile } = await import('./runFiles.ts');
    const file = runCurvesFile(runs);
    if (file) this.sendFile('share', file);
    else this.answer('share', strings.shell.saved.noCurves, true);
  }

  async group(): Promise<void> {
    const { group } = this.lanes.selected.model;
    if (group) this.sendFile('share', (await import('./runFiles.ts')).groupFile(group));
    else this.answer('share', strings.shell.saved.noGroup, true);
  }

  private listenTo(session: SessionController): void {
    if (this.subscribed.has(session)) return;
    this.subscribed.add(session);
    session.listen((message, runId) => this.onMessage(session, message, runId));
  }

  private onMessage(session: SessionController, message: Message, runId: string): void {
    if (this.pendingById.size === 0) return;
    if (message.type === 'checkpoint' && this.pendingById.delete(runId)) {
      const known = runId === session.id ? session.model.curve : undefined;
      void this.offerRun(message.saved, runId, known, { slot: 'share' });
    } else if (message.type === 'status' && message.status === 'stopped') {
      // A running worker still sends a requested state, but a crashed worker does not.
      this.abandon(session);
      session.flush();
      if (this.pendingById.has(session.id)) this.lastState(session);
    } else if (message.type === 'ready') {
      this.abandon(session);
    }
  }

  /** Drops the requests for earlier runs of a session, because its worker has opened another run. */
  private abandon(session: SessionController): void {
    const before = [...this.pendingById].filter(
      ([, pending]) => pending.session === session && pending.generation < session.generation,
    );
    for (const [id] of before) this.pendingById.delete(id);
    if (before.length > 0) this.answer('share', savedRunStrings.download.replaced, true);
  }

  /** Downloads the last state of a run that sends no more states. */
  private lastState({ model, id }: SessionController): void {
    this.pendingById.delete(id);
    const { checkpoint } = model;
    if (!checkpoint) {
      this.answer('share', savedRunStrings.download.none, true);
      return;
    }
    void this.offerRun(checkpoint, id, model.curve, {
      slot: 'share',
      first: savedRunStrings.download.late(checkpoint.step),
    });
  }

  /** Downloads a state with its curve. @param first text before the description of missing updates */
  private async offerRun(
    saved: SavedRun,
    id: string,
    known: Curve | undefined,
    { slot, first }: { readonly slot: AnswerLocation; readonly first?: string },
  ): Promise<void> {
    const fallback = known?.copy();
    fallback?.cut(saved.step);
    const { curve, ...rest } = await this.completeCurve(id, saved.step, fallback);
    if (!curve) {
      this.answer(slot, savedRunStrings.download.notStored, true);
      return;
    }
    const { runFile } = await import('./runFiles.ts');
    this.sendFile(slot, runFile(saved, { curve, ...rest }, first));
  }

  /** Returns the complete curve. If storage cannot read it, returns the part that the page has, and the reason. */
  private async completeCurve(
    id: string,
    step: number,
    known: Curve | undefined,
  ): Promise<FileCurve<Curve | undefined>> {
    try {
      return { curve: (await this.storage.curveOf(id, step)) ?? known };
    } catch (error) {
      return { curve: known, lacking: savedRunStrings.download.partly(asStorageError(error).message) };
    }
  }

  private sendFile(slot: AnswerLocation, { name, type, contents, message, isIncomplete }: RunFile): void {
    this.give(name, type, contents);
    this.answer(slot, message, isIncomplete);
  }

  private answer(slot: AnswerLocation, text: string, failed: boolean): void {
    this.answers[failed ? 'failed' : 'done'](slot, text);
  }
}
