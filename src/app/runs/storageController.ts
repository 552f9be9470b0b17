import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { Curve, mergeDownsampling } from '../../storage/curve.ts';
import { asStorageError, type LoadedRun, type RunStore, type RunSummary } from '../../storage/runStore.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import { matchesQuery } from '../session/naming.ts';
import { newRunId } from '../session/sessionController.ts';
import { savedRunStrings } from '../strings/savedRunStrings.ts';
import { strings } from '../strings/strings.ts';
import { Following, type SavingSession } from './following.ts';
import type { StorageListener } from './storageListener.ts';
import { BrowserTabs, type TabMessage, type Tabs } from './tabs.ts';
import { loadCompleteCurve, type Pending, UnsavedUpdates } from './unsavedUpdates.ts';

/** Minimum time between two writes while a run trains. The worker sends states more often. */
const WRITE_EVERY_MS = 15_000;

/**
 * Maximum time that a page waits for storage when it searches for its run. If storage opens later, the updates trained
 * by then are saved.
 */
const LOOKUP_MS = 2000;

/** Returns the name and link of a run before it is saved. */
export type Describe = (saved: SavedRun) => { readonly name: string; readonly link: string };

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
  listener: StorageListener = { copied() {}, removed() {} };
  private store: RunStore | undefined;
  private readonly followed: Following;
  /** Newest states that are not written yet, by the ids of their runs. */
  private readonly pending = new Map<string, Pending>();
  private writtenAt = 0;
  private work: Promise<void> = Promise.resolve();
  private readonly unsavedById = new Map<string, UnsavedUpdates>();
  /** Ids of runs that are no longer saved. */
  private readonly removedIds = new Set<string>();
  /** Runs that another tab trains. */
  private readonly elsewhere = new Set<string>();

  constructor(
    private readonly host: ReactiveControllerHost,
    open: () => Promise<RunStore>,
    session: SavingSession,
    private readonly describe: Describe,
    private readonly tabs: Tabs = new BrowserTabs(),
  ) {
    this.opened = this.open(open);
    this.followed = new Following({
      flush: this.flush,
      // The session has sent all updates of the previous run.
      onStart: () => void this.work.then(() => this.drop()),
      updated: (id, row) => this.unsavedOf(id).addRow(row),
      onHandover: (id, saved, isRunning) => {
        this.note(id, saved);
        if (!isRunning || Date.now() - this.writtenAt >= WRITE_EVERY_MS) this.flush();
      },
    });
    this.follow(session);
    host.addController(this);
  }

  /** Saves the run of a session until the session ends. @param runId id of the run, if already known */
  follow(session: SavingSession, runId?: string): void {
    this.followed.add(session, runId);
  }

  /** Writes pending data on `pagehide`, because the browser may never restore a hidden page. */
  hostConnected(): void {
    window.addEventListener('pagehide', this.flush);
    this.tabs.listen((message) => void this.onTabMessage(message));
  }

  hostDisconnected(): void {
    window.removeEventListener('pagehide', this.flush);
  }

  get available(): boolean {
    return this.store !== undefined;
  }

  /** True if the run was removed and is no longer saved. */
  isRemoved(id: string): boolean {
    return this.removedIds.has(id);
  }

  /** Loads the run with the id, or the newest run if it has the link. A notice reports an unreadable record. */
  async latest(link: string, id?: string): Promise<LoadedRun | undefined> {
    await Promise.race([this.opened, new Promise((resolve) => setTimeout(resolve, LOOKUP_MS))]);
    const [newest] = this.runs;
    const summary =
      this.runs.find((run) => run.id === id) ?? (newest && matchesQuery(newest.link, link) ? newest : undefined);
    return summary && this.load(summary);
  }

  /** Loads the newest run that has the link. @param excluded ids of runs to skip */
  async find(link: string, excluded: readonly string[]): Promise<LoadedRun | undefined> {
    await Promise.race([this.opened, new Promise((resolve) => setTimeout(resolve, LOOKUP_MS))]);
    const summary = this.runs.find((run) => matchesQuery(run.link, link) && !excluded.includes(run.id));
    return summary && this.load(summary);
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
  async curveOf(id: string, step: number): Promise<Curve | undefined> {
    const unsaved = this.unsavedById.get(id);
    const known = unsaved?.known(id) ?? { written: step, storedId: id };
    const lacking = unsaved?.lacking(step);
    await this.work;
    const downsampled = this.runs.find((run) => run.id === known.storedId)?.downsampled;
    return loadCompleteCurve(this.store, step, { ...known, downsampled, lacking });
  }

  /**
   * Removes a run after the present write. Its unwritten state is dropped.
   * @returns true if the run was removed; a notice describes a failure
   */
  async remove(summary: RunSummary): Promise<boolean> {
    const { id } = summary;
    this.removedIds.add(id);
    const dropped = this.pending.get(id);
    this.pending.delete(id);
    const erased = this.work.then(() => this.erase(summary));
    this.work = erased.then(() => {});
    if (await erased) return true;
    this.removedIds.delete(id);
    if (dropped && !this.pending.has(id)) this.pending.set(id, dropped);
    return false;
  }

  /**
   * Continues a saved run.
   * @param isLatest true to make the run the newest of the list
   * @param isElsewhere true if another tab trains the run; this tab then does not save the run
   */
  resume({ summary, saved }: LoadedRun, { isLatest = false, isElsewhere = false } = {}): void {
    this.removedIds.delete(summary.id);
    if (isElsewhere) this.elsewhere.add(summary.id);
    else this.elsewhere.delete(summary.id);
    this.unsavedById.set(summary.id, new UnsavedUpdates(saved.step, { follows: summary.savedAt }));
    if (isLatest) this.save(summary.id, saved);
  }

  /** Saves further updates of a run under a new id, because another tab trains the run. */
  fork(id: string, copy: string): void {
    this.unsavedById.set(copy, this.unsavedOf(id).fork(id, copy));
    this.unsavedById.delete(id);
    this.elsewhere.delete(id);
  }

  /** Saves an imported run, which includes all its updates. */
  adopt(id: string, saved: SavedRun): void {
    this.removedIds.delete(id);
    this.unsavedById.set(id, new UnsavedUpdates(0, undefined, Curve.of(saved)));
    this.note(id, saved, saved);
    this.flush();
  }

  /** Saves a removed run again. @param curve updates of the run that the page still has */
  retrySave(id: string, curve: Curve): void {
    this.removedIds.delete(id);
    this.elsewhere.delete(id);
    this.unsavedById.set(id, new UnsavedUpdates(0, undefined, curve.copy()));
    this.writtenAt = 0;
  }

  /** Saves a state immediately. */
  save(id: string, saved: SavedRun): void {
    this.note(id, saved);
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

  private async onTabMessage(message: TabMessage): Promise<void> {
    if (message.type === 'removed') this.removeRecord(message.id, message.name);
    await this.opened;
    await this.list();
  }

  /** Handles the removal of a run by another tab. */
  private removeRecord(id: string, name: string): void {
    this.removedIds.add(id);
    this.pending.delete(id);
    this.listener.removed(id, name);
  }

  private unsavedOf(id: string): UnsavedUpdates {
    const unsaved = this.unsavedById.get(id) ?? new UnsavedUpdates();
    this.unsavedById.set(id, unsaved);
    return unsaved;
  }

  /** Drops the unsaved updates of runs that have ended and have no pending state. */
  private drop(): void {
    const { current } = this.followed;
    for (const id of this.unsavedById.keys())
      if (!current.has(id) && !this.pending.has(id)) this.unsavedById.delete(id);
  }

  private note(id: string, saved: SavedRun, complete?: Pending['complete']): void {
    // A run at step 0 is fully described by its link.
    if (saved.step === 0 || this.removedIds.has(id) || this.elsewhere.has(id)) return;
    const unsaved = this.unsavedOf(id);
    const before = this.pending.get(id);
    if (before && before.unsaved !== unsaved) this.flush();
    this.pending.set(id, { id, saved, unsaved, ...(complete ? { complete } : {}) });
  }

  /** Saves the updates that this tab trains as a new run, because another tab continued the run. */
  private copy(id: string, unsaved: UnsavedUpdates, saved: SavedRun): void {
    const copy = newRunId();
    const now = this.unsavedById.get(id);
    const opened = now !== undefined && now !== unsaved;
    this.unsavedById.set(copy, unsaved.fork(id, copy));
    if (!opened) this.unsavedById.delete(id);
    this.listener.copied(id, copy, opened, saved);
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
    const { id, saved, unsaved, complete } = pending;
    // An earlier write found that another tab continued the run, so this tab saves a copy.
    if (unsaved.copy) return this.write({ ...pending, ...unsaved.copy });
    if (!this.store || this.removedIds.has(id)) return;
    const stored = this.runs.find((run) => run.id === unsaved.known(id).storedId);
    const { metrics, downsampled: left } = complete ?? unsaved.lacking(saved.step);
    unsaved.writing(saved.step);
    const downsampled = mergeDownsampling(unsaved.written > 0 ? stored?.downsampled : undefined, left);
    const summary = {
      ...{ id, ...this.describe(saved), step: saved.step, savedAt: Date.now(), bytes: saved.checkpoint.byteLength },
      ...(downsampled ? { downsampled } : {}),
    };
    try {
      await this.store.save(summary, { ...saved, metrics }, unsaved.basis);
      unsaved.wrote(summary.savedAt);
      this.runs = [summary, ...this.runs.filter((run) => run.id !== id)];
      this.tabs.broadcast({ type: 'changed' });
      this.host.requestUpdate();
    } catch (error) {
      const { kind, message } = asStorageError(error);
      if (kind === 'overtaken') {
        this.copy(id, unsaved, saved);
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
      if (!this.store) return false;
      await this.store.remove(id);
      this.runs = this.runs.filter((run) => run.id !== id);
      this.notice = undefined;
      this.tabs.broadcast({ type: 'removed', id, name });
      return true;
    } catch (error) {
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
