import { FRAMES } from '@turnwise/python-sandbox/host/frameHost';
import { serveFrames } from '@turnwise/python-sandbox/host/frameService';
import type { Command, Message, Problem } from '../../training/data/protocol.ts';
import { strings } from '../strings/strings.ts';

/** Part of a worker that a session uses. Tests pass another implementation. */
export type WorkerLike = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'>;

/** Run of a worker. */
interface Lane {
  readonly listener: (message: Message) => void;
  step: number;
}

/**
 * Session that trains one run or several runs in a worker. If the worker throws, cannot be loaded or sends unreadable
 * data, each run receives a problem message that offers the last checkpoint. The worker is then terminated, because its
 * state may be invalid.
 */
export class WorkerSession implements Session {
  private closed = false;
  /** Runs by their numbers, which are never reused. 0 is the first run. */
  private readonly lanes: Map<number, Lane>;
  private given = 0;

  /** @param closing closes other resources of the worker when the session ends */
  constructor(
    private readonly worker: WorkerLike,
    listener: (message: Message) => void,
    private readonly closing: () => void = () => {},
  ) {
    this.lanes = new Map([[0, { listener, step: 0 }]]);
    worker.addEventListener('message', (event) => this.receive((event as MessageEvent<Message>).data));
    worker.addEventListener('error', (event) => this.crashed(reasonOf(event as ErrorEvent)));
    worker.addEventListener('messageerror', () => this.crashed(strings.problem.unreadable));
  }

  send(command: Command): void {
    if (!this.closed) this.worker.postMessage(command);
  }

  close(): void {
    this.closed = true;
    this.worker.terminate();
    this.closing();
  }

  /** Creates a session for an additional run. Its last state is still received after the session was closed. */
  lane(listener: (message: Message) => void): Session {
    const lane = ++this.given;
    this.lanes.set(lane, { listener, step: 0 });
    let open = true;
    return {
      send: (command) => {
        if (open) this.send({ ...command, lane });
      },
      close: () => {
        if (open) this.send({ type: 'leave', lane });
        open = false;
      },
    };
  }

  private receive(message: Message): void {
    if (this.closed) return;
    const { lane = 0 } = message;
    const run = this.lanes.get(lane);
    if (!run) return;
    if (message.type === 'metrics') run.step = message.metrics.step + 1;
    if (message.type === 'ready') run.step = message.step;
    run.listener(message);
    if (message.type === 'left' && lane !== 0) this.lanes.delete(lane);
  }

  private crashed(reason: string): void {
    if (this.closed) return;
    this.close();
    const message = strings.problem.crashed(reason);
    for (const { listener, step } of this.lanes.values()) {
      const problem: Problem = { kind: 'internal', message, step, recovery: 'last-checkpoint' };
      listener({ type: 'problem', problem });
      listener({ type: 'status', status: 'stopped' });
    }
  }
}

function reasonOf(event: ErrorEvent): string {
  event.preventDefault?.();
  return event.message || strings.problem.workerFailed;
}

/** Opens the training worker of this site. */
export const openWorker: SessionFactory = (listener) => {
  // Vite recognises a worker only if `new Worker(new URL(…))` is one expression.
  const worker = new Worker(new URL('../../../workers/training.ts', import.meta.url), { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(FRAMES, [port2]);
  return new WorkerSession(worker, listener, serveFrames(port1));
};

/** Training session of the page. It receives commands and sends messages. */
export interface Session {
  send(command: Command): void;
  /** Ends the session. It sends no further messages, except the last state of an additional run. */
  close(): void;
  /** Creates a session for an additional run in the same worker. */
  lane?(listener: (message: Message) => void): Session;
}

/** Creates a session that sends all messages to `listener`. */
export type SessionFactory = (listener: (message: Message) => void) => Session;
