import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { Curve, mergeDownsampling } from '../../storage/curve.ts';
import { asStorageError, type LoadedRun, type RunStore, type RunSummary } from '../../storage/runStore.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import { matchesQuery } from '../address/runQuery.ts';
import { newRunId } from '../session/sessionController.ts';
import { savedRunStrings } from '../strings/keptStrings.ts';
import { strings } from '../strings/strings.ts';
import { Following, type SavingSession } from './following.ts';
import { loadCompleteCurve, type Pending, UnsavedUpdates } from './keeping.ts';
import type { StorageListener } from './storageListener.ts';
import { BrowserTabs, type TabMessage, type Tabs } from './tabs.ts';

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
  private readonly keepings = new Map<string, UnsavedUpdates>();
  /** Ids of runs that are no longer saved. */
  private readonly forgotten = new Set<string>();
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
      begun: () => void this.work.then(() => this.drop()),
      updated: (id, row) => this.keepingOf(id).hear(row),
      handedOver: (id, saved, isRunning) => {
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
    this.tabs.listen((message) => void this.hearTab(message));
  }

  hostDisconnected(): void {
    window.removeEventListener('pagehide', this.flush);
  }

  get available(): boolean {
    return this.store !== undefined;
  }

  /** True if the run was removed and is no longer saved. */
  isForgotten(id: string): boolean {
    return this.forgotten.has(id);
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
      this.say(kind === 'removed' ? savedRunStrings.gone(name) : strings.storage.corrupt(name, message));
      return undefined;
    }
  }

  /**
   * All updates of a run before a step, as many as a file has room for: those in storage, then those that it lacks.
   * @returns undefined where it does not have them all
   * @throws {StorageError} where they cannot be read
   */
  async curveOf(id: string, step: number): Promise<Curve | undefined> {
    const keeping = this.keepings.get(id);
    const known = keeping?.known(id) ?? { written: step, keptAs: id };
    const lacking = keeping?.lacking(step);
    await this.work;
    const downsampled = this.runs.find((run) => run.id === known.keptAs)?.thinned;
    return loadCompleteCurve(this.store, step, { ...known, thinned: downsampled, lacking });
  }

  /**
   * Removes a run after the pending write, without its unwritten data.
   * @returns true if the run was removed; a notice describes a failure
   */
  async remove(summary: RunSummary): Promise<boolean> {
    const { id } = summary;
    this.forgotten.add(id);
    const dropped = this.pending.get(id);
    this.pending.delete(id);
    const erased = this.work.then(() => this.erase(summary));
    this.work = erased.then(() => {});
    if (await erased) return true;
    this.forgotten.delete(id);
    if (dropped && !this.pending.has(id)) this.pending.set(id, dropped);
    return false;
  }

  /**
   * Continues a saved run.
   * @param isLatest the run is the newest of the list from now on
   * @param isElsewhere another tab trains the run: this tab does not save it
   */
  resume({ summary, saved }: LoadedRun, { isLatest = false, isElsewhere = false } = {}): void {
    this.forgotten.delete(summary.id);
    if (isElsewhere) this.elsewhere.add(summary.id);
    else this.elsewhere.delete(summary.id);
    this.keepings.set(summary.id, new UnsavedUpdates(saved.step, { follows: summary.savedAt }));
    if (isLatest) this.keep(summary.id, saved);
  }

  /** Saves a run of another tab under another id from now on. */
  fork(id: string, copy: string): void {
    this.keepings.set(copy, this.keepingOf(id).fork(id, copy));
    this.keepings.delete(id);
    this.elsewhere.delete(id);
  }

  /** Keeps a run that comes with all its updates. */
  adopt(id: string, saved: SavedRun): void {
    this.forgotten.delete(id);
    this.keepings.set(id, new UnsavedUpdates(0, undefined, Curve.of(saved)));
    this.note(id, saved, saved);
    this.flush();
  }

  /** Keeps a run from now on that was removed. @param curve what is left of its updates */
  keepAgain(id: string, curve: Curve): void {
    this.forgotten.delete(id);
    this.elsewhere.delete(id);
    this.keepings.set(id, new UnsavedUpdates(0, undefined, curve.copy()));
    this.writtenAt = 0;
  }

  /** Keeps a state now. */
  keep(id: string, saved: SavedRun): void {
    this.note(id, saved);
    this.flush();
  }

  dismiss(): void {
    this.notice = undefined;
    this.host.requestUpdate();
  }

  /** Returns the notice, which the page shows elsewhere. */
  takeNotice(): string | undefined {
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
      this.say(strings.storage.refused(trimStop(asStorageError(error).message)));
      return;
    }
    await this.list();
  }

  private async list(): Promise<void> {
    try {
      this.runs = (await this.store?.list()) ?? [];
    } catch (error) {
      this.say(strings.storage.listFailed(trimStop(asStorageError(error).message)));
    }
    this.host.requestUpdate();
  }

  private async hearTab(message: TabMessage): Promise<void> {
    if (message.type === 'removed') this.forget(message.id, message.name);
    await this.opened;
    await this.list();
  }

  /** Another tab removed the run. */
  private forget(id: string, name: string): void {
    this.forgotten.add(id);
    this.pending.delete(id);
    this.listener.removed(id, name);
  }

  private keepingOf(id: string): UnsavedUpdates {
    const known = this.keepings.get(id);
    if (known) return known;
    const created = new UnsavedUpdates();
    this.keepings.set(id, created);
    return created;
  }

  /** Drops all runs except the runs that continue. */
  private drop(): void {
    const { current } = this.followed;
    for (const id of this.keepings.keys()) if (!current.has(id) && !this.pending.has(id)) this.keepings.delete(id);
  }

  private note(id: string, saved: SavedRun, complete?: Pending['complete']): void {
    // A run without a single update is its link.
    if (saved.step === 0 || this.forgotten.has(id) || this.elsewhere.has(id)) return;
    const keeping = this.keepingOf(id);
    const before = this.pending.get(id);
    if (before && before.keeping !== keeping) this.flush();
    this.pending.set(id, { id, saved, keeping, ...(complete ? { complete } : {}) });
  }

  /** From now on, saves the updates trained here of a run as another run. */
  private copy(id: string, keeping: UnsavedUpdates, saved: SavedRun): void {
    const copy = newRunId();
    const now = this.keepings.get(id);
    const opened = now !== undefined && now !== keeping;
    this.keepings.set(copy, keeping.fork(id, copy));
    if (!opened) this.keepings.delete(id);
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
    const { id, saved, keeping, complete } = pending;
    // An earlier state of it met another tab's.
    if (keeping.copy) return this.write({ ...pending, ...keeping.copy });
    if (!this.store || this.forgotten.has(id)) return;
    const stored = this.runs.find((run) => run.id === keeping.known(id).keptAs);
    const { metrics, thinned: left } = complete ?? keeping.lacking(saved.step);
    keeping.writing(saved.step);
    const downsampled = mergeDownsampling(keeping.written > 0 ? stored?.thinned : undefined, left);
    const summary = {
      ...{ id, ...this.describe(saved), step: saved.step, savedAt: Date.now(), bytes: saved.checkpoint.byteLength },
      ...(downsampled ? { thinned: downsampled } : {}),
    };
    try {
      await this.store.save(summary, { ...saved, metrics }, keeping.basis);
      keeping.wrote(summary.savedAt);
      this.runs = [summary, ...this.runs.filter((run) => run.id !== id)];
      this.tabs.tell({ type: 'changed' });
      this.host.requestUpdate();
    } catch (error) {
      const { kind, message } = asStorageError(error);
      if (kind === 'overtaken') {
        this.copy(id, keeping, saved);
        await this.write(pending);
      } else if (kind === 'removed') this.forget(id, summary.name);
      else
        this.say(
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
      this.tabs.tell({ type: 'removed', id, name });
      return true;
    } catch (error) {
      this.say(strings.storage.failed(asStorageError(error).message));
      return false;
    } finally {
      this.host.requestUpdate();
    }
  }

  private say(notice: string): void {
    this.notice = notice;
    this.host.requestUpdate();
  }
}

/** Browsers end their reasons with a full stop, our sentences bring their own. */
function trimStop(text: string): string {
  return text.replace(/\.$/, '');
}
