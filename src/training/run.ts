import { createSearchEnvironment } from '../environments/search/environment.ts';
import type { Gpu } from '../gpu/device.ts';
import { type ParameterValue, parseParameter } from '../parameters/parameters.ts';
import { readCheckpoint, writeCheckpoint } from '../policy/checkpoint.ts';
import type { PolicyState } from '../policy/policy.ts';
import type { RunConfiguration } from './configuration.ts';
import type { Metrics, RunEvent, SavedRun } from './protocol.ts';
import { CONTROLS } from './tables.ts';
import { Trainer, type Update } from './trainer.ts';

type Changes = Readonly<Record<string, ParameterValue>>;

/** A loss or gradient that is not finite; the weights were left as they were. */
export class NonFiniteError extends Error {
  constructor(
    readonly step: number,
    what: string,
  ) {
    super(`update ${step}: the ${what} is not finite; the weights were left as they were before it`);
    this.name = 'NonFiniteError';
  }
}

/**
 * A run as people know it: a configuration, what was changed on the way, and the curve so far. It applies scheduled
 * changes, logs every change as an event, and can be kept and continued exactly.
 */
export class Run {
  readonly events: RunEvent[] = [];
  readonly metrics: Metrics[] = [];
  /** Changes that are to happen before the update of their step; events of an earlier try are repeated silently. */
  private pending: { step: number; changes: Changes; replayed: boolean }[] = [];

  private constructor(
    readonly configuration: RunConfiguration,
    readonly trainer: Trainer,
    private readonly hear: (event: RunEvent) => void,
  ) {
    this.pending = configuration.schedule.map((entry) => ({ ...entry, replayed: false }));
  }

  /**
   * Makes a run on a device; call `begin`, `resume` or `warmStart` before the first update.
   * @param configuration checked (checkConfiguration)
   * @param hear told every event as it happens
   */
  static async create(
    gpu: Gpu,
    configuration: RunConfiguration,
    hear: (event: RunEvent) => void = () => {},
  ): Promise<Run> {
    const environment = createSearchEnvironment(configuration.settings);
    const { seed, controls } = configuration;
    return new Run(configuration, await Trainer.create(gpu, environment, seed, controls), hear);
  }

  /** Updates done. */
  get step(): number {
    return this.trainer.step;
  }

  /** Starts at step 0 from a warm start's checkpoint. @throws {CheckpointError} */
  begin(checkpoint: ArrayBuffer): void {
    const state = readCheckpoint(this.trainer.policy.config, checkpoint);
    this.trainer.policy.start(state.parameters);
    this.trainer.step = 0;
  }

  /** Starts at step 0 from parameters that are already on the CPU, for example another run's warm start. */
  beginWith(state: PolicyState): void {
    this.trainer.load(state, 0);
  }

  /**
   * Continues a kept run exactly where it stood. Events of later steps, from a try that was cut short, are repeated
   * when their step comes.
   * @throws {CheckpointError}
   */
  resume(saved: SavedRun, later: readonly RunEvent[] = []): void {
    this.trainer.load(readCheckpoint(this.trainer.policy.config, saved.checkpoint), saved.step);
    this.events.push(...saved.events);
    this.metrics.push(...saved.metrics);
    const scheduled = (step: number) => saved.events.some((event) => event.kind === 'schedule' && event.step === step);
    this.trainer.controls = Object.assign(
      {},
      this.configuration.controls,
      ...saved.events.map(({ changes }) => changes),
    );
    this.pending = this.configuration.schedule
      .filter(({ step }) => step > saved.step || (step === saved.step && !scheduled(step)))
      .filter(({ step }) => !later.some((event) => event.kind === 'schedule' && event.step === step))
      .map((entry) => ({ ...entry, replayed: false }));
    this.events.push(...later);
    this.pending.push(...later.map(({ step, changes }) => ({ step, changes, replayed: true })));
  }

  /**
   * Changes controls from the next update on.
   * @throws {ParameterError} naming the parameter and what it allows; nothing is changed then
   */
  change(changes: Readonly<Record<string, unknown>>, kind: RunEvent['kind'] = 'change'): RunEvent | undefined {
    const parsed = Object.entries(changes).map(
      ([name, value]) => [name, parseParameter(CONTROLS, name, value)] as const,
    );
    const before = this.trainer.controls;
    const changed = parsed.filter(([name, value]) => before[name] !== value);
    if (changed.length === 0) return undefined;
    this.trainer.controls = { ...before, ...Object.fromEntries(changed) };
    const text = changed.map(([name, value]) => `${name}: ${before[name]} → ${value}`).join(', ');
    return this.log({ step: this.step, kind, changes: Object.fromEntries(changed), text });
  }

  /** Logs an event that changes nothing. */
  note(kind: RunEvent['kind'], text: string): RunEvent {
    return this.log({ step: this.step, kind, changes: {}, text });
  }

  /**
   * One step of learning. Resolves when it is submitted; its metrics join the run's curve when they arrive.
   * The metrics' promise rejects with NonFiniteError where the loss or the gradient was not finite.
   */
  async update(): Promise<Update> {
    this.applyPending();
    const update = await this.trainer.update();
    const metrics = update.metrics.then((arrived) => {
      if (!Number.isFinite(arrived.loss)) throw new NonFiniteError(arrived.step, 'loss');
      if (!Number.isFinite(arrived.gradientNorm)) throw new NonFiniteError(arrived.step, 'gradient');
      this.metrics.push(arrived);
      return arrived;
    });
    return { ...update, metrics };
  }

  /** The run as it can be kept; call it between updates, when their metrics have arrived. Waits for the GPU. */
  async save(): Promise<SavedRun> {
    const { step } = this;
    const state = await this.trainer.policy.readState();
    const checkpoint = writeCheckpoint(this.trainer.policy.config, state, { run: JSON.stringify(this.configuration) });
    return {
      configuration: this.configuration,
      step,
      checkpoint,
      events: [...this.events],
      metrics: [...this.metrics],
    };
  }

  destroy(): void {
    this.trainer.destroy();
  }

  private applyPending(): void {
    const due = this.pending.filter(({ step }) => step <= this.step);
    if (due.length === 0) return;
    this.pending = this.pending.filter(({ step }) => step > this.step);
    for (const { changes, replayed } of due) {
      if (replayed) this.trainer.controls = { ...this.trainer.controls, ...changes };
      else this.change(changes, 'schedule');
    }
  }

  private log(event: RunEvent): RunEvent {
    this.events.push(event);
    this.hear(event);
    return event;
  }
}
