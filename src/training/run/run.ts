import { ruleLabel } from '../../credit/ruleFacts.ts';
import type { EngineDevice } from '../../engine/engine.ts';
import { type PolicyState, readCheckpoint, stateDigest, writeCheckpoint } from '../../engine/shared.ts';
import { type ParameterValue, parseParameters } from '../../parameters/parameters.ts';
import { type EngineName, type RunConfiguration, type ScheduledChange, WGSL } from '../data/configuration.ts';
import { checkTogether, tablesOf } from '../data/configurationTables.ts';
import type { Metrics, RunEvent, SavedRun } from '../data/protocol.ts';
import { measuredAt, measureHeldOut } from '../update/heldOutMeasures.ts';
import { type OpenEnvironment, openEnvironment } from './openEnvironment.ts';
import { Trainer, type Update } from './trainer.ts';

/** Creates the trainer of a run, as `Trainer.create` does. */
export type CreateTrainer = typeof Trainer.create;

/** A loss or gradient that is not finite; the weights were left as they were. */
export class NonFiniteError extends Error {
  constructor(
    readonly step: number,
    quantity: string,
  ) {
    super(`update ${step}: the ${quantity} is not finite; the weights were left as they were before it`);
    this.name = 'NonFiniteError';
  }
}

/** Metrics that stop a run, in the order in which they are looked at; null where there is no such thing. */
const MUST_BE_FINITE = [
  ['valueLoss', "critic's loss"],
  ['valueGradientNorm', "critic's gradient"],
  ['loss', 'loss'],
  ['gradientNorm', 'gradient'],
] as const;

/**
 * A run as users see it: a configuration, the changes during the run, and the curve so far. It applies scheduled
 * changes and logs every change as an event. It can be saved and continued exactly.
 */
export class Run {
  /** Events up to the present step. */
  readonly events: RunEvent[] = [];
  /** The newest updates, or all of them (create). */
  readonly metrics: Metrics[] = [];
  /** Scheduled changes that are still to come. */
  private scheduled: readonly ScheduledChange[];
  /** Events of an earlier try that was cut short. They are applied again at their step, without a notification. */
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
   * @param configuration checked (checkConfiguration); the run's configuration names the engine of the device
   * @param onEvent called with every event when it happens
   * @param opened environment of the configuration; pass it if it runs programs or is already open; the run closes it
   * @param metricLimit minimum number of newest updates that `metrics` holds, and not many more; by default it holds
   *   all updates
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

  /** Updates done. */
  get step(): number {
    return this.trainer.step;
  }

  /** Starts at step 0 from a warm start's checkpoint. @throws {CheckpointError} */
  begin(checkpoint: ArrayBuffer): void {
    this.beginWith(readCheckpoint(this.trainer.engine.config, checkpoint));
  }

  /** Starts at step 0 from a policy on the CPU: its parameters alone count, they are the reference too. */
  beginWith(state: PolicyState): void {
    this.trainer.engine.start(state.parameters);
    this.trainer.step = 0;
    this.trainer.fill = undefined;
  }

  /**
   * Continues a saved run exactly from its saved state. If a try was cut short after the checkpoint, its events of
   * later steps are applied again at their step.
   * @throws {CheckpointError}
   */
  resume(saved: SavedRun): void {
    const state = readCheckpoint(this.trainer.engine.config, saved.checkpoint);
    const last = saved.metrics.at(-1);
    this.trainer.load(state, saved.step);
    this.trainer.fill = last?.fill ?? undefined;
    const past = saved.events.filter(({ step }) => step <= saved.step);
    // Adds events sequentially: a function takes at most some hundred thousand arguments, and a run may have more
    // events.
    for (const event of past) this.events.push(event);
    for (const row of saved.metrics) this.addRow(row);
    this.replayed = saved.events.filter(({ step }) => step > saved.step);
    // Files from before engines had names are from WebGPU.
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
   * @throws {ParameterError} naming the parameter and what it allows; nothing is changed then
   */
  change(changes: Readonly<Record<string, unknown>>, kind: RunEvent['kind'] = 'change'): RunEvent | undefined {
    const { controls } = tablesOf(this.configuration.environment);
    const parsed = Object.entries(parseParameters(controls, changes));
    const before = this.trainer.controls;
    checkTogether(this.configuration, { ...before, ...Object.fromEntries(parsed) });
    // A change by hand has the last word over what an earlier try set later.
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

  /** Nothing that is scheduled for later steps will happen. */
  dropPlan(): RunEvent | undefined {
    if (this.scheduled.length === 0) return undefined;
    this.scheduled = [];
    return this.note('unplanned', 'the changes that were planned for later steps were dropped');
  }

  /** Logs a change of the engine, if it is not the requested one or not that of the updates before. */
  noteEngine(before: EngineName | undefined): void {
    const { engine } = this.configuration;
    if (before !== undefined && before !== engine) this.note('engine', `engine: ${before} → ${engine}`);
  }

  /** Logs both digests if a state is not the one that an update recorded. */
  private checkDigest(state: PolicyState, { step, parameterDigest: recorded }: Metrics): void {
    if (recorded === null) return;
    const digest = stateDigest(this.trainer.engine.config, state);
    if (digest !== recorded)
      this.note('digest', `the parameters have the digest ${digest}; update ${step} recorded ${recorded}`);
  }

  /** Logs an event that changes nothing. */
  note(kind: RunEvent['kind'], text: string): RunEvent {
    return this.log({ step: this.step, kind, changes: {}, text });
  }

  /**
   * One step of learning, before which the policy is measured on held-out tasks where that is due. Resolves when it is
   * submitted; its metrics join the run's curve when they arrive.
   * @param watch as in Trainer.update
   * The metrics' promise rejects with NonFiniteError where the loss or the gradient was not finite.
   */
  async update(watch?: Parameters<Trainer['update']>[0]): Promise<Update> {
    this.reach();
    const { trainer } = this;
    const due = measuredAt(trainer.step, trainer.controls);
    const heldOut = due ? await measureHeldOut(trainer, trainer.controls) : null;
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
   * Applies the changes that are due at the present step; a manual change at the same step is applied after them.
   * `update` calls this method. The owner calls it once more when it is ready to receive events at the first step of
   * the run.
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
   * Returns the run in a form that can be saved. Call it between updates, when their metrics have arrived. Waits for
   * the GPU.
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
