import { type Batch, type Chunk, sendChunk, type Waiting } from './chunks.ts';
import { judge } from './grading.ts';
import { NotAMessage, readAnswers, readReport, SandboxWorker, type WorkerSource } from './host/sandboxWorker.ts';
import { distinct, type Task } from './tasks.ts';
import type { Job, LimitKind, Outcome, Program, ProgramResult } from './types.ts';

/** Maximum number of programs that a worker receives at a time. A worker must not have to wait for the host. */
const CHUNK = 100;

export interface SandboxOptions {
  /** Number of workers that run programs in parallel. Default: the number of cores, at most 4. */
  readonly workers?: number;
  /** True to start an additional worker in advance, which replaces the next lost worker. Default: true. */
  readonly spare?: boolean;
}

export interface RunOptions {
  /** Aborting stops the running programs. The batch is rejected with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Called for each job when its result is available, in no particular order. */
  readonly onResult?: (result: ProgramResult, index: number) => void;
}

export interface ExecuteOptions extends Omit<RunOptions, 'onResult'> {
  /** Called for each program when its outcomes are available, in no particular order. */
  readonly onOutcomes?: (outcomes: readonly Outcome[], index: number) => void;
}

/** Numbers of events and states of a sandbox's workers. */
export interface SandboxStatistics {
  readonly replaced: number;
  readonly violations: number;
  /** Number of started workers in reserve. */
  readonly spares: number;
}

/**
 * Runs untrusted Python programs against tests. Expected values remain in the host: a worker receives programs and
 * inputs, and returns plain data. The host compares these data with the expected values.
 *
 * @example
 * const sandbox = new Sandbox(createNodeSource());
 * const tests = [{ args: [1], expected: 1 }];
 * const [result] = await sandbox.run([{ program: 'def f(x): return x', entry: 'f', tests }]);
 * sandbox.close();
 */
export class Sandbox {
  private readonly size: number;
  private readonly isSpareEnabled: boolean;
  private readonly idle: SandboxWorker[] = [];
  private readonly chunks = new Map<SandboxWorker, Chunk>();
  private readonly spares: SandboxWorker[] = [];
  private readonly queue: Waiting[] = [];
  private booting = 0;
  private closed = false;
  private counts = { replaced: 0, violations: 0 };

  constructor(
    private readonly source: WorkerSource,
    options: SandboxOptions = {},
  ) {
    this.size = Math.max(1, options.workers ?? Math.min(4, source.workers));
    this.isSpareEnabled = options.spare ?? true;
    this.fill();
  }

  get statistics(): SandboxStatistics {
    return { ...this.counts, spares: this.spares.length };
  }

  /** Resolves when the first worker is ready. Rejects if no worker can be started, or if the sandbox is closed. */
  async ready(): Promise<void> {
    while (this.idle.length + this.chunks.size === 0) {
      if (this.closed) throw new Error('the sandbox was closed');
      this.fill();
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (this.failure) throw this.failure;
    }
  }
  private failure: Error | undefined;

  /**
   * Runs jobs, and returns their results in the same order.
   * @throws {TypeError} for a malformed job
   * @throws the reason of the signal if it is aborted
   */
  async run(jobs: readonly Job[], options: RunOptions = {}): Promise<ProgramResult[]> {
    const results = new Array<ProgramResult>(jobs.length);
    jobs.forEach(({ tests }, index) => {
      if (tests.length === 0) throw new TypeError(`job ${index}: at least one test is required`);
    });
    const programs = jobs.map(({ tests, ...program }) => ({ ...program, inputs: tests.map(({ args }) => args) }));
    await this.execute(programs, {
      ...options,
      onOutcomes: (outcomes, index) => {
        results[index] = judge(jobs[index], outcomes);
        options.onResult?.(results[index], index);
      },
    });
    return results;
  }

