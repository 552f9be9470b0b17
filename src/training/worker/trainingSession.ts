import { ParameterError } from '../../parameters/parameters.ts';
import type { SampledBatch } from '../collect/collector.ts';
import type { RunConfiguration } from '../data/configuration.ts';
import type { Command, Problem, RunEvent, SavedRun, Status } from '../data/protocol.ts';
import type { TruthRequest } from '../data/truthReport.ts';
import { RUNS } from '../run/openRun.ts';
import { NonFiniteError, type Run } from '../run/run.ts';
import type { Push } from '../update/logProbabilities.ts';
import { GroupFeed, Samples } from './groupFeed.ts';
import { LiveRun } from './liveRun.ts';
import { type LaneHost, Measuring } from './measuring.ts';
import { isRuleFault, problemOf, Superseded } from './recovery.ts';
import { PlaybackClock, WorkQueue } from './workQueue.ts';

type ErrorDescription = Pick<Problem, 'kind' | 'message' | 'recovery'>;

/**
 * Worker side of the training protocol. All requested work waits in one queue, and the run plays only while the queue
 * is empty. So commands apply in the order of their arrival, and never during an update. Each start has a number
 * (epoch). A request applies only to the run of its epoch, and is dropped if that run was replaced.
 */
export class TrainingSession {
  private readonly live: LiveRun;
  private status: Status = 'loading';
  /** True if the page requests that the run plays, regardless of the work in progress. */
  private isTraining = false;
  private hidden = false;
  /** True after a failure. Only a new start then has an effect. */
  private stopped = false;
  /** Number of requested starts, and number of the last start that was processed. */
  private epoch = 0;
  private turn = 0;
  private readonly clock: PlaybackClock;
  private readonly samples: Samples;
  private readonly feed: GroupFeed;
  private readonly measuring: Measuring;
  private readonly queue: WorkQueue;

  /** @param runs factory of the runs */
  constructor(
    private readonly host: LaneHost,
    runs = RUNS,
  ) {
    this.clock = new PlaybackClock(host);
    const owner = {
      superseded: () => this.superseded,
      untilVisible: (over: () => boolean) => this.clock.until(() => !this.hidden || over()),
      reportStatus: (status: Status) => this.reportStatus(status),
      problem: (problem: ErrorDescription) => this.problem(problem),
    };
    this.live = new LiveRun(host, owner, runs, (device) => {
      // Work that waits for a lost device is rejected anyway. This handles the loss for a paused run.
      this.queue.push(async () => {
        if (device !== this.live.devices.current) return;
        if (this.live.present && !this.stopped) await this.recover();
        else this.live.devices.drop();
      });
      this.clock.wake();
    });
    this.feed = new GroupFeed(
      () => host.now(),
      (group) => host.post({ type: 'group', group }),
    );
    this.samples = new Samples(host, this.feed);
    this.measuring = new Measuring(host, (signal) => this.clock.until(() => !this.hidden || signal.aborted));
    this.queue = new WorkQueue({
      idle: () => (this.goesOn() ? () => this.updates(() => this.goesOn()) : undefined),
      fail: (error) => this.fail(error),
      rest: () => this.rest(),
    });
  }

