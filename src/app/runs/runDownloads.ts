import type { Curve } from '../../storage/curve.ts';
import { asStorageError, type RunSummary } from '../../storage/runStore.ts';
import type { Message, SavedRun } from '../../training/data/protocol.ts';
import type { RunLanes } from '../lanes/runLanes.ts';
import type { AnswerPlace, Answers } from '../look/answers.ts';
import type { SessionController } from '../session/sessionController.ts';
import { keptStrings } from '../strings/keptStrings.ts';
import { strings } from '../strings/strings.ts';
import { download } from './download.ts';
import type { StorageController } from './storageController.ts';

/** Whose run was asked for, and after which beginning. */
interface Asked {
  readonly session: SessionController;
  readonly beginning: number;
}

/**
 * What the visitor takes along: runs, curves, groups. A run that is trained has to be asked of its worker first, and the
 * file is of the run that was asked for, whatever runs when the answer comes.
 */
export class RunDownloads {
  /** The runs that were asked for their states and have not answered, by their numbers. */
  private readonly asked = new Map<string, Asked>();
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

  /** The shown run as it is now, as soon as its session hands it over; of one that has stopped, its last state. */
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

  /** The run that was asked has another number now. */
  renamed(id: string, other: string): void {
    const asked = this.asked.get(id);
    if (asked === undefined) return;
    this.asked.delete(id);
    this.asked.set(other, asked);
  }

  /** A new worker goes on, which was not asked for anything. */
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
        const { curve = model.curve, lacking } = await this.wholeCurve(id, step, model.curve.copy());
        const { rows: metrics, thinned } = curve;
        return { of: { configuration, link, happened, metrics, thinned }, curve, lacking };
      }),
    );
    const [first, ...others] = runs;
    if (!first) {
      this.answer('share', strings.shell.saved.noCurves, true);
      return;
    }
    const name = 'turnwise-curves.csv';
    const { curvesFile } = await import('./exports.ts');
    this.give(
      name,
      'text/csv',
      curvesFile(
        first.of,
        others.map(({ of }) => of),
      ),
    );
    const rows = runs.reduce((sum, { curve }) => sum + curve.rows.length, 0);
    const { curve } = runs.find((run) => run.curve.thinned) ?? first;
    this.tellGiven(
      'share',
      [strings.shell.saved.curves(name, rows)],
      curve,
      runs.find(({ lacking }) => lacking)?.lacking,
    );
  }

  async group(): Promise<void> {
    const { group } = this.lanes.shown.model;
    const texts = strings.shell.saved;
    if (!group) {
      this.answer('share', texts.noGroup, true);
      return;
    }
    const { groupJsonLine } = await import('./exports.ts');
    this.give('turnwise-group.jsonl', 'application/jsonl', groupJsonLine(group));
    this.answer('share', texts.group('turnwise-group.jsonl', group.step), false);
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
    if (before.length > 0) this.answer('share', keptStrings.download.replaced, true);
  }

  /** Nothing more will come of the run. */
  private lastState({ model, id }: SessionController): void {
    this.asked.delete(id);
    const { checkpoint } = model;
    if (!checkpoint) {
      this.answer('share', keptStrings.download.none, true);
      return;
    }
    void this.giveRun(checkpoint, id, model.curve, {
      place: 'share',
      first: keptStrings.download.late(checkpoint.step),
    });
  }

  /** @param first is said before what the file lacks */
  private async giveRun(
    saved: SavedRun,
    id: string,
    known: Curve | undefined,
    { place, first }: { readonly place: AnswerPlace; readonly first?: string },
  ): Promise<void> {
    const fallback = known?.copy();
    fallback?.cut(saved.step);
    const { curve, lacking } = await this.wholeCurve(id, saved.step, fallback);
    if (!curve) {
      this.answer(place, keptStrings.download.gone, true);
      return;
    }
    const { thinned: _, ...state } = saved;
    const thinned = curve.thinned && { thinned: curve.thinned };
    const { controls, seed } = saved.configuration;
    const name = `turnwise-${controls.rule}-seed-${seed}-step-${saved.step}.json`;
    const { runFileParts } = await import('../../storage/runFile.ts');
    this.give(name, 'application/json', runFileParts({ ...state, metrics: curve.rows, ...thinned }));
    this.tellGiven(place, [strings.shell.saved.run(name), first ?? []].flat(), curve, lacking);
  }

  /** All updates, or what the page knows of them where storage cannot give them, and then why it cannot. */
  private async wholeCurve(
    id: string,
    step: number,
    known: Curve | undefined,
  ): Promise<{ readonly curve: Curve | undefined; readonly lacking?: string }> {
    try {
      return { curve: (await this.storage.curveOf(id, step)) ?? known };
    } catch (error) {
      return { curve: known, lacking: keptStrings.download.partly(asStorageError(error).message) };
    }
  }

  /** What was given, and what it lacks. */
  private tellGiven(place: AnswerPlace, told: string[], { thinned }: Curve, lacking: string | undefined): void {
    const left = thinned ? [keptStrings.download.thinned(thinned.every, thinned.before)] : [];
    this.answer(place, [...told, lacking ?? [], ...left].flat().join(' '), lacking !== undefined);
  }

  private answer(place: AnswerPlace, text: string, failed: boolean): void {
    this.answers[failed ? 'failed' : 'done'](place, text);
  }
}
