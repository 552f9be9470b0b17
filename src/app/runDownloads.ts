import type { Curve } from '../storage/curve.ts';
import { asStorageError, type RunSummary } from '../storage/runStore.ts';
import type { Message, SavedRun } from '../training/protocol.ts';
import { curvesCsv, download, groupJsonLine, runFileOf } from './exports.ts';
import { keptStrings } from './keptStrings.ts';
import type { SessionController } from './session/sessionController.ts';
import type { StorageController } from './storageController.ts';
import { strings } from './strings.ts';

/** Where the button stands that was pressed. */
export type AnswerPlace = 'share' | 'runs';

/** Tells the visitor what came of a press. */
export type AnswerTo = (place: AnswerPlace, text: string, failed: boolean) => void;

/**
 * What the visitor takes along: runs, curves, groups. A run that is trained has to be asked of its worker first, and the
 * file is of the run that was asked for, whatever runs when the answer comes.
 */
export class RunDownloads {
  /** The runs that were asked for their states and have not answered, and after which beginning they were asked. */
  private readonly asked = new Map<string, number>();

  constructor(
    private readonly session: SessionController,
    private readonly storage: StorageController,
    private readonly answer: AnswerTo,
    private readonly give: typeof download = download,
  ) {
    session.listen((message, runId) => this.hear(message, runId));
  }

  /** The run as it is now, as soon as the session hands it over; of one that has stopped, its last state. */
  run(): void {
    this.session.flush();
    if (this.session.recorded) this.answer('share', strings.recording.cannot, true);
    else if (this.session.model.status === 'stopped') this.lastState();
    else {
      this.asked.set(this.session.id, this.session.beginnings);
      this.session.send({ type: 'save' });
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
    if (this.asked.has(this.session.id)) this.lastState();
  }

  /** A run of this device. */
  async kept(summary: RunSummary): Promise<void> {
    const kept = await this.storage.load(summary);
    if (kept) await this.giveRun(kept.saved, summary.id, kept.curve, 'runs');
  }

  async curves(): Promise<void> {
    const { model, id } = this.session;
    const curve = (await this.wholeCurve(id, model.step, model.curve.copy(), 'share')) ?? model.curve;
    this.give('turnwise-curves.csv', 'text/csv', curvesCsv(curve.rows));
    this.tellThinned(curve, 'share');
  }

  group(): void {
    const { group } = this.session.model;
    if (group) this.give('turnwise-group.jsonl', 'application/jsonl', groupJsonLine(group));
  }

  private hear(message: Message, runId: string): void {
    if (this.asked.size === 0) return;
    if (message.type === 'checkpoint' && this.asked.delete(runId)) {
      const known = runId === this.session.id ? this.session.model.curve : undefined;
      void this.giveRun(message.saved, runId, known, 'share');
    } else if (message.type === 'status' && message.status === 'stopped') {
      // A worker that still lives answers all the same; a dead one does not.
      this.giveUp();
      this.session.flush();
      if (this.asked.has(this.session.id)) this.lastState();
    } else if (message.type === 'ready') {
      this.giveUp();
    }
  }

  /** The worker has turned to another run: nothing more comes of those before. */
  private giveUp(): void {
    const before = [...this.asked].filter(([, beginning]) => beginning < this.session.beginnings);
    for (const [id] of before) this.asked.delete(id);
    if (before.length > 0) this.answer('share', keptStrings.download.replaced, true);
  }

  /** Nothing more will come of the run. */
  private lastState(): void {
    const { model, id } = this.session;
    this.asked.delete(id);
    const { checkpoint } = model;
    if (!checkpoint) {
      this.answer('share', keptStrings.download.none, true);
      return;
    }
    this.answer('share', keptStrings.download.late(checkpoint.step), false);
    void this.giveRun(checkpoint, id, model.curve, 'share');
  }

  private async giveRun(saved: SavedRun, id: string, known: Curve | undefined, place: AnswerPlace): Promise<void> {
    const fallback = known?.copy();
    fallback?.cut(saved.step);
    const curve = await this.wholeCurve(id, saved.step, fallback, place);
    if (!curve) {
      this.answer(place, keptStrings.download.gone, true);
      return;
    }
    const { thinned: _, ...state } = saved;
    const thinned = curve.thinned && { thinned: curve.thinned };
    this.give(...runFileOf({ ...state, metrics: curve.rows, ...thinned }));
    this.tellThinned(curve, place);
  }

  /** All updates, or what the page knows of them where storage cannot give them. */
  private async wholeCurve(id: string, step: number, known: Curve | undefined, place: AnswerPlace) {
    try {
      return (await this.storage.curveOf(id, step)) ?? known;
    } catch (error) {
      this.answer(place, keptStrings.download.partly(asStorageError(error).message), true);
      return known;
    }
  }

  private tellThinned({ thinned }: Curve, place: AnswerPlace): void {
    if (thinned) this.answer(place, keptStrings.download.thinned(thinned.every, thinned.before), false);
  }
}
