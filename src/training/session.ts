import type { Gpu } from '../gpu/device.ts';
import { ParameterError, type ParameterValues } from '../parameters/parameters.ts';
import { Checkpoints } from './checkpoints.ts';
import type { RunConfiguration } from './configuration.ts';
import { breakGpu } from './faults.ts';
import { GroupFeed, MOST_SAMPLES, untiedSample } from './groupFeed.ts';
import { Measuring, type MeasuringHost } from './measuring.ts';
import { beginRun, openAhead, openRun, type RunHost } from './openRun.ts';
import { problemOf, Superseded } from './problems.ts';
import type { Command, Message, Problem, RunEvent, SavedRun, Status } from './protocol.ts';
import { NonFiniteError, type Run } from './run.ts';
import { checkConfiguration } from './tables.ts';
import type { TruthRequest } from './truthProtocol.ts';
import { WorkQueue } from './workQueue.ts';

/** What a session needs from the place it runs in. */
export interface SessionHost extends RunHost, MeasuringHost {
  openGpu(): Promise<Gpu>;
  post(message: Message): void;
  now(): number;
  /** Waits between tries to open a lost device again. */
  sleep(milliseconds: number): Promise<void>;
}

/** A lost device is opened again so many times without an update between before the run stops. */
const MOST_RECOVERIES = 3;
/** Milliseconds before the second try to open a device, twice as many before the third. */
const RECOVERY_MS = 500;
/**
 * The training worker's side of the protocol: owns the device and one run, and brings the run back after a lost
 * device. Everything that a command asks for waits in one queue; between two pieces of work, and only then, the run
 * plays. So commands act in the order in which they came, and never inside an update.
 */
export class TrainingSession {
  private gpu: Gpu | undefined;
  private run: Run | undefined;
  private asked: RunConfiguration | undefined;
  private status: Status = 'loading';
  /** What the page wants, whatever is being done at the moment. */
  private playing = false;
  private hidden = false;
  /** After a failure only a new start is obeyed. */
  private stopped = false;
  private samples = 0;
  private recoveries = 0;
  /** Grows with every start, which makes a running warm start pointless. */
  private epoch = 0;
  private wake: () => void = () => {};
  private readonly kept: Checkpoints;
  private readonly feed: GroupFeed;
  private readonly measuring: Measuring;
  private readonly queue: WorkQueue;
  private readonly hear = (event: RunEvent) => this.host.post({ type: 'event', event });

  constructor(private readonly host: SessionHost) {
    this.kept = new Checkpoints(() => host.now());
    this.feed = new GroupFeed(
      () => host.now(),
      (group) => host.post({ type: 'group', group }),
    );
    this.measuring = new Measuring(host, (signal) => this.untilVisible(() => signal.aborted));
    this.queue = new WorkQueue({
      idle: () => (this.goesOn() ? () => this.updates(() => this.goesOn()) : undefined),
      fail: (error) => this.fail(error),
      rest: () => this.rest(),
    });
  }

  /** Takes a command. What goes wrong becomes a problem message, except for the fault that is there to throw. */
  receive(command: Command): void {
    switch (command.type) {
      case 'prepare':
        this.queue.push(async () => {
          this.gpu ??= await openAhead(() => this.openGpu());
        });
        break;
      case 'start':
        this.playing = command.play;
        this.begin((epoch) => this.start(epoch, command.configuration, command.saved));
        break;
      case 'reset':
      case 'warm-start':
        this.playing = false;
        this.begin((epoch) => this.start(epoch, this.again(), undefined, command.type === 'warm-start'));
        break;
      case 'play':
      case 'pause':
        this.playing = command.type === 'play';
        this.queue.run();
        break;
      case 'visibility':
        this.hidden = command.hidden;
        this.wake();
        this.queue.run();
        break;
      case 'step':
        this.playing = false;
        this.ask(() => this.updates(() => false));
        break;
      case 'sample':
        this.ask(() => this.sample());
        break;
      case 'measure-truth': {
        const signal = this.measuring.asked();
        this.queue.push(() => this.measure(command.request, signal));
        break;
      }
      case 'cancel-truth':
        this.measuring.cancel();
        this.wake();
        break;
      case 'change':
        this.ask(() => this.change(command.changes));
        break;
      case 'save':
        this.queue.push(() => this.checkpoint());
        break;
      case 'show':
      case 'hold':
        this.feed.obey(command, this.run?.trainer.environment);
        break;
      case 'fault':
        if (command.kind === 'throw') throw new Error('the worker was asked to throw');
        if (this.gpu) breakGpu(this.gpu, command.kind, this.run);
        break;
    }
  }

