import type { EngineDevice } from '../../engine/engine.ts';
import { NoWebGpuError } from '../../engine/shared.ts';
import { type ParameterValues, parseParameters } from '../../parameters/parameters.ts';
import { type EngineName, EXACT, isExact, type RunConfiguration } from '../data/configuration.ts';
import { checkConfiguration, tablesOf } from '../data/configurationTables.ts';
import type { DeviceDescription, Message, Problem, RunEvent, SavedRun, Status } from '../data/protocol.ts';
import { RUNS, type RunHost } from '../run/openRun.ts';
import type { Run } from '../run/run.ts';
import { type DeviceHost, Recovery, Superseded } from './recovery.ts';

/** Functions of the host that a run needs. */
export interface LiveRunHost extends RunHost, DeviceHost {
  post(message: Message): void;
  now(): number;
}

/** Session of a run, which decides on its work and receives its reports. */
export interface LiveRunOwner {
  /** Returns true if another run was requested. The work for this run then has no further effect. */
  superseded(): boolean;
  /** Waits while the tab is hidden. @param over returns true if the wait ends early */
  untilVisible(over: () => boolean): Promise<void>;
  reportStatus(status: Status): void;
  problem(problem: Pick<Problem, 'kind' | 'message' | 'recovery'>): void;
}

/**
 * Run of a session, from its start until another run replaces it. Opens the run, stores its last checkpoint, restores
 * it after a lost device, and destroys each run that it created. Starts are numbered (epochs), so that a request for
 * one run never applies to another run.
 */
export class LiveRun {
  readonly checkpoints: Checkpoints;
  readonly devices: Recovery;
  private run: Run | undefined;
  /** Epoch of the run, or of a lost run until another run replaces it. 0 if there is no run. */
  private epoch = 0;
  /** Configuration for a reset while there is no run: from a failed or skipped start, or from a lost run. */
  private request: { readonly epoch: number; readonly configuration: RunConfiguration } | undefined;
  /**
   * Events of a run that opens. They are sent after `ready`, because the page assigns earlier events to the last run.
   */
  private early: RunEvent[] | undefined;
  private readonly onEvent = (event: RunEvent) => {
    if (this.early) this.early.push(event);
    else this.host.post({ type: 'event', event });
  };

  /**
   * @param runs factory of the runs
   * @param lost called for each lost device, also for a device that was released
   */
  constructor(
    private readonly host: LiveRunHost,
    private readonly owner: LiveRunOwner,
    private readonly runs = RUNS,
    lost: ConstructorParameters<typeof Recovery>[1] = () => {},
  ) {
    this.checkpoints = new Checkpoints(() => host.now());
    this.devices = new Recovery(host, lost);
  }

  /** Current run; undefined before the first run, while another run opens, and after a failed recovery. */
  get present(): Run | undefined {
    return this.run;
  }

  /**
   * Current run.
   * @throws {Error} if there is no run
   */
  get current(): Run {
    if (!this.run) throw new Error('there is no run: start one first');
    return this.run;
  }

  /** Number of finished updates of the run, or of the last checkpoint without a run. */
  get step(): number {
    return this.run?.step ?? this.checkpoints.saved?.step ?? 0;
  }

  /** Returns true if the current or lost run is of a start. @param epoch number of the start */
  matchesEpoch(epoch: number): boolean {
    return this.epoch === epoch;
  }

  /** Records a skipped start, for a later reset. */
  skipStart(epoch: number, configuration: RunConfiguration, saved?: SavedRun): void {
    this.request = { epoch, configuration: atSaved(configuration, saved) };
  }

  /**
   * Starts a run that replaces the previous run.
   * @param onStart called after the configuration was checked
   * @throws {ParameterError} for an invalid configuration
   * @throws {Superseded} if another run was requested
   * @throws the error that prevents the creation of the run
   */
  async begin(
    epoch: number,
    requested: RunConfiguration,
    onStart: () => void,
    saved?: SavedRun,
    warm = false,
  ): Promise<void> {
    const configuration = checkConfiguration(requested);
    this.skipStart(epoch, configuration, saved);
    this.devices.begin();
    this.checkpoints.begin(saved);
    onStart();
    const { run, events } = await this.opened(configuration, saved, warm);
    this.run = run;
    this.epoch = epoch;
    this.request = undefined;
    this.host.post({
      type: 'ready',
      ...{
        run: epoch,
        configuration: run.configuration,
        device: describe(await this.devices.device()),
        step: run.step,
      },
    });
    for (const event of events) this.onEvent(event);
    if (!saved) run.noteEngine(configuration.engine);
    run.reach();
    // Saves the events of the start, for example a change of the engine.
    if (events.length > 0) await this.checkpoint();
  }

