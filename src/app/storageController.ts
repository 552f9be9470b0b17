import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { asStorageError, type RunStore, type RunSummary } from '../storage/runStore.ts';
import type { Message, SavedRun } from '../training/protocol.ts';
import { strings } from './strings.ts';

/** While a run plays it is saved this often; a crash costs at most as much. */
const SAVE_EVERY_MS = 30_000;

/** What storage needs of the session; narrow, so that a test can stand in. */
export interface SavingSession {
  send(command: { readonly type: 'save' }): void;
  listen(listener: (message: Message, runId: string) => void): void;
}

/** Name and link of a run about to be kept. */
export type Describe = (saved: SavedRun, runId: string) => { readonly name: string; readonly link: string };

/**
 * Keeps the run in storage: asks for a checkpoint every so often, when the run pauses and when the tab is hidden, and
 * writes every checkpoint that comes. Where storage is refused or full it says so once and the page goes on.
 */
export class StorageController implements ReactiveController {
  runs: readonly RunSummary[] = [];
  /** What went wrong with storage, for people. */
  notice: string | undefined;
  /** Done when storage has been opened, or refused. */
  readonly opened: Promise<void>;
  private store: RunStore | undefined;
  private status = '';
  private lastStep = 0;
  private savedStep = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly host: ReactiveControllerHost,
    open: () => Promise<RunStore>,
    private readonly session: SavingSession,
    private readonly describe: Describe,
  ) {
    this.opened = this.open(open);
    session.listen((message, runId) => this.hear(message, runId));
    host.addController(this);
  }

  hostConnected(): void {
    this.timer = setInterval(() => {
      if (this.status === 'playing') this.askForCheckpoint();
    }, SAVE_EVERY_MS);
  }

  hostDisconnected(): void {
    clearInterval(this.timer);
  }

  get available(): boolean {
    return this.store !== undefined;
  }

  /** The latest run, if the link means it. A record that cannot be read is named in the notice and left alone. */
  async latest(link: string): Promise<{ summary: RunSummary; saved: SavedRun } | undefined> {
    await this.opened;
    const summary = this.runs[0];
    if (!summary || summary.link !== link) return undefined;
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

  /** Writes one state of a run; the older state stays if that fails. */
  keep(runId: string, saved: SavedRun): Promise<void> {
    this.work = this.work.then(() => this.write(runId, saved));
    return this.work;
  }

  dismiss(): void {
    this.notice = undefined;
    this.host.requestUpdate();
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
    if (message.type === 'ready') this.savedStep = this.lastStep = message.step;
    else if (message.type === 'metrics') {
      this.lastStep = message.metrics.step + 1;
      // A single step: the run was paused before and is paused again.
      if (this.status === 'paused') this.askForCheckpoint();
    } else if (message.type === 'status') {
      this.status = message.status;
      if (message.status === 'paused' || message.status === 'hidden') this.askForCheckpoint();
    } else if (message.type === 'checkpoint') {
      this.savedStep = message.saved.step;
      void this.keep(runId, message.saved);
    }
  }

  private askForCheckpoint(): void {
    if (this.lastStep !== this.savedStep) this.session.send({ type: 'save' });
  }

  private async write(runId: string, saved: SavedRun): Promise<void> {
    // A run without a single update is its link.
    if (!this.store || saved.step === 0) return;
    const { name, link } = this.describe(saved, runId);
    const bytes = saved.checkpoint.byteLength;
    const summary: RunSummary = { id: runId, name, link, step: saved.step, savedAt: Date.now(), bytes };
    try {
      await this.store.save(summary, saved);
      this.runs = [summary, ...this.runs.filter((run) => run.id !== runId)];
      this.host.requestUpdate();
    } catch (error) {
      const { kind, message } = asStorageError(error);
      const kept = this.runs.find((run) => run.id === runId)?.step ?? null;
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