  private begin(start: (epoch: number) => Promise<void>): void {
    const epoch = ++this.epoch;
    this.measuring.cancel();
    this.wake();
    this.queue.push(() => start(epoch));
  }

  private async untilVisible(over: () => boolean): Promise<void> {
    while (this.hidden && !over()) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Work that a run which stopped is spared. */
  private ask(work: () => Promise<void>): void {
    this.queue.push(async () => (this.stopped ? undefined : work()));
  }

  private rest(): void {
    if (this.run && !this.stopped) this.tell(this.playing && this.hidden ? 'hidden' : 'paused');
  }

  private goesOn(): boolean {
    return this.playing && !this.hidden && !this.stopped && this.run !== undefined && this.queue.empty;
  }

  /** Opens the device where needed and makes a run on it; a device lost meanwhile is opened again. */
  private async start(epoch: number, configuration: RunConfiguration, saved?: SavedRun, warm = false): Promise<void> {
    this.tell('loading');
    const checked = checkConfiguration(configuration);
    this.asked = checked;
    await this.handOver();
    this.run?.destroy();
    this.run = undefined;
    this.kept.begin(saved);
    this.stopped = false;
    this.feed.clear();
    for (let tries = 1; !this.run; tries++) {
      try {
        this.gpu ??= await this.openGpu();
        const run = await this.make(epoch, this.gpu, checked, saved, warm);
        if (!saved) await this.kept.take(run);
        this.run = run;
      } catch (error) {
        if (error instanceof Superseded || tries > MOST_RECOVERIES || !(await this.deviceLost())) throw error;
        this.gpu = undefined;
      }
    }
    const { name, software } = this.gpu as Gpu;
    this.host.post({ type: 'ready', configuration: checked, device: { name, software }, step: this.run.step });
    this.run.reach();
  }

  private async make(epoch: number, gpu: Gpu, configuration: RunConfiguration, saved?: SavedRun, warm = false) {
    return beginRun(gpu, configuration, this.host, this.hear, {
      saved,
      warm,
      warming: async (progress) => {
        if (!progress) return this.tell('warming');
        this.host.post({ type: 'warm-start', ...progress });
        await this.untilVisible(() => epoch !== this.epoch);
        if (epoch !== this.epoch) throw new Superseded();
      },
    });
  }

  /** Updates at least once, then while `goOn`; metrics of one update arrive while the next is being sampled. */
  private async updates(goOn: () => boolean): Promise<void> {
    const run = this.current();
    this.tell('playing');
    let arriving: Promise<void> = Promise.resolve();
    let again = true;
    while (again) {
      const { batch, controls, metrics, credit } = await run.update();
      const before = arriving;
      // In order, and nothing after a failure.
      arriving = before.then(async () => {
        this.host.post({ type: 'metrics', metrics: await metrics });
        this.feed.take(batch, await credit, controls, run.trainer.environment);
      });
      for (const promise of [metrics, arriving]) promise.catch(() => {});
      await before;
      this.recoveries = 0;
      again = goOn();
      const error = this.gpu?.takeError();
      if (error) throw new Error(`the GPU refused a command: ${error}`);
      if (this.kept.due(run) || (!again && !(this.playing && !this.hidden))) {
        await arriving;
        await this.checkpoint();
        again = again && goOn();
      }
    }
    await arriving;
    this.feed.catchUp(run.trainer.environment);
  }

  private async sample(tries = 1): Promise<void> {
    const { trainer } = this.current();
    const batch = await untiedSample(() => trainer.sample(this.samples++), tries);
    this.feed.take(batch, await trainer.judge(batch), trainer.controls, trainer.environment, true);
  }

  /** What goes wrong is told as the measurement's own, and the run stays as it is. */
  private async measure(request: TruthRequest, signal: AbortSignal): Promise<void> {
    const prepare = async () => {
      if (this.stopped) throw new Error('the run has stopped');
      const run = this.current();
      this.tell('measuring');
      // A device that is lost meanwhile takes nothing with it.
      if (this.kept.behind(run)) await this.checkpoint();
      if (!request.of) await this.sample(MOST_SAMPLES);
      return { trainer: run.trainer, shown: this.feed.find(request.of), refused: () => this.gpu?.takeError() };
    };
    await this.measuring.measure(request, signal, prepare).catch(async (error: unknown) => {
      if (await this.deviceLost()) throw error;
    });
  }

  private async change(changes: ParameterValues): Promise<void> {
    try {
      const event = this.current().change(changes);
      // Nothing else would keep a change that is made while the run stands still.
      if (event && !this.playing) await this.checkpoint();
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
      this.problem({ kind: 'configuration', message: error.message, recovery: 'none' });
    }
  }

  /** Hands out the run as it is; after a failure, as it last was in order. */
  private async checkpoint(): Promise<void> {
    if (!this.stopped) await this.kept.take(this.current());
    const { saved } = this.kept;
    if (saved) this.host.post({ type: 'checkpoint', saved });
  }

  /** Hands out the run that is left for another, so that the page can keep what came after its last checkpoint. */
  private async handOver(): Promise<void> {
    if (this.stopped || !this.run || !this.kept.behind(this.run)) return;
    // Where the device is lost, the last checkpoint is what is left of it.
    await this.checkpoint().catch(() => {});
  }

  private async openGpu(): Promise<Gpu> {
    const gpu = await this.host.openGpu();
    gpu.lost.then(() => {
      // Work that waits for the device learns of it from its own rejection; a run that stands still learns it here.
      this.queue.push(async () => {
        if (gpu === this.gpu && !this.stopped) await this.recover();
      });
    });
    return gpu;
  }

  /** Everything that went wrong in the queue ends here. */
  private async fail(error: unknown): Promise<void> {
    if (error instanceof Superseded) return;
    if (this.run && (await this.deviceLost())) return this.recover();
    if (error instanceof NonFiniteError) this.run?.note('stopped', error.message);
    this.stop(problemOf(error, this.kept.saved !== undefined));
  }

  private async deviceLost(): Promise<boolean> {
    if (!this.gpu) return false;
    return (await Promise.race([this.gpu.lost, this.host.sleep(100).then(() => false as const)])) !== false;
  }

  /** Opens the device again and takes the run from the last checkpoint on, with the same changes at the same steps. */
  private async recover(): Promise<void> {
    const { run } = this;
    const { saved } = this.kept;
    this.gpu = undefined;
    if (!run || !saved) return;
    this.tell('recovering');
    const message = `The GPU device was lost at step ${run.step}. Going on from the checkpoint of step ${saved.step}.`;
    this.problem({ kind: 'device-lost', message, recovery: 'automatic' });
    let reason = '';
    while (this.recoveries < MOST_RECOVERIES) {
      await this.host.sleep(RECOVERY_MS * this.recoveries++);
      try {
        this.gpu = await this.openGpu();
        const next = await openRun(this.gpu, run.configuration, this.host, this.hear);
        next.resume({ ...saved, events: run.allEvents });
        next.note('recovered', `device lost at step ${run.step}, went on from step ${saved.step}`);
        this.run = next;
        return;
      } catch (error) {
        this.gpu = undefined;
        reason = ` (${error instanceof Error ? error.message : String(error)})`;
      }
    }
    const vain = `The GPU device was lost and could not be brought back in ${MOST_RECOVERIES} tries${reason}.`;
    this.stop({ kind: 'device-lost', message: vain, recovery: 'last-checkpoint' });
  }

  /** The configuration that a reset or a warm start begins with: controls as they are now. */
  private again(): RunConfiguration {
    if (!this.run && this.asked) return this.asked;
    const { configuration, trainer } = this.current();
    return { ...configuration, controls: trainer.controls };
  }

  private current(): Run {
    if (!this.run) throw new Error('there is no run: start one first');
    return this.run;
  }

  private stop(problem: Pick<Problem, 'kind' | 'message' | 'recovery'>): void {
    this.playing = false;
    this.stopped = true;
    this.problem(problem);
    this.tell('stopped');
  }

  private problem(problem: Pick<Problem, 'kind' | 'message' | 'recovery'>): void {
    this.host.post({ type: 'problem', problem: { ...problem, step: this.run?.step ?? 0 } });
  }

  private tell(status: Status): void {
    if (status === this.status) return;
    this.status = status;
    this.host.post({ type: 'status', status });
  }
}
