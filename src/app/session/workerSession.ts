import { FRAMES } from '../../sandbox/host/framePlace.ts';
import { serveFrames } from '../../sandbox/host/frameService.ts';
import type { Command, Message, Problem } from '../../training/data/protocol.ts';
import { strings } from '../strings/strings.ts';
import type { Session, SessionFactory } from './pageSession.ts';

/** What a session needs of a worker; a test brings its own. */
export type WorkerLike = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'>;

/**
 * Trains in a worker. A worker that throws, cannot be loaded or sends what cannot be read becomes a problem message
 * that offers the last checkpoint; the worker is ended then, because its state can no longer be trusted.
 */
export class WorkerSession implements Session {
  readonly kind = 'live';
  private closed = false;
  private step = 0;

  /** @param closing ends what was opened for the worker */
  constructor(
    private readonly worker: WorkerLike,
    private readonly hear: (message: Message) => void,
    private readonly closing: () => void = () => {},
  ) {
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

  private receive(message: Message): void {
    if (this.closed) return;
    if (message.type === 'metrics') this.step = message.metrics.step + 1;
    if (message.type === 'ready') this.step = message.step;
    this.hear(message);
  }

  private crashed(reason: string): void {
    if (this.closed) return;
    this.close();
    const message = strings.problem.crashed(reason);
    const problem: Problem = { kind: 'internal', message, step: this.step, recovery: 'last-checkpoint' };
    this.hear({ type: 'problem', problem });
    this.hear({ type: 'status', status: 'stopped' });
  }
}

function reasonOf(event: ErrorEvent): string {
  event.preventDefault?.();
  return event.message || strings.problem.workerFailed;
}

/** The training worker of this site. */
export const openWorker: SessionFactory = (hear) => {
  // In one piece, because Vite recognises it only so.
  const worker = new Worker(new URL('../../../workers/training.ts', import.meta.url), { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(FRAMES, [port2]);
  return new WorkerSession(worker, hear, serveFrames(port1));
};
