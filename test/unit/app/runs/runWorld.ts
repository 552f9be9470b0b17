import type { ReactiveControllerHost } from 'lit';
import { vi } from 'vitest';
// These modules are loaded first. Otherwise, the modules that the page loads for a requested file can still be
// loading when a test that does not wait for them ends.
import '../../../../src/app/runs/trainingQueue.ts';
import '../../../../src/app/runs/runFiles.ts';
import type { TabMessage, Tabs } from '../../../../src/app/runs/outside.ts';
import { RunController } from '../../../../src/app/runs/runController.ts';
import type { Session } from '../../../../src/app/session/workerSession.ts';
import { readRunFile } from '../../../../src/storage/runFile.ts';
import type { RunStore, RunSummary } from '../../../../src/storage/runStore.ts';
import { type EngineName, EXACT, type RunConfiguration, WGSL } from '../../../../src/training/data/configuration.ts';
import type { Command, Message, Metrics, RunEvent, SavedRun, Status } from '../../../../src/training/data/protocol.ts';
import { MemoryRunStore } from '../../storage/memoryRunStore.ts';
import { metricsOf } from '../appFixtures.ts';

/** Names of runs. The index of a name is the lineage of the run, which its updates and checkpoints contain. */
const LINEAGES: string[] = [];

export function lineageOf({ environment, seed, controls }: RunConfiguration): number {
  const name = `${environment} ${seed} ${controls.rule}`;
  if (!LINEAGES.includes(name)) LINEAGES.push(name);
  return LINEAGES.indexOf(name);
}

export function row(step: number, lineage: number): Metrics {
  return metricsOf(step, { tokensPerSecond: lineage });
}

function weights(lineage: number, step: number): ArrayBuffer {
  return Float64Array.of(lineage, step).buffer;
}

/** Returns the lineage and the step of a checkpoint. */
export function readWeights(checkpoint: ArrayBuffer): { lineage: number; step: number } {
  const [lineage = -1, step = -1] = new Float64Array(checkpoint);
  return { lineage, step };
}

/** Worker that trains immediately, responds late and can crash. It follows the protocol and needs no GPU. */
export class FakeWorker implements Session {
  closed = false;
  private readonly requests: { readonly command: Command; readonly epoch: number }[] = [];
  private readonly outbox: Message[] = [];
  private epoch = 0;
  /** Number of the start command of the current run. */
  private current = 0;
  private configuration: RunConfiguration | undefined;
  private step = 0;
  private events: RunEvent[] = [];
  private latest: SavedRun | undefined;
  private isTraining = false;
  private stopped = false;
  private lineage = 0;
  readonly commands: Command[] = [];
  /** Runs in addition to the first run. */
  readonly lanes: FakeWorker[] = [];

  /**
   * @param engines engines of the browser; a run without a requested engine uses the first one
   * @param isLane true for an additional run, which sends its last state when it is closed
   */
  constructor(
    private readonly listener: (message: Message) => void,
    private readonly engines: readonly EngineName[] = [WGSL, EXACT],
    private readonly isLane = false,
  ) {}

  lane(listener: (message: Message) => void): FakeWorker {
    const lane = new FakeWorker(listener, this.engines, true);
    this.lanes.push(lane);
    return lane;
  }

  send(command: Command): void {
    if (this.closed) return;
    if (command.type === 'start') this.epoch += 1;
    this.commands.push(command);
    this.requests.push({ command: structuredClone(command), epoch: this.epoch });
  }

  close(): void {
    for (const lane of this.lanes) lane.closed = true;
    if (this.isLane) this.send({ type: 'leave' });
    else this.closed = true;
  }

  get idle(): boolean {
    return this.closed || (this.requests.length === 0 && this.outbox.length === 0);
  }

  /** Processes the oldest request. */
  work(): void {
    const next = this.closed ? undefined : this.requests.shift();
    // A start that another start followed is skipped, together with the requests for its run.
    if (next && (next.command.type === 'start' ? next.epoch === this.epoch : next.epoch === this.current)) {
      this.handle(next.command);
    }
  }

  /** Delivers the oldest message. */
  deliver(): void {
    const message = this.outbox.shift();
    if (message && !this.closed) this.listener(message);
  }

  /** Delivers the oldest `messages` messages. */
  deliverSome(messages: number): void {
    for (let count = 0; count < messages; count += 1) this.deliver();
  }

  deliverAll(): void {
    for (const message of this.outbox.splice(0)) if (!this.closed) this.listener(message);
  }

  train(updates: number): void {
    if (!this.configuration || this.stopped || this.closed || !this.isTraining) return;
    for (let count = 0; count < updates; count += 1) this.update();
    this.post({ type: 'checkpoint', saved: this.save() });
  }

  /** Stops the run because its state is invalid. No update follows, but the worker still sends the last saved state. */
  stop(): void {
    if (this.closed || this.stopped || !this.configuration) return;
    this.stopped = true;
    this.isTraining = false;
    this.reportStatus('stopped');
  }

