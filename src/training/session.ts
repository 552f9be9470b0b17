import type { Gpu } from '../gpu/device.ts';
import { ParameterError, type ParameterValues } from '../parameters/parameters.ts';
import type { RunConfiguration } from './configuration.ts';
import { GroupFeed } from './groupFeed.ts';
import { problemOf, Superseded } from './problems.ts';
import type { Command, Message, Problem, SavedRun, Status } from './protocol.ts';
import { NonFiniteError, Run } from './run.ts';
import { checkConfiguration } from './tables.ts';

/** What a session needs from the place it runs in. */
export interface SessionHost {
  openGpu(): Promise<Gpu>;
  /** The shipped warm start of a world; undefined where none is shipped and it has to be made. */
  loadWarmStart(configuration: RunConfiguration): Promise<ArrayBuffer | undefined>;
  post(message: Message): void;
  now(): number;
}

/** A lost device is opened again so many times in a row without an update between before the run stops. */
const MOST_RECOVERIES = 3;
/** Updates and milliseconds between two checkpoints of a playing run, both at least. */
const CHECKPOINT_STEPS = 10;
const CHECKPOINT_MS = 2000;

/** Commands that wait until the loop stands still. */
type Errand = Extract<Command, { type: 'start' | 'reset' | 'step' | 'sample' | 'warm-start' | 'save' }>;

/**
 * The training worker's side of the protocol: owns the device and one run, does what the page asks between updates,
 * and brings the run back after a lost device. Errands and the playing loop go through one queue, one after another.
 */
export class TrainingSession {
  private gpu: Gpu | undefined;
  private run: Run | undefined;
  /** What the page asked for last, whether it could be started or not. */
  private asked: RunConfiguration | undefined;
  private saved: SavedRun | undefined;
  private savedAt = 0;
  private status: Status = 'loading';
  private playing = false;
  private hidden = false;
  private looping = false;
  private samples = 0;
  private recoveries = 0;
  /** Grows with every errand that makes running work pointless. */
  private epoch = 0;
  private changes: ParameterValues[] = [];
  private queue: Promise<unknown> = Promise.resolve();
  private readonly feed: GroupFeed;

  constructor(private readonly host: SessionHost) {
    this.feed = new GroupFeed(
      () => host.now(),
      (group) => host.post({ type: 'group', group }),
    );
  }

  /** Does a command. What goes wrong becomes a problem message, except for the fault that is there to throw. */
  receive(command: Command): void {
    switch (command.type) {
      case 'play':
        this.playing = true;
        this.loop();
        break;
      case 'pause':
        this.playing = false;
        this.rest();
        break;
      case 'visibility':
        this.hidden = command.hidden;
        if (this.hidden || !this.playing) this.rest();
        else this.loop();
        break;
      case 'change':
        this.changes.push(command.changes);
        if (!this.looping) this.enqueue(async () => this.applyChanges());
        break;
      case 'show':
        this.feed.choose(command.group, this.run?.trainer.environment);
        break;
      case 'fault':
        if (command.kind === 'throw') throw new Error('the worker was asked to throw');
        this.fault(command.kind);
        break;
      default:
        this.errand(command);
    }
  }

  private errand(command: Errand): void {
    const goesOn = this.playing && (command.type === 'sample' || command.type === 'save');
    this.playing = false;
    if (command.type === 'start' || command.type === 'reset' || command.type === 'warm-start') this.epoch++;
    const { epoch } = this;
    this.enqueue(() => this.perform(command)).then((done) => {
      const wanted = goesOn || (command.type === 'start' && command.play);
      if (done && wanted && epoch === this.epoch) this.playing = true;
      if (this.playing) this.loop();
      else this.rest();
    });
  }

  private async perform(command: Errand): Promise<void> {
    switch (command.type) {
      case 'start':
        return this.start(command.configuration, command.saved);
      case 'reset':
        return this.start(this.again());
      case 'warm-start':
        return this.start(this.again(), undefined, true);
      case 'step':
        return this.updates(() => false);
      case 'sample': {
        const { trainer } = this.current();
        const batch = await trainer.sample(this.samples++);
        return this.feed.take(batch, trainer.controls, trainer.environment, true, true);
      }
      case 'save':
        return this.checkpoint();
    }
  }

  /** Runs work after everything asked before it; tells whether it went well. */
  private enqueue(work: () => Promise<void>): Promise<boolean> {
    const done = this.queue.then(work).then(
      () => true,
      (error) => this.fail(error),
    );
    this.queue = done;
    return done;
  }

  private loop(): void {
    if (this.looping || this.hidden || this.status === 'stopped') return;
    this.looping = true;
    this.enqueue(() => this.updates(() => this.playing && !this.hidden)).then(() => {
      this.looping = false;
      // Asked to go on while the last update was ending, or brought back after a lost device.
      if (this.playing && !this.hidden) this.loop();
      else this.rest();
    });
  }

  private async start(configuration: RunConfiguration, saved?: SavedRun, warm = false): Promise<void> {
    this.tell('loading');
    const { epoch } = this;
    const checked = checkConfiguration(configuration);
    this.asked = checked;
    this.gpu ??= await this.openGpu();
    this.run?.destroy();
    this.run = undefined;
    this.saved = undefined;
    this.changes = [];
    this.feed.clear();
    const run = await Run.create(this.gpu, checked, (event) => this.host.post({ type: 'event', event }));
    const shipped = warm || saved ? undefined : await this.host.loadWarmStart(checked);
    if (saved) run.resume(saved);
    else if (shipped) run.begin(shipped);
    else {
      this.tell('warming');
      await run.trainer.warmStart(checked.settings.warmSeed as number, (progress) => {
        if (epoch !== this.epoch) throw new Superseded();
        this.host.post({ type: 'warm-start', ...progress });
      });
    }
    this.run = run;
    this.saved = saved ?? (await run.save());
    this.savedAt = this.host.now();
    const { name, software } = this.gpu;
    this.host.post({ type: 'ready', configuration: checked, device: { name, software }, step: run.step });
  }

