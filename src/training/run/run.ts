import { ruleLabel } from '../../credit/ruleFacts.ts';
import type { EngineDevice } from '../../engine/engine.ts';
import { type PolicyState, readCheckpoint, stateDigest, writeCheckpoint } from '../../engine/shared.ts';
import { type ParameterValue, parseParameters } from '../../parameters/parameters.ts';
import { type EngineName, type RunConfiguration, type ScheduledChange, WGSL } from '../data/configuration.ts';
import { checkTogether, tablesOf } from '../data/configurationTables.ts';
import type { Metrics, RunEvent, SavedRun } from '../data/protocol.ts';
import { measuredAt, measureHeldOut } from './measurer.ts';
import { type OpenEnvironment, openEnvironment } from './openEnvironment.ts';
import { Trainer, type Update } from './trainer.ts';

/** Creates the trainer of a run, as `Trainer.create` does. */
export type CreateTrainer = typeof Trainer.create;

/** Error for a loss or gradient that is not finite. The weights do not change in this case. */
export class NonFiniteError extends Error {
  constructor(
    readonly step: number,
    quantity: string,
  ) {
    super(`update ${step}: the ${quantity} is not finite; the weights were left as they were before it`);
    this.name = 'NonFiniteError';
  }
}

/** Metrics that stop a run if they are not finite, in the order of the check, with their names in messages. */
const MUST_BE_FINITE = [
  ['valueLoss', "critic's loss"],
  ['valueGradientNorm', "critic's gradient"],
  ['loss', 'loss'],
  ['gradientNorm', 'gradient'],
] as const;

/**
 * Run of a configuration, with its events and its metrics so far. It applies scheduled changes and logs each change as
 * an event. It can be saved and resumed exactly.
 */
export class Run {
  /** Events up to the current step. */
  readonly events: RunEvent[] = [];
  /** Metrics of the newest updates, or of all updates (see `metricLimit` of `create`). */
  readonly metrics: Metrics[] = [];
  /** Scheduled changes of later steps. */
  private scheduled: readonly ScheduledChange[];
  /** Events after the checkpoint of a resumed run. They are applied again at their step, without a notification. */
  private replayed: readonly RunEvent[] = [];

  private constructor(
    readonly configuration: RunConfiguration,
    readonly trainer: Trainer,
    private readonly onEvent: (event: RunEvent) => void,
    private readonly opened: OpenEnvironment,
    private readonly metricLimit: number,
  ) {
    this.scheduled = configuration.schedule;
  }

  /**
   * Creates a run on a device; call `begin`, `resume` or `warmStart` before the first update.
   * @param configuration checked configuration (checkConfiguration). The run replaces its engine by that of the device
   * @param onEvent called with each event when it happens
   * @param opened environment of the configuration, if it runs programs or is already open. The run closes it
   * @param metricLimit minimum number of newest updates in `metrics`, which has less than twice as many; by default,
   *   `metrics` has all updates
   * @param createTrainer creates the trainer; tests pass a scripted one
   */
  static async create(
    device: EngineDevice,
    configuration: RunConfiguration,
    onEvent: (event: RunEvent) => void = () => {},
    opened: OpenEnvironment | Promise<OpenEnvironment> = openEnvironment(configuration),
    metricLimit = Number.POSITIVE_INFINITY,
    createTrainer: CreateTrainer = Trainer.create,
  ): Promise<Run> {
    const open = await opened;
    open.warmUp();
    const { seed, controls } = configuration;
    try {
      const trainer = await createTrainer(device, open.environment, seed, controls, undefined, open);
      return new Run({ ...configuration, engine: device.engine }, trainer, onEvent, open, metricLimit);
    } catch (error) {
      open.close();
      throw error;
    }
  }

  /** Number of finished updates. */
  get step(): number {
    return this.trainer.step;
  }

  /** Starts at step 0 from the checkpoint of a warm start. @throws {CheckpointError} for an invalid checkpoint */
  begin(checkpoint: ArrayBuffer): void {
    this.beginWith(readCheckpoint(this.trainer.engine.config, checkpoint));
  }

  /** Starts at step 0 from the parameters of a state, which are also the reference. The rest of the state is unused. */
  beginWith(state: PolicyState): void {
    this.trainer.engine.start(state.parameters);
    this.trainer.step = 0;
    this.trainer.fill = undefined;
  }

  /**
   * Continues a saved run exactly from its saved state. Events after its checkpoint are applied again at their step.
   * @throws {CheckpointError} for an invalid checkpoint
   */
  resume(saved: SavedRun): void {
    const state = readCheckpoint(this.trainer.engine.config, saved.checkpoint);
    const last = saved.metrics.at(-1);
    this.trainer.load(state, saved.step);
    this.trainer.fill = last?.fill ?? undefined;
    const past = saved.events.filter(({ step }) => step <= saved.step);
    // No spread: a call has a limit of some hundred thousand arguments, and a run can have more events.
    for (const event of past) this.events.push(event);
    for (const row of saved.metrics) this.addRow(row);
    this.replayed = saved.events.filter(({ step }) => step > saved.step);
    // Older files have no engine name and are from WebGPU.
    this.noteEngine(saved.configuration.engine ?? WGSL);
    if (last?.step === saved.step - 1) this.checkDigest(state, last);
    this.trainer.controls = { ...this.configuration.controls };
    for (const { changes } of past) Object.assign(this.trainer.controls, changes);
    const done = (step: number) => saved.events.some((event) => event.kind === 'schedule' && event.step === step);
    const first = Math.min(...past.filter(({ kind }) => kind === 'unplanned').map(({ step }) => step));
    this.scheduled = this.configuration.schedule.filter(
      ({ step }) => step >= saved.step && step <= first && !done(step),
    );
  }