  /**
   * Runs programs without grading them, for callers with custom comparisons. Programs that are equal in source, entry,
   * inputs and limits run once.
   * @returns [programs][inputs]
   * @throws {TypeError} for a malformed program
   * @throws the reason of the signal if it is aborted
   */
  execute(programs: readonly Program[], options: ExecuteOptions = {}): Promise<(readonly Outcome[])[]> {
    const { signal, onOutcomes } = options;
    return new Promise((resolve, reject) => {
      if (this.closed) throw new Error('the sandbox is closed');
      signal?.throwIfAborted();
      const tasks = distinct(programs);
      const all = new Array<readonly Outcome[]>(programs.length);
      let done = 0;
      // Workers are unreferenced and do not prevent Node from exiting. The timer keeps Node running during a batch.
      const awake = setInterval(() => {}, 60_000);
      const finish = (act: () => void) => {
        if (batch.over) return;
        batch.over = true;
        signal?.removeEventListener('abort', abort);
        clearInterval(awake);
        act();
      };
      const batch: Batch = {
        over: false,
        fail: (error) => finish(() => reject(error)),
        settle: (task, outcomes) => {
          if (batch.over) return;
          for (const index of task.indices) {
            all[index] = outcomes;
            onOutcomes?.(outcomes, index);
          }
          done += task.indices.length;
          if (done === programs.length) finish(() => resolve(all));
        },
      };
      const abort = () => {
        this.drop(batch);
        batch.fail(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      if (programs.length === 0) finish(() => resolve(all));
      for (const task of tasks) {
        // A program without inputs requires no call.
        if (task.program.inputs.length === 0) batch.settle(task, []);
        else this.queue.push({ batch, task });
      }
      this.failure = undefined;
      this.fill();
      this.dispatch();
    });
  }

  /** Ends all workers. Batches in progress are rejected. */
  close(): void {
    this.closed = true;
    for (const { batch } of this.queue.splice(0)) batch.fail(new Error('the sandbox was closed'));
    for (const [worker, chunk] of this.chunks) {
      chunk.watchdog.stop();
      worker.end();
      chunk.batch.fail(new Error('the sandbox was closed'));
    }
    for (const worker of [...this.idle, ...this.spares]) worker.end();
    this.chunks.clear();
    this.idle.length = this.spares.length = 0;
  }

  /** Starts the missing workers, and then one in reserve, so that it does not delay the first worker. */
  private fill(): void {
    const alive = () => this.idle.length + this.chunks.size + this.spares.length + this.booting;
    const complete = this.idle.length + this.chunks.size >= this.size;
    while (!this.closed && alive() < (complete && this.isSpareEnabled ? this.size + 1 : this.size)) {
      this.booting++;
      const worker = new SandboxWorker(this.source);
      worker.ready.then(
        () => this.admit(worker),
        (error) => this.refuse(error),
      );
    }
  }

  private admit(worker: SandboxWorker): void {
    this.booting--;
    if (this.closed) {
      worker.end();
      return;
    }
    worker.onEnd = () => this.lose(worker, 'memory');
    if (this.idle.length + this.chunks.size < this.size) this.idle.push(worker);
    else this.spares.push(worker);
    this.fill();
    this.dispatch();
  }

  private refuse(error: Error): void {
    this.booting--;
    if (this.closed || this.idle.length + this.chunks.size + this.spares.length + this.booting > 0) return;
    this.failure = error;
    for (const { batch } of this.queue.splice(0)) batch.fail(error);
  }

  private dispatch(): void {
    while (this.queue.length > 0 && this.idle.length > 0) {
      const worker = this.idle.shift() as SandboxWorker;
      const [{ batch }] = this.queue;
      const share = Math.min(CHUNK, Math.max(1, Math.ceil(this.queue.length / (2 * this.size))));
      const entries: Waiting[] = [];
      while (entries.length < share && this.queue[0]?.batch === batch) entries.push(this.queue.shift() as Waiting);
      worker.onMessage = (message) => this.receive(worker, message);
      const chunk = sendChunk(worker, batch, entries, () => this.lose(worker, 'time'));
      this.chunks.set(worker, chunk);
    }
  }

  private receive(worker: SandboxWorker, message: unknown): void {
    const answers = this.read(worker, () => readAnswers(message)) ?? [];
    // A worker that one of the answers ended has no valid further answers.
    for (const answer of answers) if (!worker.ended) this.onMessage(worker, answer);
    this.dispatch();
  }

  private onMessage(worker: SandboxWorker, answer: unknown): void {
    const chunk = this.chunks.get(worker);
    const sent = chunk?.sent[chunk.next];
    if (chunk === undefined || sent === undefined) {
      this.handleViolation(worker, 'a message that nothing asked for');
      return;
    }
    const outcomes = this.read(worker, () => readReport(answer, sent.nonce, sent.task.program));
    if (outcomes === undefined) return;
    chunk.next++;
    if (outcomes.some(({ kind }) => kind === 'violation')) this.counts.violations++;
    const next = chunk.sent[chunk.next];
    if (next) chunk.watchdog.begin(next.task.program.limits.time);
    else {
      chunk.watchdog.stop();
      this.chunks.delete(worker);
      this.idle.push(worker);
    }
    chunk.batch.settle(sent.task, outcomes);
  }

  /** Reads a message of a worker. Any error counts as a violation of the worker. */
  private read<T>(worker: SandboxWorker, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      const reason = error instanceof NotAMessage ? error.message : 'it cannot be read';
      this.handleViolation(worker, `an answer that cannot be: ${reason}`);
      return undefined;
    }
  }

  /** Handles an invalid message. The current program gets a violation if it was the only program of its message. */
  private handleViolation(worker: SandboxWorker, reason: string): void {
    const chunk = this.chunks.get(worker);
    const isKnown = chunk?.sent[chunk.next]?.isSingle ?? true;
    this.counts.violations++;
    this.blame(worker, isKnown, () => ({ kind: 'violation', reason, output: '', fuel: 0 }));
  }

  /**
   * Handles a worker that exceeded a limit or ended. The current program gets this limit. If its report can be delayed,
   * a later program can be the cause, so the programs run again.
   */
  private lose(worker: SandboxWorker, limit: LimitKind): void {
    const chunk = this.chunks.get(worker);
    const isKnown = !chunk?.sent[chunk.next]?.mayWait;
    this.blame(worker, isKnown, ({ limits }) => ({ kind: 'limit', limit, output: '', fuel: limits.fuel }));
  }

  /**
   * Ends a worker. If the responsible program is known, it gets this outcome and the other programs continue. Otherwise
   * all its programs run again, each alone.
   */
  private blame(worker: SandboxWorker, isKnown: boolean, outcome: (program: Task['program']) => Outcome): void {
    const chunk = this.chunks.get(worker);
    const task = chunk?.sent[chunk.next]?.task;
    this.retire(worker, isKnown ? 1 : 0, !isKnown);
    if (task && isKnown) {
      const outcomes = task.program.inputs.map(() => outcome(task.program));
      chunk.batch.settle(task, outcomes);
    }
    this.dispatch();
  }

  /**
   * Ends a worker, returns its unfinished programs to the queue and replaces the worker by the reserve.
   * @param evaluated number of programs that do not return to the queue
   * @param isIsolated true if the returned programs must be sent alone
   */
  private retire(worker: SandboxWorker, evaluated = 0, isIsolated = false): void {
    const chunk = this.chunks.get(worker);
    worker.onEnd = () => {};
    worker.end();
    for (const list of [this.idle, this.spares]) if (list.includes(worker)) list.splice(list.indexOf(worker), 1);
    if (chunk) {
      chunk.watchdog.stop();
      this.chunks.delete(worker);
      if (!chunk.batch.over)
        this.queue.unshift(
          ...chunk.sent.slice(chunk.next + evaluated).map(({ task }) => ({ batch: chunk.batch, task, isIsolated })),
        );
    }
    this.counts.replaced++;
    const spare = this.spares.shift();
    if (spare) this.idle.push(spare);
    this.fill();
  }

  /** Removes a cancelled batch from the queue and from the workers. */
  private drop(batch: Batch): void {
    const remaining = this.queue.filter((entry) => entry.batch !== batch);
    this.queue.splice(0, this.queue.length, ...remaining);
    batch.over = true;
    for (const [worker, chunk] of [...this.chunks]) if (chunk.batch === batch) this.retire(worker, chunk.sent.length);
    batch.over = false;
    this.dispatch();
  }
}
