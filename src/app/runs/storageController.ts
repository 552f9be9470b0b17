import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { Curve, fileCurve, mergeDownsampling } from '../../storage/curve.ts';
import { asStorageError, type LoadedRun, type RunStore, type RunSummary } from '../../storage/runStore.ts';
import { isCurveOf } from '../../storage/savedRun.ts';
import type { Message, SavedRun } from '../../training/data/protocol.ts';
import { describe, matchesQuery } from '../session/naming.ts';
import { OpenRun } from '../session/openRun.ts';
import type { SessionController } from '../session/sessionController.ts';
import { savedRunStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';
import type { TabMessage, Tabs } from './outside.ts';

/** Minimum time between two writes while a run trains. The worker sends states more often. */
const WRITE_EVERY_MS = 15_000;

/**
 * Maximum time that a page waits for storage when it searches for its run. If storage opens later, the updates trained
 * by then are saved.
 */
const LOOKUP_MS = 2000;

/** State that is not in storage yet. `curve` identifies the updates of the run at the time of the state. */
interface Pending {
  readonly run: OpenRun;
  readonly saved: SavedRun;
  readonly curve: Curve;
}

/** Events of storage that concern an open run. */
export interface StorageListener {
  /** Another tab has continued the run. The updates of this tab are saved as a copy, beginning with this step. */
  copied(run: OpenRun, step: number): void;
  /** Another tab removed a run. The run is no longer saved. */
  removed(id: string, name: string): void;
}

/**
 * Saves runs in storage: the states that the sessions send, and all updates. While a run trains, states are saved
 * periodically. A state is always saved when the run pauses or ends, and when the page is hidden. If storage is refused
 * or full, the page shows a notice and continues. A removed run is saved again only at the user's request.
 */
export class StorageController implements ReactiveController {
  runs: readonly RunSummary[] = [];
  /** Message about a problem of storage, for the user. */
  notice: string | undefined;
  /** Resolves when storage has been opened or refused. */
  readonly opened: Promise<void>;
  private store: RunStore | undefined;
  /** Newest states that are not written yet. */
  private readonly pending = new Map<OpenRun, Pending>();
  private writtenAt = 0;
  private work: Promise<void> = Promise.resolve();
  /** Ids of runs that are no longer saved. */
  private readonly removedIds = new Set<string>();

  constructor(
    private readonly host: ReactiveControllerHost,
    open: () => Promise<RunStore>,
    private readonly tabs: Tabs,
    private readonly listener: StorageListener = { copied() {}, removed() {} },
  ) {
    this.opened = this.open(open);
    host.addController(this);
  }

  /** Saves the runs of a session. */
  follow(session: Pick<SessionController, 'listen'>): void {
    session.listen((message, run) => this.receive(message, run));
  }

  /** Writes pending data on `pagehide`, because the browser may never restore a hidden page. */
  hostConnected(): void {
    window.addEventListener('pagehide', this.flush);
    this.tabs.listen((message) => void this.onTabMessage(message));
  }

  hostDisconnected(): void {
    window.removeEventListener('pagehide', this.flush);
  }

  /** True if the run was removed and is no longer saved. */
  isRemoved(id: string): boolean {
    return this.removedIds.has(id);
  }

  /** Loads the run with the id, or the newest run if it has the link. A notice reports an unreadable record. */
  latest(link: string, id?: string): Promise<LoadedRun | undefined> {
    return this.search(
      (runs) => runs.find((run) => run.id === id) ?? runs.slice(0, 1).find((run) => matchesQuery(run.link, link)),
    );
  }

  /** Loads the newest run that has the link. @param excluded ids of runs to skip */
  find(link: string, excluded: readonly string[]): Promise<LoadedRun | undefined> {
    return this.search((runs) => runs.find((run) => matchesQuery(run.link, link) && !excluded.includes(run.id)));
  }

  /** Loads the latest state of a saved run. Returns undefined and shows a notice if the record cannot be read. */
  async load({ id, name }: Pick<RunSummary, 'id' | 'name'>): Promise<LoadedRun | undefined> {
    this.flush();
    await this.work;
    try {
      return await this.store?.load(id);
    } catch (error) {
      const { kind, message } = asStorageError(error);
      if (kind === 'removed') await this.list();
      this.notify(kind === 'removed' ? savedRunStrings.deletedElsewhere(name) : strings.storage.corrupt(name, message));
      return undefined;
    }
  }

  /**
   * Returns all updates of a run before a step: first the updates in storage, then the unsaved ones. The curve is
   * downsampled to the size limit of a file.
   * @returns undefined if updates are missing
   * @throws {StorageError} if storage cannot read the updates
   */
  async curveOf(run: OpenRun, step: number): Promise<Curve | undefined> {
    const { written, storedId } = run;
    const lacking = run.lacking(step);
    await this.work;
    const curve = fileCurve();
    if (this.store && written > 0) {
      const stored = this.store.rows(storedId, Math.min(written, step));
      for await (const rows of stored) for (const row of rows) curve.push(row);
      curve.downsampled = mergeDownsampling(curve.downsampled, this.summaryOf(storedId)?.downsampled);
    }
    for (const row of lacking.metrics) curve.push(row);
    curve.downsampled = mergeDownsampling(curve.downsampled, lacking.downsampled);
    return isCurveOf(curve.rows, { step, downsampled: curve.downsampled }) ? curve : undefined;
  }

  /**
   * Removes a run after the present write. Its unwritten states are not written.
   * @returns true if the run was removed; a notice describes a failure
   */
  async remove(summary: RunSummary): Promise<boolean> {
    this.removedIds.add(summary.id);
    const erased = this.work.then(() => this.erase(summary));
    this.work = erased.then(() => {});
    return erased;
  }

  /**
   * Continues a saved run.
   * @param isLatest true to make the run the newest of the list
   * @param isElsewhere true if another tab trains the run; this tab then does not save the run
   */
  resume({ summary, saved }: LoadedRun, { isLatest = false, isElsewhere = false } = {}): OpenRun {
    this.removedIds.delete(summary.id);
    const run = new OpenRun(summary.id, saved.step, summary.savedAt);
    run.isElsewhere = isElsewhere;
    if (isLatest) this.save(run, saved);
    return run;
  }

  /** Saves an imported run, which includes all its updates. */
  adopt(saved: SavedRun): OpenRun {
    const run = new OpenRun();
    run.curve = Curve.of(saved, fileCurve());
    this.save(run, saved);
    return run;
  }

  /** Saves a removed run again. @param curve updates of the run that the page still has */
  resave(run: OpenRun, curve: Curve): void {
    this.removedIds.delete(run.id);
    run.unstore(curve.copy());
    this.writtenAt = 0;
  }

  /** Saves a state immediately. */
  save(run: OpenRun, saved: SavedRun): void {
    this.note(run, saved);
    this.flush();
  }

  dismiss(): void {
    this.notice = undefined;
    this.host.requestUpdate();
  }

  /** Returns and clears the notice. The caller shows it in another part of the page. */
  consumeNotice(): string | undefined {
    const { notice } = this;
    this.dismiss();
    return notice;
  }

  /** Resolves when all data received so far is written, or has failed. */
  get written(): Promise<void> {
    return this.work;
  }

  private async open(open: () => Promise<RunStore>): Promise<void> {
    try {
      this.store = await open();
    } catch (error) {
      this.notify(strings.storage.rejectedText(trimStop(asStorageError(error).message)));
      return;
    }
    await this.list();
  }

  private async list(): Promise<void> {
    try {
      this.runs = (await this.store?.list()) ?? [];
    } catch (error) {
      this.notify(strings.storage.listFailed(trimStop(asStorageError(error).message)));
    }
    this.host.requestUpdate();
  }

  private async search(
    select: (runs: readonly RunSummary[]) => RunSummary | undefined,
  ): Promise<LoadedRun | undefined> {
    await Promise.race([this.opened, new Promise((resolve) => setTimeout(resolve, LOOKUP_MS))]);
    const summary = select(this.runs);
    return summary && this.load(summary);
  }

  private summaryOf(id: string): RunSummary | undefined {
    return this.runs.find((run) => run.id === id);
  }

  private async onTabMessage(message: TabMessage): Promise<void> {
    if (message.type === 'removed') this.removeRecord(message.id, message.name);
    await this.opened;
    await this.list();
  }

  /** Handles the removal of a run by another tab. */
  private removeRecord(id: string, name: string): void {
    this.removedIds.add(id);
    this.listener.removed(id, name);
  }

  private receive(message: Message, run: OpenRun): void {
    if (message.type === 'metrics') run.addRow(message.metrics);
    if (message.type === 'checkpoint') this.note(run, message.saved);
    if (message.type === 'status') run.isTraining = message.status === 'playing';
    const isDue = message.type === 'checkpoint' && Date.now() - this.writtenAt >= WRITE_EVERY_MS;
    const isAtRest = !run.isTraining && (message.type === 'checkpoint' || message.type === 'status');
    if (isDue || isAtRest || message.type === 'left') this.flush();
  }

  private note(run: OpenRun, saved: SavedRun): void {
    // A run at step 0 is fully described by its link.
    if (saved.step === 0 || this.removedIds.has(run.id) || run.isElsewhere) return;
    this.pending.set(run, { run, saved, curve: run.curve });
  }

  /** Writes the newest states after all earlier writes. */
  private flush = (): void => {
    if (this.pending.size === 0) return;
    const pending = [...this.pending.values()];
    this.pending.clear();
    this.writtenAt = Date.now();
    for (const state of pending) this.work = this.work.then(() => this.write(state));
  };

  /** Writes a state. If the write fails, storage retains the older state. */
  private async write(pending: Pending): Promise<void> {
    await this.opened;
    const { run, saved, curve } = pending;
    // A run that was removed and saved again has another curve.
    if (!this.store || this.removedIds.has(run.id) || run.curve !== curve) return;
    const stored = this.summaryOf(run.storedId);
    const { metrics, downsampled: lacking } = run.lacking(saved.step);
    run.writing(saved.step);
    const downsampled = mergeDownsampling(run.written > 0 ? stored?.downsampled : undefined, lacking);
    const { id } = run;
    const summary = {
      ...{ id, ...describe(saved), step: saved.step, savedAt: Date.now(), bytes: saved.checkpoint.byteLength },
      ...(downsampled ? { downsampled } : {}),
    };
    try {
      await this.store.save(summary, { ...saved, metrics }, run.basis);
      // A run that was removed and saved again during the write does not follow this state.
      if (run.curve === curve) run.wrote(summary.savedAt);
      this.runs = [summary, ...this.runs.filter((known) => known.id !== id)];
      this.tabs.broadcast({ type: 'changed' });
      this.host.requestUpdate();
    } catch (error) {
      const { kind, message } = asStorageError(error);
      if (kind === 'overtaken') {
        run.copy();
        this.listener.copied(run, saved.step);
        await this.write(pending);
      } else if (kind === 'removed') this.removeRecord(id, summary.name);
      else
        this.notify(
          kind === 'full' ? strings.storage.full(stored?.step ?? null) : strings.storage.failed(trimStop(message)),
        );
    }
  }

  private async erase({ id, name }: RunSummary): Promise<boolean> {
    await this.opened;
    try {
      if (!this.store) {
        this.removedIds.delete(id);
        return false;
      }
      await this.store.remove(id);
      this.runs = this.runs.filter((run) => run.id !== id);
      this.notice = undefined;
      this.tabs.broadcast({ type: 'removed', id, name });
      return true;
    } catch (error) {
      this.removedIds.delete(id);
      this.notify(strings.storage.failed(asStorageError(error).message));
      return false;
    } finally {
      this.host.requestUpdate();
    }
  }

  private notify(notice: string): void {
    this.notice = notice;
    this.host.requestUpdate();
  }
}

/** Removes the full stop of a browser's error message, because the surrounding sentence has one. */
function trimStop(text: string): string {
  return text.replace(/\.$/, '');
}
