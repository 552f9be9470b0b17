import type { LoadedRun } from '../../storage/runStore.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { MAX_LANES, type Metrics, type Status } from '../../training/data/protocol.ts';
import { queryOf } from '../session/naming.ts';
import type { OpenRun } from '../session/openRun.ts';
import type { SessionController } from '../session/sessionController.ts';
import { laneStrings } from '../strings/runStrings.ts';

/** Functions of the page that a queue uses. */
export interface QueueHost {
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

/** Run of a queue. */
export interface QueuedRun {
  readonly configuration: RunConfiguration;
  /** Number of updates. */
  readonly steps: number;
}

/** Run of a queue with its progress. */
export interface TrainedRun<Run extends QueuedRun> {
  readonly run: Run;
  /** Metrics of its updates so far, limited to the required length. */
  readonly metrics: readonly Metrics[];
  readonly state: 'waiting' | 'going' | 'done';
  /** Status of the run while it trains; otherwise absent. */
  readonly status?: Status;
}

/**
 * Trains runs in order at the full speed of the device, with up to `lanes` runs at the same time. Each run is saved
 * separately. A saved run continues, and is not trained further if it has enough updates.
 */
export class TrainingQueue<Run extends QueuedRun> {
  private readonly done = new Map<Run, readonly Metrics[]>();
  private readonly sessions = new Map<Run, SessionController>();
  /** Metrics of runs up to the time when they were stopped. */
  private readonly stopped = new Map<Run, readonly Metrics[]>();
  /** Number of starts and stops of training. Results of earlier starts are ignored. */
  private trial = 0;
  private trained = 0;
  private since = 0;
  private elapsed = 0;
  private changes = 0;
  running = false;
  /** Device that computes the runs; empty before the first trained run. */
  device = '';
  /** Reason why training stopped; undefined if there is no problem. */
  problem: string | undefined;

  /** @param runs runs in the order of training */
  constructor(
    private readonly host: QueueHost,
    readonly runs: readonly Run[],
    private readonly lanes = MAX_LANES,
  ) {}

  get all(): readonly TrainedRun<Run>[] {
    return this.runs.map((run): TrainedRun<Run> => {
      const done = this.done.get(run);
      if (done) return { run, metrics: done, state: 'done' };
      const session = this.sessions.get(run);
      if (!session) return { run, metrics: this.stopped.get(run) ?? [], state: 'waiting' };
      return { run, metrics: upTo(run, session.model.metrics), state: 'going', status: session.model.status };
    });
  }

  get finished(): number {
    return this.done.size;
  }

  /** Number of updates of all runs, and number of completed updates. */
  get updates(): { readonly all: number; readonly done: number } {
    const all = this.runs.reduce((sum, { steps }) => sum + steps, 0);
    return {
      all,
      done: this.all.reduce((sum, { run, state, metrics }) => sum + (state === 'done' ? run.steps : metrics.length), 0),
    };
  }

  /** Text that changes with each change of the training. */
  get revision(): string {
    return `${this.changes} ${[...this.sessions.values()].map(({ model }) => model.revision).join()}`;
  }

  /** Estimated remaining time from the average time per update [ms]; undefined before the first update. */
  get left(): number | undefined {
    if (this.trained === 0) return undefined;
    const elapsed = this.elapsed + (this.running ? this.host.now() - this.since : 0);
    const { all, done } = this.updates;
    return (elapsed / this.trained) * (all - done);
  }

  /** Trains the missing runs. Saved updates are not repeated. */
  async train(): Promise<void> {
    if (this.running || this.finished === this.runs.length) return;
    const trial = ++this.trial;
    this.running = true;
    this.problem = undefined;
    this.since = this.host.now();
    this.changed();
    const queue = this.runs.filter((run) => !this.done.has(run));
    const lanes = Math.min(this.lanes, queue.length);
    await Promise.all(Array.from({ length: lanes }, () => this.lane(queue, trial)));
    if (trial === this.trial) this.rest();
  }

