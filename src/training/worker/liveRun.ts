import type { EngineDevice } from '../../engine/engine.ts';
import { NoWebGpuError } from '../../engine/errors.ts';
import { type ParameterValues, parseParameters } from '../../parameters/parameters.ts';
import { type EngineName, EXACT, isExact, type RunConfiguration } from '../data/configuration.ts';
import { checkConfiguration, tablesOf } from '../data/configurationTables.ts';
import type { DeviceDescription, Message, Problem, RunEvent, SavedRun, Status } from '../data/protocol.ts';
import { Checkpoints } from '../run/checkpoints.ts';
import { RUNS, type RunHost } from '../run/openRun.ts';
import type { Run } from '../run/run.ts';
import { Superseded } from './errorMessages.ts';
import { type DeviceHost, Recovery } from './recovery.ts';

/** Functions that a run needs from its host. */
export interface LiveRunHost extends RunHost, DeviceHost {
  post(message: Message): void;
  now(): number;
}

/** Functions by which the session of a run makes decisions and receives reports. */
export interface LiveRunOwner {
  /** True if another run was requested: the work for this run has no further effect. */
  superseded(): boolean;
  /** Waits while the tab is hidden, but not when `over`. */
  untilVisible(over: () => boolean): Promise<void>;
  reportStatus(status: Status): void;
  problem(problem: Pick<Problem, 'kind' | 'message' | 'recovery'>): void;
}

/**
 * The one run of a session, from its start until another run replaces it. Opens the run, stores its last checkpoint,
 * and restores it after a lost device. Destroys every run that was made, however it ends. Starts are numbered (epochs),
 * so that a request for one run never applies to another run.
 */
export class LiveRun {
  readonly checkpoints: Checkpoints;
  readonly devices: Recovery;
  private run: Run | undefined;
  /** Epoch of the run, or of the lost run until another run replaces it. 0: there is no run. */
  private epoch = 0;
  /** Configuration for a reset while there is no run: of a start that failed or was passed over, or of a lost run. */
  private request: { readonly epoch: number; readonly configuration: RunConfiguration } | undefined;
  /** Events of a run that is being opened: the page assigns events before `ready` to the previous run. */
  private early: RunEvent[] | undefined;
  private readonly onEvent = (event: RunEvent) => {
    if (this.early) this.early.push(event);
    else this.host.post({ type: 'event', event });
  };

  /**
   * @param runs makes the runs
   * @param lost called for every lost device, also for a device that was given up
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

  /** The run; undefined before the first, while another is made, and when its device could not be brought back. */
  get present(): Run | undefined {
    return this.run;
  }

  /**
   * The run.
   * @throws {Error} if there is no run
   */
  get current(): Run {
    if (!this.run) throw new Error('there is no run: start one first');
    return this.run;
  }

  /** Updates done, as far as anything is left of them. */
  get step(): number {
    return this.run?.step ?? this.checkpoints.saved?.step ?? 0;
  }

  /** True if the run, or the rest of it, belongs to a start. */
  isOf(epoch: number): boolean {
    return this.epoch === epoch;
  }

  /** Opens the device before anybody asks for a run. */
  prepare(engine?: EngineName): Promise<void> {
    return this.devices.ahead(engine, (open) => this.runs.openAhead(open));
  }

  /** Records a start that is no longer awaited; a reset of this start may still follow. */
  passOver(epoch: number, configuration: RunConfiguration, saved?: SavedRun): void {
    this.request = { epoch, configuration: atSaved(configuration, saved) };
  }

  /**
   * Begins a run that replaces the previous run.
   * @param onStart called when the configuration is valid
   * @throws {ParameterError} for the configuration
   * @throws {Superseded}
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
    this.passOver(epoch, configuration, saved);
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
    // A saved run that continues on another engine is saved with that engine.
    if (events.length > 0) await this.checkpoint();
  }

  /**
   * Leaves the run for another run, after the page has received the changes since the last checkpoint.
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

  /** Sends the present state of the run. */
  async checkpoint(): Promise<void> {
    await this.checkpoints.capture(this.current);
    this.sendEvents();
  }

  /** Sends the last valid state of the run. */
  sendEvents(): void {
    const { saved } = this.checkpoints;
    // A start that failed leaves the checkpoint that it would have begun with, which the page has.
    if (saved && this.epoch !== 0) this.host.post({ type: 'checkpoint', saved });
  }

  /**
   * Opens the device again and continues the run from the last checkpoint, with the same changes at the same steps.
   * @returns false if another run was requested meanwhile; this run is then removed
   * @throws {DeviceLostError} if the device cannot be opened again; the run is then removed
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
        // The processor continues the run if the graphics card does not come back.
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

  /** The configuration that a reset or a warm start begins with: controls as they are now. */
  again(): RunConfiguration {
    if (this.request) return this.request.configuration;
    const { configuration, trainer } = this.current;
    return { ...configuration, controls: trainer.controls };
  }

  /**
   * Applies a change to a run that was passed over or lost: a later reset begins with the change.
   * @throws {ParameterError}
   */
  changeRequestedRun(epoch: number, changes: ParameterValues): void {
    if (this.request?.epoch !== epoch) return;
    const { configuration } = this.request;
    const parsed = parseParameters(tablesOf(configuration.environment).controls, changes);
    this.request = { epoch, configuration: { ...configuration, controls: { ...configuration.controls, ...parsed } } };
  }

  /** Drops the plan of a run that was passed over or lost: a later reset begins without it. */
  dropRequestedPlan(epoch: number): void {
    if (this.request?.epoch !== epoch) return;
    const { configuration } = this.request;
    const schedule = configuration.schedule.filter(({ step }) => step <= this.step);
    this.request = { epoch, configuration: { ...configuration, schedule } };
  }

  /** Opens a run, and returns it with the events that it logged meanwhile. */
  private async opened(configuration: RunConfiguration, saved: SavedRun | undefined, warm: boolean) {
    try {
      const run = await this.open(configuration, saved, warm);
      return { run, events: this.early ?? [] };
    } finally {
      this.early = undefined;
    }
  }

  /** Makes a run, and opens a device if no device is open. Opens a device again if it is lost meanwhile. */
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

  /** The device of a new run: the processor if WebGPU is requested and missing. @throws {NoEngineError} */
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

  /** The run is over; a reset may still ask how it was. */
  private part(run: Run): void {
    const { controls } = run.trainer;
    this.request = { epoch: this.epoch, configuration: { ...run.configuration, controls } };
    this.run = undefined;
    run.destroy();
  }

  /** Sends the last checkpoint with the events since then. If the device is lost, nothing more is available. */
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

/** Returns a configuration with the controls that a saved run of it had when it was saved. */
function atSaved(configuration: RunConfiguration, saved: SavedRun | undefined): RunConfiguration {
  const past = saved?.events.filter(({ step }) => step <= saved.step) ?? [];
  const controls = Object.assign({}, configuration.controls, ...past.map(({ changes }) => changes));
  return { ...configuration, controls };
}