  /** Crashes with the messages that WorkerSession sends. No further message arrives. */
  crash(): void {
    if (this.closed) return;
    this.closed = true;
    this.listener({
      type: 'problem',
      problem: { kind: 'internal', message: 'x', step: 0, recovery: 'last-checkpoint' },
    });
    this.listener({ type: 'status', status: 'stopped' });
    for (const lane of this.lanes) lane.crash();
  }

  private handle(command: Command): void {
    switch (command.type) {
      case 'start': {
        this.current = this.epoch;
        this.reportStatus('loading');
        if (this.configuration && !this.stopped && this.latest?.step !== this.step) this.checkpoint();
        const { saved } = command;
        const { engines } = this;
        const engine = engines.find((name) => name === command.configuration.engine) ?? (engines[0] as EngineName);
        const configuration = { ...command.configuration, engine };
        const from = saved && readWeights(saved.checkpoint);
        if (from && from.step !== saved.step) throw new Error('a checkpoint of another step');
        this.lineage = from?.lineage ?? lineageOf(configuration);
        this.configuration = configuration;
        this.step = saved?.step ?? 0;
        this.events = [...(saved?.events ?? [])];
        this.stopped = false;
        this.isTraining = command.play;
        this.latest = saved ?? this.save();
        const device = { engine, name: 'D', software: false };
        this.post({ type: 'ready', run: this.current, configuration, device, step: this.step });
        this.reportStatus(this.isTraining ? 'playing' : 'paused');
        return;
      }
      case 'play':
      case 'pause':
        this.isTraining = command.type === 'play' && !this.stopped;
        if (!this.stopped && this.configuration) this.reportStatus(this.isTraining ? 'playing' : 'paused');
        if (!this.isTraining && !this.stopped && this.configuration) this.checkpoint();
        return;
      case 'step':
        if (this.stopped || !this.configuration) return;
        this.isTraining = false;
        this.update();
        this.checkpoint();
        this.reportStatus('paused');
        return;
      case 'change': {
        if (!this.configuration) throw new Error('there is no run: start one first');
        if (this.stopped) return;
        const event: RunEvent = { step: this.step, kind: 'change', changes: command.changes, text: 'x' };
        this.events.push(event);
        this.post({ type: 'event', event });
        return;
      }
      case 'leave':
        if (this.configuration && !this.stopped && this.latest?.step !== this.step) this.checkpoint();
        this.stopped = true;
        this.post({ type: 'left' });
        return;
      case 'save':
        if (this.configuration && !this.stopped) this.checkpoint();
        else if (this.latest) this.post({ type: 'checkpoint', saved: this.latest });
        return;
      default:
    }
  }

  private update(): void {
    this.post({ type: 'metrics', metrics: row(this.step, this.lineage) });
    this.step += 1;
  }

  private checkpoint(): void {
    this.latest = this.save();
    this.post({ type: 'checkpoint', saved: this.latest });
  }

  /** Returns the saved run as a worker does, with only the end of the curve. */
  private save(): SavedRun {
    const { configuration, step, lineage } = this;
    const metrics = step > 0 ? [row(step - 1, lineage)] : [];
    const events = [...this.events];
    return {
      configuration: configuration as RunConfiguration,
      step,
      checkpoint: weights(lineage, step),
      events,
      metrics,
    };
  }

  private reportStatus(status: Status): void {
    this.post({ type: 'status', status });
  }

  private post(message: Message): void {
    this.outbox.push(structuredClone(message));
  }
}

/** Other tabs of the browser, controlled by a test. */
class FakeTabs implements Tabs {
  /** Runs that continue in another tab. */
  readonly blockedIds = new Set<string>();
  readonly lockedIds = new Set<string>();
  readonly messages: TabMessage[] = [];
  private readonly waiting = new Map<string, () => void>();
  private listener: (message: TabMessage) => void = () => {};

  async lock(id: string, callback: () => void): Promise<boolean> {
    if (this.blockedIds.has(id)) {
      this.waiting.set(id, callback);
      return false;
    }
    this.lockedIds.add(id);
    return true;
  }

  releaseExcept(id: string): void {
    for (const key of this.lockedIds) if (key !== id) this.lockedIds.delete(key);
    for (const key of this.waiting.keys()) if (key !== id) this.waiting.delete(key);
  }

  broadcast(message: TabMessage): void {
    this.messages.push(message);
  }

  listen(listener: (message: TabMessage) => void): void {
    this.listener = listener;
  }

  /** Releases a run of another tab. */
  leave(id: string): void {
    this.blockedIds.delete(id);
    const callback = this.waiting.get(id);
    this.waiting.delete(id);
    if (!callback) return;
    this.lockedIds.add(id);
    callback();
  }