  /** Stops the training. Trained updates are saved, and `train` continues from there. */
  stop(): void {
    this.trial += 1;
    for (const [run, session] of this.sessions) {
      session.flush();
      this.stopped.set(run, upTo(run, session.model.metrics));
      this.host.release(session);
    }
    this.sessions.clear();
    this.rest();
  }

  /** Trains runs of the queue in sequence, until the queue is empty or a problem stops the training. */
  private async lane(queue: Run[], trial: number): Promise<void> {
    for (let run = queue.shift(); run && trial === this.trial; run = queue.shift()) {
      const stored = await this.host.find(queryOf(run.configuration));
      if (trial !== this.trial) return;
      if (stored && stored.saved.step >= run.steps) {
        this.finish(run, stored.curve.rows);
        continue;
      }
      const problem = await this.trainRun(run, stored);
      if (trial !== this.trial) return;
      if (problem === undefined) continue;
      this.problem = problem;
      return;
    }
  }

  /** Trains a run to its end. @returns undefined, or the problem that stopped the run */
  private async trainRun(run: Run, stored: LoadedRun | undefined): Promise<string | undefined> {
    const { configuration, steps } = run;
    const session = this.host.borrow(configuration);
    if (!session) return laneStrings.full(MAX_LANES);
    const { trial } = this;
    this.sessions.set(run, session);
    const ended = trainTo(session, steps, () => {
      this.trained += 1;
      this.changed();
    });
    session.begin(configuration, { play: true, ...(stored && { ...stored, run: this.host.resume(stored) }) });
    session.send({ type: 'pace', updatesPerSecond: null });
    this.changed();
    const problem = await ended;
    if (trial !== this.trial) return problem ?? '';
    session.flush();
    this.device = session.model.device?.name ?? this.device;
    this.sessions.delete(run);
    if (problem === undefined) this.finish(run, session.model.metrics);
    else this.stopped.set(run, upTo(run, session.model.metrics));
    this.host.release(session);
    return problem;
  }

  private finish(run: Run, rows: readonly Metrics[]): void {
    this.done.set(run, upTo(run, rows));
    this.stopped.delete(run);
    this.changed();
  }

  private rest(): void {
    if (this.running) this.elapsed += this.host.now() - this.since;
    this.running = false;
    this.changed();
  }

  private changed(): void {
    this.changes += 1;
    this.host.changed();
  }
}

function upTo({ steps }: QueuedRun, rows: readonly Metrics[]): readonly Metrics[] {
  return rows.filter(({ step }) => step < steps);
}

/** Run of one seed of a series. */
export interface SeedRun {
  readonly seed: number;
  /** Metrics of its updates so far, limited to the length of the series. */
  readonly metrics: readonly Metrics[];
  readonly done: boolean;
}

/** Trains one configuration with the seeds 1 to `count`, in sequence. */
export class SeedSeries extends TrainingQueue<QueuedRun> {
  constructor(
    host: QueueHost,
    readonly configuration: RunConfiguration,
    readonly count: number,
    readonly steps: number,
  ) {
    const seeds = Array.from({ length: count }, (_, index) => index + 1);
    super(
      host,
      seeds.map((seed) => ({ configuration: { ...configuration, seed }, steps })),
      1,
    );
  }

  /** Runs of all seeds that have an update. */
  get seeds(): readonly SeedRun[] {
    return this.all.flatMap(({ run, metrics, state }) =>
      metrics.length === 0 ? [] : [{ seed: run.configuration.seed, metrics, done: state === 'done' }],
    );
  }
}

/**
 * Waits until a run that is about to begin has `steps` updates and has sent its state. Pauses the run at that step.
 * @param updated callback for each update
 * @returns undefined if the run reached `steps`, otherwise the message of the problem that stopped it
 */
function trainTo(
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