  /** Updates at least once, then while `goOn`; metrics of one update arrive while the next is being sampled. */
  private async updates(goOn: () => boolean): Promise<void> {
    const run = this.current();
    this.tell('playing');
    let arriving: Promise<void> = Promise.resolve();
    let again = true;
    while (again) {
      this.applyChanges();
      const { batch, controls, metrics } = await run.update();
      // Awaited below; if an earlier one fails first, this one must not count as unhandled.
      const next = metrics.then((arrived) => this.host.post({ type: 'metrics', metrics: arrived }));
      next.catch(() => {});
      await arriving;
      arriving = next;
      this.recoveries = 0;
      again = goOn();
      this.feed.take(batch, controls, run.trainer.environment, !again);
      const old = run.step - (this.saved?.step ?? 0) >= CHECKPOINT_STEPS;
      if (!again || (old && this.host.now() - this.savedAt >= CHECKPOINT_MS)) {
        await arriving;
        await this.checkpoint();
      }
      const error = this.gpu?.takeError();
      if (error) throw new Error(`the GPU refused a command: ${error}`);
      again = again && goOn();
    }
    await arriving;
    this.applyChanges();
  }

  private async checkpoint(): Promise<void> {
    this.saved = await this.current().save();
    this.savedAt = this.host.now();
    this.host.post({ type: 'checkpoint', saved: this.saved });
  }

  private applyChanges(): void {
    for (const change of this.changes.splice(0)) {
      try {
        this.run?.change(change);
      } catch (error) {
        if (!(error instanceof ParameterError)) throw error;
        this.problem({ kind: 'configuration', message: error.message, recovery: 'none' });
      }
    }
  }

  private async openGpu(): Promise<Gpu> {
    const gpu = await this.host.openGpu();
    gpu.lost.then(() => {
      // Work that waits for the device learns of it from its own rejection; a run that stands still learns it here.
      this.enqueue(async () => {
        if (gpu !== this.gpu) return;
        await this.recover();
        this.rest();
      });
    });
    return gpu;
  }

  /** Everything that went wrong in the queue ends here. */
  private async fail(error: unknown): Promise<false> {
    if (error instanceof Superseded) return false;
    if (await this.deviceLost()) {
      await this.recover();
      return false;
    }
    if (error instanceof NonFiniteError) this.run?.note('stopped', error.message);
    this.playing = false;
    this.problem(problemOf(error, this.saved !== undefined));
    this.tell('stopped');
    return false;
  }

  private async deviceLost(): Promise<boolean> {
    if (!this.gpu) return false;
    const soon = new Promise<false>((resolve) => setTimeout(() => resolve(false), 100));
    return (await Promise.race([this.gpu.lost, soon])) !== false;
  }

  /** Opens the device again and takes the run from the last checkpoint on, with the same changes at the same steps. */
  private async recover(): Promise<void> {
    const { run, saved } = this;
    this.gpu = undefined;
    this.recoveries++;
    if (!run || !saved || this.recoveries > MOST_RECOVERIES) {
      const message = `The GPU device was lost${saved ? ` and could not be brought back in ${MOST_RECOVERIES} tries` : ''}.`;
      this.playing = false;
      this.problem({ kind: 'device-lost', message, recovery: saved ? 'last-checkpoint' : 'none' });
      this.tell('stopped');
      return;
    }
    this.tell('recovering');
    const message = `The GPU device was lost at step ${run.step}. Going on from the checkpoint of step ${saved.step}.`;
    this.problem({ kind: 'device-lost', message, recovery: 'automatic' });
    try {
      this.gpu = await this.openGpu();
      const next = await Run.create(this.gpu, run.configuration, (event) => this.host.post({ type: 'event', event }));
      next.resume(saved, run.events.slice(saved.events.length));
      next.note('recovered', `device lost at step ${run.step}, went on from step ${saved.step}`);
      this.run = next;
    } catch (error) {
      await this.fail(error);
    }
  }

  private fault(kind: 'lose-device' | 'non-finite'): void {
    if (kind === 'lose-device') this.gpu?.device.destroy();
    // A poisoned rotation table makes every activation, the loss and the gradient NaN.
    else
      this.gpu?.device.queue.writeBuffer(this.current().trainer.policy.workspace.rotation, 0, new Float32Array([NaN]));
  }

  /** The run from its beginning, with the controls as they are now. */
  private again(): RunConfiguration {
    if (!this.run && this.asked) return this.asked;
    const { configuration, trainer } = this.current();
    return { ...configuration, controls: trainer.controls };
  }

  private current(): Run {
    if (!this.run) throw new Error('there is no run: start one first');
    return this.run;
  }

  private problem(problem: Pick<Problem, 'kind' | 'message' | 'recovery'>): void {
    this.host.post({ type: 'problem', problem: { ...problem, step: this.run?.step ?? 0 } });
  }

  /** Tells the status of a run that stands still. */
  private rest(): void {
    if (this.looping || this.status === 'stopped' || !this.run) return;
    this.tell(this.playing && this.hidden ? 'hidden' : 'paused');
  }

  private tell(status: Status): void {
    if (status === this.status) return;
    this.status = status;
    this.host.post({ type: 'status', status });
  }
}