  /** Handles a command. Errors are sent as problem messages. */
  receive(command: Command): void {
    switch (command.type) {
      case 'prepare':
        this.queue.push(() => this.live.devices.ahead(command.engine));
        break;
      case 'start':
        this.isTraining = command.play;
        this.begin((epoch) => this.start(epoch, command.configuration, command.saved));
        break;
      case 'warm-start':
        this.isTraining = false;
        this.begin((epoch) => this.start(epoch, this.live.currentConfiguration(), undefined, true));
        break;
      case 'play':
      case 'pause':
        this.isTraining = command.type === 'play';
        this.queue.run();
        break;
      case 'visibility':
        this.hidden = command.hidden;
        this.queue.run();
        break;
      case 'pace':
        this.clock.pace(command.updatesPerSecond);
        if (command.everyGroup !== undefined) this.feed.showsEach = command.everyGroup;
        break;
      case 'step':
      case 'slow-motion':
        this.isTraining = false;
        this.enqueueWork(() => this.updates(() => false, command.type === 'slow-motion'));
        break;
      case 'sample':
      case 'find-tie':
        this.enqueueWork(() => this.samples[command.type === 'sample' ? 'sampleGroup' : 'tied'](this.live.current));
        break;
      case 'measure-truth': {
        const signal = this.measuring.start();
        this.queue.push(() => this.measure(command.request, signal));
        break;
      }
      case 'cancel-truth':
        this.measuring.cancel();
        break;
      case 'change':
        this.enqueueWork(
          () => this.change((run) => run.change(command.changes)),
          (epoch) => this.orProblem(() => this.live.changeRequestedRun(epoch, command.changes)),
        );
        break;
      case 'drop-plan':
        this.enqueueWork(
          () => this.change((run) => run.dropPlan()),
          (epoch) => this.live.dropRequestedPlan(epoch),
        );
        break;
      case 'save':
        this.enqueueWork(
          () => this.live.checkpoint(),
          (epoch) => {
            if (this.live.matchesEpoch(epoch)) this.live.sendEvents();
          },
        );
        break;
      case 'show':
      case 'hold':
        this.feed.handle(command, this.live.present?.trainer.environment);
        break;
    }
    // All waiting code checks its condition again.
    this.clock.wake();
  }

  /** Ends the session: sends the changes since the last checkpoint, and releases the run and the device. */
  leave(): Promise<void> {
    this.isTraining = false;
    return new Promise((left) => {
      this.begin(async () => {
        await this.live.leave(this.stopped);
        this.live.devices.drop();
        this.stopped = true;
        left();
      });
      this.clock.wake();
    });
  }

  private begin(start: (epoch: number) => Promise<void>): void {
    const epoch = ++this.epoch;
    this.measuring.cancel();
    this.queue.push(() => {
      this.turn = epoch;
      return start(epoch);
    });
  }

  /** True if another run was requested in the meantime. The current work then has no further effect. */
  private get superseded(): boolean {
    return this.turn !== this.epoch;
  }

  private get isPaused(): boolean {
    return !this.isTraining || this.hidden;
  }

  /**
   * Queues work on the requested or current run. If the device is lost during the work, the run is restored from its
   * last checkpoint and the work is repeated.
   * @param otherwise called if the run does not exist or has stopped
   */
  private enqueueWork(work: () => Promise<void>, otherwise: (epoch: number) => void = () => {}): void {
    const { epoch } = this;
    this.queue.push(async () => {
      if (epoch === 0) throw new Error('there is no run: start one first');
      while (this.live.matchesEpoch(epoch) && !this.stopped) {
        try {
          return await work();
        } catch (error) {
          if (!(await this.live.devices.isLost(error))) throw error;
          await this.recover();
        }
      }
      otherwise(epoch);
    });
  }

  private rest(): void {
    if (this.live.present && !this.stopped) this.reportStatus(this.isTraining && this.hidden ? 'hidden' : 'paused');
  }

  private goesOn(): boolean {
    return !this.isPaused && !this.stopped && this.live.present !== undefined && this.queue.empty;
  }

  /** Ends the current run and starts another run. */
  private async start(epoch: number, requested: RunConfiguration, saved?: SavedRun, warm = false): Promise<void> {
    if (this.superseded) return this.live.skipStart(epoch, requested, saved);
    this.reportStatus('loading');
    await this.live.leave(this.stopped);
    const onStart = () => {
      this.stopped = false;
      this.feed.clear();
    };
    await this.live.begin(epoch, requested, onStart, saved, warm);
  }

