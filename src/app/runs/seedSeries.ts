import type { LoadedRun } from '../../storage/runStore.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { queryOf } from '../session/naming.ts';
import type { OpenRun } from '../session/openRun.ts';
import type { SessionController } from '../session/sessionController.ts';

/** Functions of the page that a series uses. */
export interface SeriesHost {
  /** Creates the session of a run that is not shown. Returns undefined if no further run is possible. */
  borrow(configuration: RunConfiguration): SessionController | undefined;
  release(session: SessionController): void;
  /** Loads the newest saved run with the link. */
  find(link: string): Promise<LoadedRun | undefined>;
  resume(stored: LoadedRun): OpenRun;
  /** Returns the time of a clock [ms]. */
  now(): number;
  changed(): void;
}

/** Run of one seed of a series. */
export interface SeedRun {
  readonly seed: number;
  /** Metrics of its updates so far, limited to the length of the series. */
  readonly metrics: readonly Metrics[];
  readonly done: boolean;
}

/**
 * Trains one configuration with several seeds in sequence, at the full speed of the device. Each seed is saved as a
 * separate run. A saved run of a seed continues, and is not trained further if it has enough updates.
 */
export class SeedSeries {
  private readonly done = new Map<number, readonly Metrics[]>();
  private session: SessionController | undefined;
  /** Seed in training. */
  private current: number | undefined;
  /** Number of starts and stops of training. Results of earlier starts are ignored. */
  private trial = 0;
  /** Number of updates trained by the series; `since` and `elapsed` measure their time [ms]. */
  private trained = 0;
  private since = 0;
  private elapsed = 0;
  private changes = 0;
  /** Reason why training stopped; undefined if there is no problem. */
  problem: string | undefined;

  /**
   * @param configuration configuration of all runs; its seed is ignored
   * @param count number of seeds; the seeds are 1 to `count`
   * @param steps number of updates per seed
   */
  constructor(
    private readonly host: SeriesHost,
    readonly configuration: RunConfiguration,
    readonly count: number,
    readonly steps: number,
  ) {}

  get running(): boolean {
    return this.session !== undefined;
  }

  /** Runs of all seeds that have an update. */
  get runs(): readonly SeedRun[] {
    return Array.from({ length: this.count }, (_, index): SeedRun => {
      const seed = index + 1;
      const done = this.done.get(seed);
      if (done) return { seed, metrics: done, done: true };
      const present = seed === this.current ? this.session?.model.metrics.filter(({ step }) => step < this.steps) : [];
      return { seed, metrics: present ?? [], done: false };
    }).filter(({ metrics }) => metrics.length > 0);
  }

  /** Number of completed seeds. */
  get finished(): number {
    return this.done.size;
  }

  /** Text that changes with each change of the series. */
  get revision(): string {
    return `${this.changes} ${this.session?.model.revision ?? ''}`;
  }

  /** Estimated remaining time from the average time per update [ms]; undefined before the first update. */
  get left(): number | undefined {
    const elapsed = this.elapsed + (this.running ? this.host.now() - this.since : 0);
    if (this.trained === 0) return undefined;
    const present = this.current === undefined ? 0 : Math.min(this.steps, this.session?.model.step ?? 0);
    const updates = (this.count - this.done.size) * this.steps - present;
    return (elapsed / this.trained) * updates;
  }

  /** Trains the missing seeds. Saved updates are not repeated. */
  async train(): Promise<void> {
    if (this.running || this.finished === this.count) return;
    const trial = ++this.trial;
    this.problem = undefined;
    for (let seed = 1; seed <= this.count; seed++) {
      if (this.done.has(seed)) continue;
      const configuration = { ...this.configuration, seed };
      const stored = await this.host.find(queryOf(configuration));
      if (trial !== this.trial) return;
      if (stored && stored.saved.step >= this.steps) {
        this.finish(seed, stored.curve.rows);
        continue;
      }
      const trained = await this.trainRun(seed, configuration, stored);
      if (trial !== this.trial) return;
      if (!trained) break;
    }
    this.rest();
  }

  /** Stops the training. Trained updates are saved, and `train` continues from there. */
  stop(): void {
    this.trial += 1;
    this.rest();
  }

  private async trainRun(
    seed: number,
    configuration: RunConfiguration,
    stored: LoadedRun | undefined,
  ): Promise<boolean> {
    const session = this.session ?? this.host.borrow(configuration);
    if (!session) return false;
    if (this.session === undefined) this.since = this.host.now();
    this.session = session;
    this.current = seed;
    const ended = trainTo(session, this.steps, () => {
      this.trained += 1;
    });
    session.begin(configuration, { play: true, ...(stored && { ...stored, run: this.host.resume(stored) }) });
    session.send({ type: 'pace', updatesPerSecond: null });
    this.changed();
    const problem = await ended;
    session.flush();
    if (problem === undefined) this.finish(seed, session.model.metrics);
    else this.problem = problem;
    return problem === undefined;
  }

  private changed(): void {
    this.changes += 1;
    this.host.changed();
  }

  private finish(seed: number, rows: readonly Metrics[]): void {
    this.done.set(
      seed,
      rows.filter(({ step }) => step < this.steps),
    );
    this.current = undefined;
    this.changed();
  }

  private rest(): void {
    const { session } = this;
    if (session) {
      this.elapsed += this.host.now() - this.since;
      this.session = undefined;
      this.current = undefined;
      this.host.release(session);
    }
    this.changed();
  }
}

/**
 * Waits until a run that is about to begin has `steps` updates and has sent its state. Pauses the run at that step.
 * @param updated callback for each update
 * @returns undefined if the run reached `steps`, otherwise the message of the problem that stopped it
 */
export function trainTo(
  session: Pick<SessionController, 'listen' | 'send'>,
  steps: number,
  updated: () => void,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let problem = '';
    let hasStarted = false;
    let isComplete = false;
    const over = session.listen((message) => {
      if (message.type === 'problem') problem = message.problem.message;
      // After a failure of a custom rule, the run does not continue.
      const failed = message.type === 'problem' && message.problem.kind === 'rule';
      // Before `ready`, updates and states are from the previous run.
      if (message.type === 'ready') hasStarted = true;
      if (message.type === 'metrics' && hasStarted) {
        updated();
        if (message.metrics.step + 1 >= steps && !isComplete) {
          isComplete = true;
          session.send({ type: 'pause' });
        }
      }
      const isSaved = isComplete && message.type === 'checkpoint' && message.saved.step >= steps;
      const stopped = message.type === 'left' || (message.type === 'status' && message.status === 'stopped');
      if (!isSaved && !stopped && !failed) return;
      over();
      resolve(isSaved ? undefined : problem);
    });
  });
}