  /**
   * Ends the run before another run starts, after sending the changes since the last checkpoint.
   * @param stopped true if the run has failed, and its state before the failure was already sent
   */
  async leave(stopped: boolean): Promise<void> {
    const { run } = this;
    if (run) {
      if (!stopped && this.checkpoints.isOutdated(run)) await this.checkpoint().catch(() => this.sendMetrics(run));
      this.part(run);
    }
    this.epoch = 0;
  }

  /** Saves and sends the current state of the run. */
  async checkpoint(): Promise<void> {
    await this.checkpoints.capture(this.current);
    this.sendEvents();
  }

  /** Sends the last checkpoint of the run. */
  sendEvents(): void {
    const { saved } = this.checkpoints;
    // After a failed start (epoch 0), the checkpoint is the one from the page.
    if (saved && this.epoch !== 0) this.host.post({ type: 'checkpoint', saved });
  }

  /**
   * Opens the device again and continues the run from the last checkpoint, with the same changes at the same steps.
   * @returns false if another run was requested in the meantime. The run is then removed
   * @throws {DeviceLostError} if the device cannot be opened again. The run is then removed
   */
  async recover(): Promise<boolean> {
    const { run, host, owner } = this;
    if (!run) return false;
    this.sendMetrics(run);
    const { saved } = this.checkpoints;
    const before = run.configuration.engine;
    if (!owner.superseded()) {
      owner.reportStatus('recovering');
      const message = `The GPU device was lost at step ${run.step}. Continuing from the checkpoint of step ${saved?.step}.`;
      owner.problem({ kind: 'device-lost', message, recovery: 'automatic' });
    }
    this.part(run);
    let reason: unknown;
    let engine = before;
    while (!this.run) {
      await this.devices.next(reason).catch((lost: unknown) => {
        // If the GPU cannot be opened again, the run continues on the CPU.
        if (isExact(engine)) throw lost;
        engine = EXACT;
      });
      if (owner.superseded() || !saved) return false;
      let next: Run | undefined;
      try {
        const device = await this.devices.device(engine);
        next = await this.runs.openRun(device, run.configuration, host, this.onEvent);
        next.resume(saved);
        next.note('recovered', `device lost at step ${run.step}, continued from step ${saved.step}`);
        this.run = next;
        if (engine !== before) host.post({ type: 'device', device: describe(device) });
      } catch (error) {
        next?.destroy();
        reason = error;
      }
    }
    this.request = undefined;
    return true;
  }

  /** Returns the configuration for a reset or a warm start, with the current controls. */
  currentConfiguration(): RunConfiguration {
    if (this.request) return this.request.configuration;
    const { configuration, trainer } = this.current;
    return { ...configuration, controls: trainer.controls };
  }

  /**
   * Applies a change to the configuration of a skipped or lost run. A later reset starts with the change.
   * @throws {ParameterError} for an invalid change
   */
  changeRequestedRun(epoch: number, changes: ParameterValues): void {
    if (this.request?.epoch !== epoch) return;
    const { configuration } = this.request;
    const parsed = parseParameters(tablesOf(configuration.environment).controls, changes);
    this.request = { epoch, configuration: { ...configuration, controls: { ...configuration.controls, ...parsed } } };
  }

  /** Cancels the scheduled changes of a skipped or lost run. A later reset starts without them. */
  dropRequestedPlan(epoch: number): void {
    if (this.request?.epoch !== epoch) return;
    const { configuration } = this.request;
    const schedule = configuration.schedule.filter(({ step }) => step <= this.step);
    this.request = { epoch, configuration: { ...configuration, schedule } };
  }

