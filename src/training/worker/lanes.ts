import type { EngineDevice } from '../../engine/engine.ts';
import { OutOfMemoryError } from '../../engine/errors.ts';
import { type Command, type Message, MOST_LANES } from '../data/protocol.ts';
import { RUNS, type RunMaker } from '../run/openRun.ts';
import type { SessionHost } from './sessionHost.ts';
import { SharedDevice } from './sharedDevice.ts';
import { TrainingSession } from './trainingSession.ts';

/** The GPU has no room for one more run. */
class NoRoomError extends Error {
  constructor(reason: string) {
    super(`The GPU has no memory left for one more run (${reason}). Close a run, or choose fewer or smaller batches.`);
    this.name = 'NoRoomError';
  }
}

/**
 * Several runs in one worker and on one device. Each lane is a session of its own, with its own run, pace, checkpoints
 * and recovery; they share the device, and they update turn about. Buffers, draws and steps are a run's own, so each
 * gives bit for bit what it would give alone. Lane 0 is the page's first run; a lane is opened by its first command, ends
 * with `leave`, and its number is not given again.
 */
export class Lanes {
  private readonly sessions = new Map<number, TrainingSession>();
  private readonly device: SharedDevice;
  private readonly turns = new Turns();

  /**
   * @param host `post` is told which lane says something
   * @param runs makes the runs
   */
  constructor(
    private readonly host: SessionHost,
    private readonly runs: RunMaker = RUNS,
  ) {
    this.device = new SharedDevice((engine) => host.openDevice(engine));
  }

  /** Takes a command for a lane. One lane too many is refused, in words. */
  receive(command: Command): void {
    const { lane = 0 } = command;
    const known = this.sessions.get(lane);
    if (command.type === 'leave') {
      if (known) void this.leave(lane, known);
    } else if (known || this.sessions.size < MOST_LANES) {
      const session = known ?? this.open(lane);
      session.receive(command);
    } else this.refuse(lane, command);
  }

  private refuse(lane: number, { type }: Command): void {
    if (type !== 'start') return;
    const message = `There are ${MOST_LANES} runs already, which is as many as one page trains. Close one first.`;
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
        turn: (work) => this.turns.take(work),
      },
      lane === 0 ? this.runs : withRoom(this.runs),
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

/** One piece of work after another, in the order in which they were asked for. */
class Turns {
  private last: Promise<unknown> = Promise.resolve();

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.last.then(work);
    this.last = mine.catch(() => {});
    return mine;
  }
}

/** Runs whose memory is checked before they begin: where it is short, the run is refused, and those that train go on. */
function withRoom(runs: RunMaker): RunMaker {
  const checked = <Result extends { destroy(): void }>(device: EngineDevice, work: () => Promise<Result>) =>
    device.allocate(work).catch((error: unknown) => {
      throw error instanceof OutOfMemoryError ? new NoRoomError(error.message) : error;
    });
  return {
    ...runs,
    openRun: (device, ...rest) => checked(device, () => runs.openRun(device, ...rest)),
    beginRun: (device, ...rest) => checked(device, () => runs.beginRun(device, ...rest)),
  };
}