  /**
   * Runs at least one update, and further updates while `goOn` returns true. The metrics of an update arrive while the
   * next update samples.
   * @param watched true for a single update whose effect on the displayed group is reported
   */
  private async updates(goOn: () => boolean, watched = false): Promise<void> {
    const run = this.live.current;
    this.reportStatus('playing');
    let arriving: Promise<void> = Promise.resolve();
    const watch = watched ? (batch: SampledBatch) => this.feed.groupOf(batch) : undefined;
    let pushed: Promise<Push> | undefined;
    let again = true;
    while (again) {
      this.clock.beat();
      const { batch, controls, exact, metrics, credit, push } = await this.host.turn(() => run.update(watch));
      pushed = push;
      const before = arriving;
      // Metrics are sent in order, and not after a failure.
      arriving = before.then(async () => {
        const arrived = await metrics;
        // The run can have ended in the meantime, if a later update failed.
        if (this.live.present !== run) return;
        this.live.devices.arrived(arrived.step + 1);
        this.host.post({ type: 'metrics', metrics: arrived });
        const result = { batch, controls, exact, credit: await credit };
        if (this.live.present === run) this.feed.add(result, run.trainer.environment);
      });
      for (const promise of [metrics, arriving]) promise.catch(() => {});
      await before;
      again = await this.clock.untilDue(goOn);
      const error = this.live.devices.current?.readError();
      if (error) throw new Error(`the GPU refused a command: ${error}`);
      if (this.live.checkpoints.due(run) || (!again && this.isPaused)) {
        await arriving;
        await this.live.checkpoint();
        again = again && goOn();
      }
    }
    await arriving;
    this.feed.catchUp(run.trainer.environment);
    if (pushed) this.host.post({ type: 'push', push: { step: run.step - 1, ...(await pushed) } });
  }

  /** Measures a group. Errors are reported as errors of the measurement, and the run is unchanged. */
  private async measure(request: TruthRequest, signal: AbortSignal): Promise<void> {
    const prepare = async () => {
      if (this.stopped) throw new Error('the run has stopped');
      const run = this.live.current;
      this.reportStatus('measuring');
      // The checkpoint protects the run against a loss of the device during the measurement.
      if (this.live.checkpoints.isOutdated(run)) await this.live.checkpoint();
      if (!request.of) await this.samples.untied(run);
      return {
        measurer: run.trainer.measurer,
        displayed: this.feed.find(request.of),
        deviceError: () => this.live.devices.current?.readError(),
      };
    };
    await this.measuring.measure(request, signal, prepare).catch(async (error: unknown) => {
      if (await this.live.devices.isLost(error)) throw error;
    });
  }

  private async change(change: (run: Run) => RunEvent | undefined): Promise<void> {
    const event = this.orProblem(() => change(this.live.current));
    // No other code saves a change during a pause.
    if (event && this.isPaused) await this.live.checkpoint();
  }

  /** Applies a change, or reports that it is invalid. */
  private orProblem<T>(change: () => T): T | undefined {
    try {
      return change();
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
      this.problem({ kind: 'configuration', message: error.message, recovery: 'none' });
      return undefined;
    }
  }

  /** Handles an error of queued work: restores the run after a lost device, otherwise stops it. */
  private async fail(cause: unknown): Promise<void> {
    let error = cause;
    if (error instanceof Superseded) return;
    try {
      if (this.live.present && !this.stopped && (await this.live.devices.isLost(error))) return await this.recover();
    } catch (failure) {
      error = failure;
    }
    if (error instanceof NonFiniteError) this.live.present?.note('stopped', error.message);
    this.stop(error);
  }

  private async recover(): Promise<void> {
    // If the recovery returns false, another run was requested.
    this.stopped = !(await this.live.recover());
    if (this.stopped) return;
    this.feed.catchUp(this.live.current.trainer.environment);
  }

  private stop(error: unknown): void {
    this.stopped = !isRuleFault(error);
    // If another run was requested, its state (playing or paused) must not change.
    if (this.superseded) return;
    this.isTraining = false;
    this.problem(problemOf(error, this.live.checkpoints.saved !== undefined));
    if (this.stopped) this.reportStatus('stopped');
  }

  private problem(problem: ErrorDescription): void {
    this.host.post({ type: 'problem', problem: { ...problem, step: this.live.step } });
  }

  private reportStatus(status: Status): void {
    if (status === this.status) return;
    this.status = status;
    this.host.post({ type: 'status', status });
  }
}