  /** Opens a run, and returns it with the events that it logged while it opened. */
  private async opened(configuration: RunConfiguration, saved: SavedRun | undefined, warm: boolean) {
    try {
      const run = await this.open(configuration, saved, warm);
      return { run, events: this.early ?? [] };
    } finally {
      this.early = undefined;
    }
  }

  /** Creates a run, on a new device if none is open. If the device is lost during the start, starts again. */
  private async open(configuration: RunConfiguration, saved?: SavedRun, warm = false): Promise<Run> {
    for (;;) {
      let run: Run | undefined;
      this.early = [];
      try {
        const device = await this.firstDevice(configuration.engine);
        this.unlessSuperseded();
        run = await this.runs.beginRun(device, configuration, this.host, this.onEvent, {
          saved,
          warm,
          warming: (progress) => this.warming(progress),
        });
        this.unlessSuperseded();
        if (!saved) await this.checkpoints.capture(run);
        this.unlessSuperseded();
        return run;
      } catch (error) {
        run?.destroy();
        if (this.owner.superseded() || !(await this.devices.isLost(error))) throw error;
        await this.devices.next(error);
      }
    }
  }

  /**
   * Opens the device of a new run. It is the CPU if WebGPU is requested and not available.
   * @throws {NoEngineError} if no engine is available
   */
  private async firstDevice(engine: EngineName | undefined): Promise<EngineDevice> {
    try {
      return await this.devices.device(engine);
    } catch (error) {
      if (!(error instanceof NoWebGpuError)) throw error;
      return this.devices.device(EXACT);
    }
  }

  private async warming(progress: Omit<Extract<Message, { type: 'warm-start' }>, 'type'> | undefined): Promise<void> {
    if (!progress) return this.owner.reportStatus('warming');
    this.host.post({ type: 'warm-start', ...progress });
    await this.owner.untilVisible(() => this.owner.superseded());
    this.unlessSuperseded();
  }

  private unlessSuperseded(): void {
    if (this.owner.superseded()) throw new Superseded();
  }

  /** Destroys the run, and stores its configuration for a later reset. */
  private part(run: Run): void {
    const { controls } = run.trainer;
    this.request = { epoch: this.epoch, configuration: { ...run.configuration, controls } };
    this.run = undefined;
    run.destroy();
  }

  /** Sends the last checkpoint with later events. After the loss of a device, the current state is not available. */
  private sendMetrics(run: Run): void {
    const { saved } = this.checkpoints;
    if (!saved || run.allEvents.length === saved.events.length) return;
    this.checkpoints.saved = { ...saved, events: run.allEvents };
    this.sendEvents();
  }
}

function describe({ engine, name, software }: EngineDevice): DeviceDescription {
  return { engine, name, software };
}

/** Returns a configuration with the controls at the time of a saved run. */
function atSaved(configuration: RunConfiguration, saved: SavedRun | undefined): RunConfiguration {
  const past = saved?.events.filter(({ step }) => step <= saved.step) ?? [];
  const controls = Object.assign({}, configuration.controls, ...past.map(({ changes }) => changes));
  return { ...configuration, controls };
}

/** Minimum number of updates, and minimum time [ms], between two checkpoints of a run in progress. */
const STEPS = 10;
const MILLISECONDS = 2000;

/** Latest saved state of a run, and the schedule of its checkpoints. */
export class Checkpoints {
  /** Latest saved state; undefined before the first checkpoint. */
  saved: SavedRun | undefined;
  private at = 0;

  constructor(private readonly now: () => number) {}

  /** Starts another run. @param saved saved run that it continues, if any */
  begin(saved: SavedRun | undefined): void {
    this.saved = saved;
    this.at = this.now();
  }

  /** Returns true if the run has an update or event since the last checkpoint. */
  isOutdated({ step, allEvents }: Run): boolean {
    return step !== this.saved?.step || allEvents.length !== this.saved.events.length;
  }

  due({ step }: Run): boolean {
    return step - (this.saved?.step ?? 0) >= STEPS && this.now() - this.at >= MILLISECONDS;
  }

  async capture(run: Run): Promise<void> {
    this.saved = await run.save();
    this.at = this.now();
  }
}
