import type { Gpu } from '../../gpu/device.ts';
import { type Command, type Message, MOST_LANES } from '../data/protocol.ts';
import { RUNS, type RunMaker } from '../run/openRun.ts';
import { SharedDevice } from './sharedDevice.ts';
import { type SessionHost, TrainingSession } from './trainingSession.ts';

/** The GPU has no room for one more run. */
export class NoRoomError extends Error {
  constructor(reason: string) {
    super(`The GPU has no memory left for one more run (${reason}). Close a run, or choose fewer or smaller batches.`);
    this.name = 'NoRoomError';
  }
}

/**
 * Several runs in one worker and on one device. Each lane is a session of its own, with its own run, pace, checkpoints
 * and recovery; they share the device, and they update turn about. Buffers, draws and steps are a run's own, so each
 * gives bit for bit what it would give alone. Lane 0 is the page's first run and is always there; the others are opened
 * by their first command and end with `leave`.
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
    this.device = new SharedDevice(() => host.openGpu());
  }

  /**
   * Takes a command for a lane.
   * @throws {RangeError} for a lane that there cannot be
   */
  receive(command: Command): void {
    const { lane = 0 } = command;
    if (!Number.isInteger(lane) || lane < 0 || lane >= MOST_LANES)
      throw new RangeError(`there is no lane ${lane}: there are ${MOST_LANES}, from 0`);
    const known = this.sessions.get(lane);
    if (command.type === 'leave') return void (known && this.leave(lane, known));
    const session = known ?? this.open(lane);
    session.receive(command);
  }

  private open(lane: number): TrainingSession {
    const { host, device } = this;
    const post = (message: Message) => host.post(lane === 0 ? message : { ...message, lane });
    const session = new TrainingSession(
      {
        ...host,
        post,
        openGpu: () => device.open(),
        closeGpu: (gpu) => device.close(gpu),
        turn: (work) => this.turns.take(work),
      },
      lane === 0 ? this.runs : withRoom(this.runs),
    );
    this.sessions.set(lane, session);
    return session;
  }

  /** A lane that is asked for again while its last run is still being handed over is another session. */
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
  const checked = async <Made extends { destroy(): void }>(
    { device }: Gpu,
    make: () => Promise<Made>,
  ): Promise<Made> => {
    device.pushErrorScope('out-of-memory');
    const scope = () => device.popErrorScope();
    let made: Made;
    try {
      made = await make();
    } catch (error) {
      await scope();
      throw error;
    }
    const short = await scope();
    if (!short) return made;
    made.destroy();
    throw new NoRoomError(short.message);
  };
  return {
    ...runs,
    openRun: (gpu, ...rest) => checked(gpu, () => runs.openRun(gpu, ...rest)),
    beginRun: (gpu, ...rest) => checked(gpu, () => runs.beginRun(gpu, ...rest)),
  };
}
