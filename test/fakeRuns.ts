import type { EngineDevice } from '../src/engine/engine.ts';
import { OutOfMemoryError } from '../src/engine/shared.ts';
import { parseParameters } from '../src/parameters/parameters.ts';
import type { EngineName, RunConfiguration } from '../src/training/data/configuration.ts';
import { tablesOf } from '../src/training/data/configurationTables.ts';
import type { Command, Message, RunEvent, SavedRun, Status } from '../src/training/data/protocol.ts';
import type { RunFactory } from '../src/training/run/openRun.ts';
import { NonFiniteError, type Run } from '../src/training/run/run.ts';
import { ExactCredit } from '../src/training/update/planUpdate.ts';
import { Lanes } from '../src/training/worker/lanes.ts';
import type { SessionHost } from '../src/training/worker/measuring.ts';

/** Virtual clock [ms] that a test advances. Waits end in the order of their times. */
class Clock {
  time = 0;
  private timers: { readonly at: number; readonly ring: () => void }[] = [];

  wait(milliseconds: number): Promise<void> {
    return new Promise((ring) => {
      this.timers.push({ at: this.time + milliseconds, ring });
    });
  }

  async advance(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    await settled();
    for (;;) {
      const next = this.timers.reduce((first, timer) => (timer.at < first ? timer.at : first), Infinity);
      if (next > end) break;
      this.time = next;
      const due = this.timers.filter(({ at }) => at === next);
      this.timers = this.timers.filter(({ at }) => at !== next);
      for (const { ring } of due) {
        ring();
        await settled();
      }
    }
    this.time = end;
  }
}

/** Waits until all pending microtasks have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Device that computes nothing and can be lost. */
export class FakeGpu {
  readonly name = 'fake';
  readonly software = true;
  isRemoved = false;
  /** True if the device was lost before its owner destroyed it. */
  lostByItself = false;
  private resolveLost: (info: unknown) => void = () => {};

  constructor(readonly engine: EngineName = 'wgsl') {}

  readonly lost = new Promise<unknown>((resolve) => {
    this.resolveLost = resolve;
  });
  /** Message of the next check of memory, which a test sets; undefined if there is enough memory. */
  short: string | undefined;

  async compileAhead(): Promise<void> {}

  async allocate<Result extends { destroy(): void }>(work: () => Promise<Result>): Promise<Result> {
    const result = await work();
    if (this.short === undefined) return result;
    result.destroy();
    throw new OutOfMemoryError(this.short);
  }

  lose(): void {
    this.lostByItself ||= !this.isRemoved;
    this.destroy();
  }

  destroy(): void {
    this.isRemoved = true;
    this.resolveLost({ reason: 'unknown' });
  }

  readError(): undefined {
    return undefined;
  }
}

/** Errors and durations of operations. Tests set the ones that they need. */
export interface OperationEffects {
  /** Returns the duration of an operation in virtual milliseconds. A loss meanwhile fails the operation at its end. */
  duration(operation: 'open' | 'make' | 'update' | 'metrics' | 'save' | 'sample'): number;
  /** Runs at the end of an operation. It may throw or lose the device. */
  onComplete(operation: 'open' | 'make' | 'update' | 'metrics' | 'save' | 'sample', gpu: FakeGpu | undefined): void;
}

/** Run without a policy. It counts its updates and the calls of `destroy`. */
export class FakeRun {
  step = 0;
  destroyed = 0;
  /** Events that were replayed or occurred, in order. */
  readonly events: RunEvent[] = [];
  private replayed: readonly RunEvent[] = [];
  readonly metrics: never[] = [];
  readonly configuration: RunConfiguration;
  readonly trainer;

  constructor(
    readonly gpu: FakeGpu,
    configuration: RunConfiguration,
    private readonly onEvent: (event: RunEvent) => void,
    private readonly world: FakeWorld,
  ) {
    this.configuration = { ...configuration, engine: gpu.engine };
    this.trainer = {
      controls: configuration.controls,
      payment: {},
      environment: { vocabulary: { names: [], kind: () => '' } },
      sample: async () => {
        await this.during('sample');
        return batchOf(this);
      },
      judge: async (batch: ReturnType<typeof batchOf>) => this.credited(batch),
    };
  }

  get allEvents(): readonly RunEvent[] {
    return [...this.events, ...this.replayed];
  }

  reach(): void {
    for (const event of this.replayed.filter(({ step }) => step <= this.step)) {
      this.events.push(event);
      this.trainer.controls = { ...this.trainer.controls, ...event.changes };
    }
    this.replayed = this.replayed.filter(({ step }) => step > this.step);
  }

  resume(saved: SavedRun): void {
    this.step = saved.step;
    this.replayed = saved.events;
    this.reach();
    const { engine } = saved.configuration;
    if (engine !== undefined && engine !== this.gpu.engine) this.note('engine', `${engine} → ${this.gpu.engine}`);
  }

  change(changes: Readonly<Record<string, unknown>>): RunEvent | undefined {
    const { controls } = tablesOf(this.configuration.environment);
    const parsed = Object.entries(parseParameters(controls, changes));
    this.replayed = this.replayed.filter((event) => !parsed.some(([name]) => name in event.changes));
    const changed = Object.fromEntries(parsed.filter(([name, value]) => this.trainer.controls[name] !== value));
    if (Object.keys(changed).length === 0) return undefined;
    this.trainer.controls = { ...this.trainer.controls, ...changed };
    return this.log({ step: this.step, kind: 'change', changes: changed, text: JSON.stringify(changed) });
  }

  noteEngine(): void {}

  note(kind: RunEvent['kind'], text: string): RunEvent {
    return this.log({ step: this.step, kind, changes: {}, text });
  }