  /** Delivers a message of another tab. */
  post(message: TabMessage): void {
    this.listener(message);
  }
}

/** Page without a browser. A test controls its worker, its storage, the other tabs and the time. */
export class RunWorld {
  readonly store = new MemoryRunStore();
  readonly tabs = new FakeTabs();
  readonly workers: FakeWorker[] = [];
  readonly files: { readonly name: string; readonly saved: SavedRun | undefined }[] = [];
  readonly run: RunController;
  /** All messages that the user received, in notices and next to buttons. */
  readonly messages: string[] = [];
  /** States that the page has opened, by their `savedAt`. */
  readonly loaded = new Set<number>();
  /** Time [ms since 1970], which increases with each read. */
  clock = 1_000_000;
  private readonly frames = new Map<number, () => void>();
  private requestedFrames = 0;
  private answers: (() => void)[] = [];
  /** True if requests to storage wait for `answerOnce`. */
  private late = false;

  /**
   * @param opening function that opens storage; returns the store immediately by default
   * @param search query of the page address
   * @param engines engines of the browser
   */
  constructor(
    opening: (store: MemoryRunStore) => Promise<RunStore> = async (store) => store,
    search = '',
    engines: readonly EngineName[] = [WGSL, EXACT],
  ) {
    vi.stubGlobal('requestAnimationFrame', (callback: () => void) => {
      this.frames.set(++this.requestedFrames, callback);
      return this.requestedFrames;
    });
    vi.stubGlobal('cancelAnimationFrame', (id: number) => this.frames.delete(id));
    vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
    vi.stubGlobal('window', new EventTarget());
    vi.stubGlobal('location', { search, pathname: '/', hash: '', href: `http://x/${search}` });
    vi.stubGlobal('history', { state: null, replaceState() {} });
    vi.spyOn(Date, 'now').mockImplementation(() => this.clock++);
    const controllers: { hostConnected?(): void }[] = [];
    const host = {
      addController: (controller: { hostConnected?(): void }) => controllers.push(controller),
      removeController() {},
      requestUpdate() {},
    } as unknown as ReactiveControllerHost;
    this.run = new RunController(host, {
      openStore: () => opening(this.store),
      openWorker: (listener) => {
        const worker = new FakeWorker(listener, engines);
        this.workers.push(worker);
        return worker;
      },
      tabs: this.tabs,
      download: (name, _type, text) => {
        const content = typeof text === 'string' ? text : text.join('');
        this.files.push({ name, saved: name.endsWith('.json') ? readRunFile(content) : undefined });
      },
    });
    const { notify, answers } = this.run;
    vi.spyOn(this.run, 'notify').mockImplementation((notice) => {
      this.messages.push(notice);
      notify.call(this.run, notice);
    });
    for (const how of ['done', 'failed'] as const) {
      const answer = answers[how];
      vi.spyOn(answers, how).mockImplementation((position, text) => {
        this.messages.push(text);
        answer.call(answers, position, text);
      });
    }
    const { load } = this.store;
    this.store.load = async (id) => {
      const storedRun = await load.call(this.store, id);
      this.loaded.add(storedRun.summary.savedAt);
      return storedRun;
    };
    this.store.gate = () => (this.late ? new Promise((resolve) => this.answers.push(resolve)) : Promise.resolve());
    for (const controller of controllers) controller.hostConnected?.();
  }

  /** All runs of all workers. */
  private get all(): readonly FakeWorker[] {
    return this.workers.flatMap((worker) => [worker, ...worker.lanes]);
  }

  get worker(): FakeWorker | undefined {
    return this.workers.findLast(({ closed }) => !closed);
  }

  get runs(): readonly RunSummary[] {
    return this.run.storage.runs;
  }

  /** Makes storage respond only to `answerOnce` if `late` is true. */
  beLate(late: boolean): void {
    this.late = late;
  }

  answerOnce(): void {
    this.answers.shift()?.();
  }

  frame(): void {
    const callbacks = [...this.frames.values()];
    this.frames.clear();
    for (const callback of callbacks) callback();
  }

  /** Processes all requests, messages, frames and storage responses until none remain. */
  async settle(): Promise<void> {
    this.late = false;
    let idleRounds = 0;
    while (idleRounds < 3) {
      const busy = this.answers.length > 0 || this.frames.size > 0 || this.all.some(({ idle }) => !idle);
      idleRounds = busy ? 0 : idleRounds + 1;
      this.answerOnce();
      for (const worker of this.all) {
        worker.work();
        worker.deliver();
      }
      this.frame();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Plays, trains each run for `updates` updates, and pauses. The pause saves the runs. */
  async train(updates: number): Promise<void> {
    this.run.transport('play');
    await this.settle();
    for (const worker of [this.worker, ...(this.worker?.lanes ?? [])]) worker?.train(updates);
    this.run.transport('pause');
    await this.settle();
  }
}
