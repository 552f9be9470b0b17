import type { Curve } from '../../storage/curve.ts';
import { asStorageError, type RunSummary } from '../../storage/runStore.ts';
import type { Message, SavedRun } from '../../training/data/protocol.ts';
import type { RunLanes } from '../lanes/runLanes.ts';
import type { AnswerLocation, Answers } from '../look/answers.ts';
import type { SessionController } from '../session/sessionController.ts';
import { savedRunStrings } from '../strings/keptStrings.ts';
import { strings } from '../strings/strings.ts';
import { download } from './download.ts';
import type { FileCurve, RunFile } from './runFiles.ts';
import type { StorageController } from './storageController.ts';

/** Session of the requested run, and the number of its beginnings at the request. */
interface DownloadRequest {
  readonly session: SessionController;
  readonly beginning: number;
}

/**
 * Files that the user downloads: runs, curves, groups. For a run that is trained, the worker must first send its state.
 * The file contains the run that the user requested, even if another run trains when the state arrives.
 */
export class RunDownloads {
  /** Requests for the states of runs that have not answered, by the ids of the runs. */
  private readonly asked = new Map<string, DownloadRequest>();
  private readonly heard = new WeakSet<SessionController>();

  constructor(
    session: SessionController,
    private readonly storage: StorageController,
    private readonly answers: Answers,
    private readonly give: typeof download = download,
    /** All runs of the page, the first one first, and the one that its panels show. */
    private readonly lanes: Pick<RunLanes, 'all' | 'shown'> = { all: [session], shown: session },
  ) {
    this.listenTo(session);
  }

  /**
   * Downloads the present state of the shown run when its session sends it. For a stopped run, downloads its last
   * state.
   */
  run(): void {
    const session = this.lanes.shown;
    session.flush();
    if (session.model.status === 'stopped') this.lastState(session);
    else {
      this.listenTo(session);
      this.asked.set(session.id, { session, beginning: session.beginnings });
      this.answer('share', strings.shell.saved.waiting, false);
      session.send({ type: 'save' });
    }
  }

  /** Updates a request after its run received another id. */
  renamed(id: string, newId: string): void {
    const asked = this.asked.get(id);
    if (asked === undefined) return;
    this.asked.delete(id);
    this.asked.set(newId, asked);
  }

  /** Answers pending requests from the last state: a new worker continues the run and has no requests. */
  restarted(): void {
    for (const [id, { session }] of [...this.asked]) if (session.id === id) this.lastState(session);
  }

  /** A run of this device; false where storage cannot give it, and says why. */
  async kept(summary: RunSummary): Promise<boolean> {
    const kept = await this.storage.load(summary);
    if (kept) await this.giveRun(kept.saved, summary.id, kept.curve, { place: 'runs' });
    return kept !== undefined;
  }

  async curves(): Promise<void> {
    const trained = this.lanes.all.filter(({ model }) => model.step > 0 && model.metrics.length > 0);
    const runs = await Promise.all(
      trained.map(async ({ model, id }) => {
        const { configuration, link, happened, step } = model;
        const known = model.curve.copy();
        const { curve = known, ...rest } = await this.wholeCurve(id, step, known);
        return { run: { configuration, link, happened }, curve, ...rest };
      }),
    );
    const { runCurvesFile } = await import('./runFiles.ts');
    const file = runCurvesFile(runs);
    if (file) this.sendFile('share', file);
    else this.answer('share', strings.shell.saved.noCurves, true);
  }

  async group(): Promise<void> {
    const { group } = this.lanes.shown.model;
    if (group) this.sendFile('share', (await import('./runFiles.ts')).groupFile(group));
    else this.answer('share', strings.shell.saved.noGroup, true);
  }

  private listenTo(session: SessionController): void {
    if (this.heard.has(session)) return;
    this.heard.add(session);
    session.listen((message, runId) => this.hear(session, message, runId));
  }

  private hear(session: SessionController, message: Message, runId: string): void {
    if (this.asked.size === 0) return;
    if (message.type === 'checkpoint' && this.asked.delete(runId)) {
      const known = runId === session.id ? session.model.curve : undefined;
      void this.giveRun(message.saved, runId, known, { place: 'share' });
    } else if (message.type === 'status' && message.status === 'stopped') {
      // A worker that still lives answers all the same; a dead one does not.
      this.giveUp(session);
      session.flush();
      if (this.asked.has(session.id)) this.lastState(session);
    } else if (message.type === 'ready') {
      this.giveUp(session);
    }
  }

  /** The worker has turned to another run: nothing more comes of those before. */
  private giveUp(session: SessionController): void {
    const before = [...this.asked].filter(
      ([, asked]) => asked.session === session && asked.beginning < session.beginnings,
    );
    for (const [id] of before) this.asked.delete(id);
    if (before.length > 0) this.answer('share', savedRunStrings.download.replaced, true);
  }

  /** Nothing more will come of the run. */
  private lastState({ model, id }: SessionController): void {
    this.asked.delete(id);
    const { checkpoint } = model;
    if (!checkpoint) {
      this.answer('share', savedRunStrings.download.none, true);
      return;
    }
    void this.giveRun(checkpoint, id, model.curve, {
      place: 'share',
      first: savedRunStrings.download.late(checkpoint.step),
    });
  }

  /** @param first is said before what the file lacks */
  private async giveRun(
    saved: SavedRun,
    id: string,
    known: Curve | undefined,
    { place, first }: { readonly place: AnswerLocation; readonly first?: string },
  ): Promise<void> {
    const fallback = known?.copy();
    fallback?.cut(saved.step);
    const { curve, ...rest } = await this.wholeCurve(id, saved.step, fallback);
    if (!curve) {
      this.answer(place, savedRunStrings.download.gone, true);
      return;
    }
    const { runFile } = await import('./runFiles.ts');
    this.sendFile(place, runFile(saved, { curve, ...rest }, first));
  }

  /** The complete curve; the part that the page has if storage cannot return it, and the reason. */
  private async wholeCurve(id: string, step: number, known: Curve | undefined): Promise<FileCurve<Curve | undefined>> {
    try {
      return { curve: (await this.storage.curveOf(id, step)) ?? known };
    } catch (error) {
      return { curve: known, lacking: savedRunStrings.download.partly(asStorageError(error).message) };
    }
  }

  private sendFile(place: AnswerLocation, { name, type, contents, message, isIncomplete }: RunFile): void {
    this.give(name, type, contents);
    this.answer(place, message, isIncomplete);
  }

  private answer(place: AnswerLocation, text: string, failed: boolean): void {
    this.answers[failed ? 'failed' : 'done'](place, text);
  }
}