  async update() {
    this.reach();
    await this.during('update');
    const step = this.step++;
    this.world.updates.push({ run: this, step });
    const metrics = this.during('metrics', step).then(() => ({ step }));
    metrics.catch(() => {});
    const { credit: used, ...credited } = this.credited(batchOf(this, step));
    const credit = metrics.then(() => used);
    credit.catch(() => {});
    return { ...credited, metrics, credit };
  }

  async save() {
    const { step } = this;
    const events = this.allEvents;
    await this.during('save');
    return { configuration: this.configuration, step, checkpoint: new ArrayBuffer(8), events, metrics: [] };
  }

  destroy(): void {
    this.destroyed++;
  }

  private credited(batch: ReturnType<typeof batchOf>) {
    const { controls } = this.trainer;
    return { batch, controls, exact: new ExactCredit(batch, controls, 1), credit: { turns: new Float32Array(1) } };
  }

  private log(event: RunEvent): RunEvent {
    this.events.push(event);
    this.onEvent(event);
    return event;
  }

  private async during(operation: 'update' | 'metrics' | 'save' | 'sample', step = this.step): Promise<void> {
    if (this.destroyed > 0) throw new Error(`${operation} of a run that was destroyed`);
    if (this.gpu.isRemoved) throw new Error(`${operation}: the device is lost`);
    await this.world.clock.wait(this.world.effects.duration(operation));
    if (this.world.notFinite === operation) {
      this.world.notFinite = undefined;
      throw new NonFiniteError(step, 'loss');
    }
    this.world.effects.onComplete(operation, this.gpu);
    if (this.gpu.isRemoved) throw new Error(`${operation}: the device is lost`);
  }
}

function batchOf({ configuration }: FakeRun, step = 0) {
  const turn = { parent: -1, outcome: 1, reward: 0 };
  return {
    step,
    groups: [{ id: `group of step ${step}`, turns: [turn] }],
    forest: { groupOffset: [0, 1] },
    rollouts: [],
    rolloutOffset: [0, 0],
    questions: [`seed ${configuration.seed}`],
  };
}

const CALM: OperationEffects = { duration: () => 1, onComplete: () => {} };

/** Lanes of a worker on fakes. It records created objects, updates and messages, and has a clock that tests advance. */
export class FakeWorld {
  readonly clock = new Clock();
  readonly gpus: FakeGpu[] = [];
  readonly runs: FakeRun[] = [];
  readonly updates: { readonly run: FakeRun; readonly step: number }[] = [];
  readonly messages: Message[] = [];
  /** Waits of the session: start times and durations in virtual milliseconds. */
  readonly sleeps: { readonly at: number; readonly milliseconds: number }[] = [];
  /** Maximum numbers of runs with memory and of open devices at any one time. */
  maximumLive = 0;
  maximumOpen = 0;
  /** Operation whose next result is not finite; undefined if all results are finite. */
  notFinite: 'update' | 'metrics' | undefined;
  readonly session: Lanes;

  constructor(readonly effects: OperationEffects = { ...CALM }) {
    const { clock } = this;
    const host: Partial<SessionHost> = {
      openDevice: async (engine) => {
        await clock.wait(effects.duration('open'));
        effects.onComplete('open', undefined);
        const gpu = new FakeGpu(engine);
        this.gpus.push(gpu);
        this.maximumOpen = Math.max(this.maximumOpen, this.gpus.filter(({ isRemoved }) => !isRemoved).length);
        return gpu as unknown as EngineDevice;
      },
      post: (message) => this.messages.push(message),
      now: () => clock.time,
      measureTruth: async (_, __, ___, { progress, signal }) => {
        for (let done = 1; done <= 3 && !signal.aborted; done++) {
          await clock.wait(effects.duration('sample'));
          await progress({ stage: 'continuations', done, total: 3 });
        }
        return undefined;
      },
      sleep: (milliseconds) => {
        this.sleeps.push({ at: clock.time, milliseconds });
        return clock.wait(milliseconds);
      },
    };
    const createRun = async (
      gpu: EngineDevice,
      configuration: RunConfiguration,
      onEvent: (event: RunEvent) => void,
    ) => {
      const run = new FakeRun(gpu as unknown as FakeGpu, configuration, onEvent, this);
      await clock.wait(effects.duration('make'));
      effects.onComplete('make', run.gpu);
      // As on a real device, a loss may be unnoticed until data is read back.
      this.runs.push(run);
      this.maximumLive = Math.max(this.maximumLive, this.live.length);
      return run as unknown as Run;
    };
    const factory: RunFactory = {
      openRun: (gpu, configuration, _, onEvent) => createRun(gpu, configuration, onEvent),
      beginRun: async (gpu, configuration, _, listener, { saved, warm, warming }) => {
        const run = await createRun(gpu, configuration, listener);
        try {
          if (saved) run.resume(saved);
          if (warm) {
            await warming();
            for (let step = 0; step < 3; step++) {
              await clock.wait(effects.duration('update'));
              await warming({ stage: 'practice', number: 1, stages: 1, step, steps: 3, left: 2 - step, loss: 1 });
            }
          }
          return run;
        } catch (error) {
          run.destroy();
          throw error;
        }
      },
    };
    this.session = new Lanes(host as SessionHost, factory);
  }

  send(...commands: Command[]): void {
    for (const command of commands) this.session.receive(command);
  }

  /** Runs that have not been destroyed and therefore use memory. */
  get live(): readonly FakeRun[] {
    return this.runs.filter(({ destroyed }) => destroyed === 0);
  }

  get status(): Status | undefined {
    return this.of('status').at(-1)?.status;
  }

  of<Type extends Message['type']>(type: Type): Extract<Message, { type: Type }>[] {
    return this.messages.filter((message) => message.type === type) as Extract<Message, { type: Type }>[];
  }
}
