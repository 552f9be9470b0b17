import type { EngineDevice } from '../../engine/engine.ts';
import { OutOfMemoryError } from '../../engine/shared.ts';
import { type EngineName, isExact } from '../data/configuration.ts';
import { type Command, MAX_LANES, type Message } from '../data/protocol.ts';
import { RUNS, type RunFactory } from '../run/openRun.ts';
import type { SessionHost } from './measuring.ts';
import { TrainingSession } from './trainingSession.ts';

/** Error for a run that does not fit in the memory of the GPU. */
class CapacityError extends Error {
  constructor(reason: string) {
    super(`The GPU has no memory left for one more run (${reason}). Close a run, or choose fewer or smaller batches.`);
    this.name = 'CapacityError';
  }
}

/**
 * Several runs in one worker and on one device. Each lane is a session with a separate run, pace, checkpoints and
 * recovery. The lanes share the device and update alternately. Buffers, draws and steps are separate for each run, so
 * its results are bit-identical to those of a single run. Lane 0 is the first run of the page. The first command of a
 * lane opens it, and `leave` ends it. Its number is not used again.
 */
export class Lanes {
  private readonly sessions = new Map<number, TrainingSession>();
  private readonly device: SharedDevice;
  private readonly turns = new Turns();

  /**
   * @param host host of the runs. Its `post` receives the lane of each message
   * @param runs factory of the runs
   */
  constructor(
    private readonly host: SessionHost,
    private readonly runs: RunFactory = RUNS,
  ) {
    this.device = new SharedDevice((engine) => host.openDevice(engine));
  }

  /** Passes a command to its lane. If there are too many lanes, sends a problem message. */
  receive(command: Command): void {
    const { lane = 0 } = command;
    const known = this.sessions.get(lane);
    if (command.type === 'leave') {
      if (known) void this.leave(lane, known);
    } else if (known || this.sessions.size < MAX_LANES) {
      const session = known ?? this.open(lane);
      session.receive(command);
    } else this.refuse(lane, command);
  }

  private refuse(lane: number, { type }: Command): void {
    if (type !== 'start') return;
    const message = `There are ${MAX_LANES} runs already, which is as many as one page trains. Close one first.`;
    const problem = { kind: 'configuration', message, step: 0, recovery: 'none' } as const;
    this.host.post({ type: 'problem', problem, lane });
    this.host.post({ type: 'status', status: 'stopped', lane });
  }

  private open(lane: number): TrainingSession {
    const { host, device } = this;
    const post = (message: Message) => host.post(lane === 0 ? message : { ...message, lane });
    const session = new TrainingSession(
      {
        ...host,
        post,
        openDevice: (engine) => device.open(engine),
        closeDevice: (opened) => device.close(opened),
        turn: (work) => this.turns.enqueue(work),
      },
      lane === 0 ? this.runs : checkCapacity(this.runs),
    );
    this.sessions.set(lane, session);
    return session;
  }

  private async leave(lane: number, session: TrainingSession): Promise<void> {
    this.sessions.delete(lane);
    await session.leave();
    this.host.post({ type: 'left', ...(lane === 0 ? {} : { lane }) });
  }
}

/** Runs pieces of work sequentially, in the order of the requests. */
class Turns {
  private last: Promise<unknown> = Promise.resolve();

  enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.last.then(work);
    this.last = mine.catch(() => {});
    return mine;
  }
}

/**
 * Returns a factory of runs that checks the memory for each run. If the memory is insufficient, the new run fails and
 * the other runs continue.
 */
function checkCapacity(runs: RunFactory): RunFactory {
  const checked = <Result extends { destroy(): void }>(device: EngineDevice, work: () => Promise<Result>) =>
    device.allocate(work).catch((error: unknown) => {
      throw error instanceof OutOfMemoryError ? new CapacityError(error.message) : error;
    });
  return {
    ...runs,
    openRun: (device, ...rest) => checked(device, () => runs.openRun(device, ...rest)),
    beginRun: (device, ...rest) => checked(device, () => runs.beginRun(device, ...rest)),
  };
}

/** Kind of a requested device: of an engine, or the best available device. */
type Requested = 'exact' | 'wgsl' | 'best';

interface Opening {
  readonly device: Promise<EngineDevice>;
  /** Number of runs that use the device or wait for it. */
  users: number;
}

/**
 * One device per engine for several runs. It opens for the first run and after a loss, and closes with the last run.
 */
export class SharedDevice {
  private readonly openings = new Map<Requested, Opening>();
  private readonly opened = new Map<EngineDevice, Opening>();

  constructor(private readonly openDevice: (engine?: EngineName) => Promise<EngineDevice>) {}

  /** Opens a device. @param engine engine of the device; by default the best engine @throws if it cannot be opened */
  open(engine?: EngineName): Promise<EngineDevice> {
    const requested = engine === undefined ? 'best' : kindOf(engine);
    const opening = this.openings.get(requested) ?? this.begin(requested, engine);
    opening.users++;
    return opening.device;
  }

  /** Releases a device for one run. It is closed when no run uses it. */
  close(device: EngineDevice): void {
    const opening = this.opened.get(device);
    if (!opening || --opening.users > 0) return;
    this.opened.delete(device);
    this.discard(opening);
    // No effect on a lost device. A working device frees its memory.
    device.destroy();
  }

  private begin(requested: Requested, engine: EngineName | undefined): Opening {
    const opening: Opening = { device: this.openDevice(engine), users: 0 };
    this.openings.set(requested, opening);
    opening.device.then(
      (device) => {
        this.opened.set(device, opening);
        // The best device is the device of its engine, too.
        const kind = kindOf(device.engine);
        if (!this.openings.has(kind)) this.openings.set(kind, opening);
        // Registered before the handlers of the runs, which open the next device immediately.
        device.lost.then(() => this.discard(opening));
      },
      () => this.discard(opening),
    );
    return opening;
  }

  private discard(opening: Opening): void {
    for (const [requested, known] of this.openings) if (known === opening) this.openings.delete(requested);
  }
}

function kindOf(engine: EngineName): Requested {
  return isExact(engine) ? 'exact' : 'wgsl';
}
