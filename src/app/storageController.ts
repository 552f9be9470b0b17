import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { asStorageError, type RunStore, type RunSummary } from '../storage/runStore.ts';
import type { Message, SavedRun } from '../training/protocol.ts';
import { strings } from './strings.ts';

/** The worker hands over a state every few seconds; while a run plays, not each of them is written. */
const WRITE_EVERY_MS = 15_000;

/** What storage needs of the session; narrow, so that a test can stand in. */
export interface SavingSession {
  listen(listener: (message: Message, runId: string) => void): void;
}

/** Name and link of a run about to be kept. */
export type Describe = (saved: SavedRun) => { readonly name: string; readonly link: string };

/**
 * Keeps the run in storage: the states that the session hands over, every so often while it plays, and always when it
 * pauses, is hidden or ends. Where storage is refused or full it says so and the page goes on.
 */
export class StorageController implements ReactiveController {
  runs: readonly RunSummary[] = [];
  /** What went wrong with storage, for people. */
  notice: string | undefined;
  /** Done when storage has been opened, or refused. */
  readonly opened: Promise<void>;
  private store: RunStore | undefined;
  private status = '';
  /** The newest state that is not written yet. */
  private pending: { readonly summary: RunSummary; readonly saved: SavedRun } | undefined;
  private writtenAt = 0;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly host: ReactiveControllerHost,
    open: () => Promise<RunStore>,
    session: SavingSession,
    private readonly describe: Describe,
  ) {
    this.opened = this.open(open);
    session.listen((message, runId) => this.hear(message, runId));
    host.addController(this);
  }

  /** A page that is put aside may never come back. */
  hostConnected(): void {
    window.addEventListener('pagehide', this.flush);
  }

  hostDisconnected(): void {
    window.removeEventListener('pagehide', this.flush);
  }

  get available(): boolean {
    return this.store !== undefined;
  }

  /**
   * The run of that number, or else the latest run, if the link means it. A record that cannot be read is named in the
   * notice and left alone.
   */
  async latest(link: string, id?: string): Promise<{ summary: RunSummary; saved: SavedRun } | undefined> {
    await this.opened;
    const [newest] = this.runs;
    const summary = this.runs.find((run) => run.id === id) ?? (newest?.link === link ? newest : undefined);
    if (!summary) return undefined;
    const saved = await this.load(summary);
    return saved && { summary, saved };
  }

  async load(summary: RunSummary): Promise<SavedRun | undefined> {
    try {
      return await this.store?.load(summary.id);
    } catch (error) {
      this.say(strings.storage.corrupt(summary.name, asStorageError(error).message));
      return undefined;
    }
  }

  async remove(summary: RunSummary): Promise<void> {
    try {
      await this.store?.remove(summary.id);
      this.runs = this.runs.filter((run) => run.id !== summary.id);
      this.notice = undefined;
    } catch (error) {
      this.say(strings.storage.failed(asStorageError(error).message));
    }
    this.host.requestUpdate();
  }

  /** Keeps a run that was opened, so that it is the latest. */
  keep(runId: string, saved: SavedRun): void {
    this.flush();
    this.note(runId, saved);
    this.flush();
  }

  dismiss(): void {
    this.notice = undefined;
    this.host.requestUpdate();
  }

  /** Done when everything handed over so far is written, or has failed. */
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
    try {
      this.runs = await this.store.list();
    } catch (error) {
      this.say(strings.storage.listFailed(trimStop(asStorageError(error).message)));
    }
    this.host.requestUpdate();
  }

  private hear(message: Message, runId: string): void {
    if (message.type === 'status') {
      this.status = message.status;
      if (message.status !== 'playing') this.flush();
    } else if (message.type === 'checkpoint') {
      this.note(runId, message.saved);
      if (this.status !== 'playing' || Date.now() - this.writtenAt >= WRITE_EVERY_MS) this.flush();
    }
  }

  private note(runId: string, saved: SavedRun): void {
    // A run without a single update is its link.
    if (saved.step === 0) return;
    const bytes = saved.checkpoint.byteLength;
    const summary = { id: runId, ...this.describe(saved), step: saved.step, savedAt: Date.now(), bytes };
    this.pending = { summary, saved };
  }

  /** Writes the newest state, after the writes before it. */
  private flush = (): void => {
    const { pending } = this;
    if (!pending) return;
    this.pending = undefined;
    this.writtenAt = Date.now();
    this.work = this.work.then(() => this.write(pending.summary, pending.saved));
  };

  /** The older state stays if this fails. */
  private async write(summary: RunSummary, saved: SavedRun): Promise<void> {
    await this.opened;
    try {
      if (!this.store) return;
      await this.store.save(summary, saved);
      this.runs = [summary, ...this.runs.filter((run) => run.id !== summary.id)];
      this.host.requestUpdate();
    } catch (error) {
      const { kind, message } = asStorageError(error);
      const kept = this.runs.find((run) => run.id === summary.id)?.step ?? null;
      this.say(kind === 'full' ? strings.storage.full(kept) : strings.storage.failed(trimStop(message)));
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