  /** Events so far, and the events that will be applied again (resume). */
  get allEvents(): readonly RunEvent[] {
    return [...this.events, ...this.replayed];
  }

  /**
   * Changes controls from the next update on.
   * @throws {ParameterError} that names the parameter and its allowed values. In this case, no control changes
   */
  change(changes: Readonly<Record<string, unknown>>, kind: RunEvent['kind'] = 'change'): RunEvent | undefined {
    const { controls } = tablesOf(this.configuration.environment);
    const parsed = Object.entries(parseParameters(controls, changes));
    const before = this.trainer.controls;
    checkTogether(this.configuration, { ...before, ...Object.fromEntries(parsed) });
    // A manual change replaces later changes of the same controls among the replayed events.
    if (kind === 'change')
      this.replayed = this.replayed.filter(
        ({ changes: replayedChanges }) => !parsed.some(([name]) => name in replayedChanges),
      );
    const changed = parsed.filter(([name, value]) => before[name] !== value);
    if (changed.length === 0) return undefined;
    this.trainer.controls = { ...before, ...Object.fromEntries(changed) };
    const formatValue = (value: ParameterValue | undefined) => ruleLabel(String(value));
    const text = changed
      .map(([name, value]) => `${name}: ${formatValue(before[name])} → ${formatValue(value)}`)
      .join(', ');
    return this.log({ step: this.step, kind, changes: Object.fromEntries(changed), text });
  }

  /** Cancels the changes that are scheduled for later steps. */
  dropPlan(): RunEvent | undefined {
    if (this.scheduled.length === 0) return undefined;
    this.scheduled = [];
    return this.note('unplanned', 'the changes that were planned for later steps were dropped');
  }

  /** Logs a change of the engine, if it differs from the requested engine or that of earlier updates. */
  noteEngine(before: EngineName | undefined): void {
    const { engine } = this.configuration;
    if (before !== undefined && before !== engine) this.note('engine', `engine: ${before} → ${engine}`);
  }

  /** Logs both digests if the digest of a state differs from the one that an update recorded. */
  private checkDigest(state: PolicyState, { step, parameterDigest: recorded }: Metrics): void {
    if (recorded === null) return;
    const digest = stateDigest(this.trainer.engine.config, state);
    if (digest !== recorded)
      this.note('digest', `the parameters have the digest ${digest}; update ${step} recorded ${recorded}`);
  }

  /** Logs an event without changes. */
  note(kind: RunEvent['kind'], text: string): RunEvent {
    return this.log({ step: this.step, kind, changes: {}, text });
  }

  /**
   * Runs one update. If a measurement is due, first measures the policy on held-out tasks. Resolves when the update is
   * submitted; its metrics are added to `metrics` when they arrive.
   * @param watch as in Trainer.update
   * @returns the update. Its `metrics` promise rejects with NonFiniteError if a loss or gradient is not finite
   */
  async update(watch?: Parameters<Trainer['update']>[0]): Promise<Update> {
    this.reach();
    const { trainer } = this;
    const due = measuredAt(trainer.step, trainer.controls);
    const heldOut = due ? await measureHeldOut(trainer.measurer, trainer.controls) : null;
    const update = await trainer.update(watch);
    this.reach();
    const metrics = update.metrics.then((arrived) => {
      for (const [name, quantity] of MUST_BE_FINITE) {
        const value = arrived[name];
        if (value !== null && !Number.isFinite(value)) throw new NonFiniteError(arrived.step, quantity);
      }
      const row = { ...arrived, heldOut };
      this.addRow(row);
      return row;
    });
    return { ...update, metrics };
  }

  /**
   * Applies the changes that are due at the current step. Manual changes at the same step are applied after them.
   * `update` calls this method. The owner also calls it when it is ready to receive the events of the first step.
   */
  reach(): void {
    const again = this.replayed.filter(({ step }) => step <= this.step);
    const due = this.scheduled.filter(({ step }) => step <= this.step);
    this.replayed = this.replayed.filter(({ step }) => step > this.step);
    this.scheduled = this.scheduled.filter(({ step }) => step > this.step);
    for (const event of again) {
      this.trainer.controls = { ...this.trainer.controls, ...event.changes };
      if (event.kind === 'unplanned') this.scheduled = [];
      this.events.push(event);
    }
    for (const { changes } of due) this.change(changes, 'schedule');
  }

  /**
   * Returns the state of the run for a file. Call it between updates, after their metrics have arrived. Waits for the
   * GPU.
   */
  async save(): Promise<SavedRun> {
    const { step } = this;
    const state = await this.trainer.engine.readState();
    const checkpoint = writeCheckpoint(this.trainer.engine.config, state, { run: JSON.stringify(this.configuration) });
    return {
      configuration: this.configuration,
      step,
      checkpoint,
      events: this.allEvents,
      metrics: [...this.metrics],
    };
  }

  destroy(): void {
    this.opened.close();
    this.trainer.destroy();
  }

  private addRow(row: Metrics): void {
    this.metrics.push(row);
    if (this.metrics.length >= 2 * this.metricLimit) this.metrics.splice(0, this.metrics.length - this.metricLimit);
  }

  private log(event: RunEvent): RunEvent {
    this.events.push(event);
    this.onEvent(event);
    return event;
  }
}
