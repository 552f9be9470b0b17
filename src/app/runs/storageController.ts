import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { Curve, mergeDownsampling } from '../../storage/curve.ts';
import { asStorageError, type LoadedRun, type RunStore, type RunSummary } from '../../storage/runStore.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import { matchesQuery } from '../address/runQuery.ts';
import { newRunId } from '../session/sessionController.ts';
import { savedRunStrings } from '../strings/savedRunStrings.ts';
import { strings } from '../strings/strings.ts';
import { Following, type SavingSession } from './following.ts';
import type { StorageListener } from './storageListener.ts';
import { BrowserTabs, type TabMessage, type Tabs } from './tabs.ts';
import { loadCompleteCurve, type Pending, UnsavedUpdates } from './unsavedUpdates.ts';

/** The worker sends a state every few seconds; while a run plays, not every state is written. */
const WRITE_EVERY_MS = 15_000;

/**
 * Maximum time that a page waits for storage when it searches for its run. Trained updates are saved when storage
 * opens, also after this time.
 */
const LOOKUP_MS = 2000;

/** Returns the name and link of a run before it is saved. */
export type Describe = (saved: SavedRun) => { readonly name: string; readonly link: string };

/**
 * Saves runs in storage: the states that the session sends, and all updates. While a run plays, states are saved
 * periodically. A state is always saved when the run pauses, is hidden or ends. If storage is refused or full, there is
 * a notice and the page continues. A removed run is saved again only if the user requests that.
 */
export class StorageController implements ReactiveController {
  runs: readonly RunSummary[] = [];
  /** Message about a problem of storage, for people. */
  notice: string | undefined;
  /** Done when storage has been opened, or refused. */
  readonly opened: Promise<void>;
  listener: StorageListener = { copied() {}, removed() {} };
  private store: RunStore | undefined;
  private readonly followed: Following;
  /** The newest states that are not written yet, by the numbers of their runs. */
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
      // Whatever was to come of the run before has come.
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

  /** Keeps what a session trains, until nothing more comes of it. @param runId of its run, where it is known already */
  follow(session: SavingSession, runId?: string): void {
    this.followed.add(session, runId);
  }

  /** The browser may never restore a hidden page. */
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

  /** The run of that number, or the latest run if the link means it. A notice names a record that cannot be read. */
  async latest(link: string, id?: string): Promise<LoadedRun | undefined> {
    await Promise.race([this.opened, new Promise((resolve) => setTimeout(resolve, LOOKUP_MS))]);
    const [newest] = this.runs;
    const summary =
      this.runs.find((run) => run.id === id) ?? (newest && matchesQuery(newest.link, link) ? newest : undefined);
    return summary && this.load(summary);
  }

  /** The newest run that a link means. @param excluded numbers of runs that are not meant */
  async find(link: string, excluded: readonly string[]): Promise<LoadedRun | undefined> {
    await Promise.race([this.opened, new Promise((resolve) => setTimeout(resolve, LOOKUP_MS))]);
    const summary = this.runs.find((run) => matchesQuery(run.link, link) && !excluded.includes(run.id));
    return summary && this.load(summary);
  }

  /** A kept run in its latest state; what cannot be read is named in the notice. */
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
   * All updates of a run before a step, as many as a file has room for: those in storage, then those that it lacks.
   * @returns undefined where it does not have them all
   * @throws {StorageError} where they cannot be read
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
   * Removes a run after the pending write, without its unwritten data.
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
   * @param isLatest the run is the newest of the list from now on
   * @param isElsewhere another tab trains the run: this tab does not save it
   */
  resume({ summary, saved }: LoadedRun, { isLatest = false, isElsewhere = false } = {}): void {
    this.removedIds.delete(summary.id);
    if (isElsewhere) this.elsewhere.add(summary.id);
    else this.elsewhere.delete(summary.id);
    this.unsavedById.set(summary.id, new UnsavedUpdates(saved.step, { follows: summary.savedAt }));
    if (isLatest) this.save(summary.id, saved);
  }

  /** Saves a run of another tab under another id from now on. */
  fork(id: string, copy: string): void {
    this.unsavedById.set(copy, this.unsavedOf(id).fork(id, copy));
    this.unsavedById.delete(id);
    this.elsewhere.delete(id);
  }

  /** Keeps a run that comes with all its updates. */
  adopt(id: string, saved: SavedRun): void {
    this.removedIds.delete(id);
    this.unsavedById.set(id, new UnsavedUpdates(0, undefined, Curve.of(saved)));
    this.note(id, saved, saved);
    this.flush();
  }

  /** Keeps a run from now on that was removed. @param curve what is left of its updates */
  retrySave(id: string, curve: Curve): void {
    this.removedIds.delete(id);
    this.elsewhere.delete(id);
    this.unsavedById.set(id, new UnsavedUpdates(0, undefined, curve.copy()));
    this.writtenAt = 0;
  }

  /** Keeps a state now. */
  save(id: string, saved: SavedRun): void {
    this.note(id, saved);
    this.flush();
  }

  dismiss(): void {
    this.notice = undefined;
    this.host.requestUpdate();
  }

  /** Returns the notice, which the page shows elsewhere. */
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

  /** Another tab removed the run. */
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

  /** Drops all runs except the runs that continue. */
  private drop(): void {
    const { current } = this.followed;
    for (const id of this.unsavedById.keys())
      if (!current.has(id) && !this.pending.has(id)) this.unsavedById.delete(id);
  }

  private note(id: string, saved: SavedRun, complete?: Pending['complete']): void {
    // A run without a single update is its link.
    if (saved.step === 0 || this.removedIds.has(id) || this.elsewhere.has(id)) return;
    const unsaved = this.unsavedOf(id);
    const before = this.pending.get(id);
    if (before && before.unsaved !== unsaved) this.flush();
    this.pending.set(id, { id, saved, unsaved, ...(complete ? { complete } : {}) });
  }

  /** From now on, saves the updates trained here of a run as another run. */
  private copy(id: string, unsaved: UnsavedUpdates, saved: SavedRun): void {
    const copy = newRunId();
    const now = this.unsavedById.get(id);
    const opened = now !== undefined && now !== unsaved;
    this.unsavedById.set(copy, unsaved.fork(id, copy));
    if (!opened) this.unsavedById.delete(id);
    this.listener.copied(id, copy, opened, saved);
  }

  /** Writes the newest states, after the writes before them. */
  private flush = (): void => {
    if (this.pending.size === 0) return;
    const pending = [...this.pending.values()];
    this.pending.clear();
    this.writtenAt = Date.now();
    for (const state of pending) this.work = this.work.then(() => this.write(state));
  };

  /** The older state stays if this fails. */
  private async write(pending: Pending): Promise<void> {
    await this.opened;
    const { id, saved, unsaved, complete } = pending;
    // An earlier state of it met another tab's.
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

/** Browsers end their reasons with a full stop, our sentences bring their own. */
function trimStop(text: string): string {
  return text.replace(/\.$/, '');
}
