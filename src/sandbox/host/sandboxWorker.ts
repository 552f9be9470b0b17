import type { ImageParts } from '../guest/image.ts';
import type { HostToWorkerMessage, SandboxRequest } from '../protocol.ts';
import { readStart } from './message.ts';

/** Worker with a Python interpreter, in the browser or in Node. */
export interface WorkerHandle {
  post(message: HostToWorkerMessage): void;
  /** Ends the worker immediately, also during a program. */
  end(): void;
}

export interface WorkerEvents {
  /** Receives each message of the worker, which is not trusted. */
  message(message: unknown): void;
  /** Called if the worker ends without a call of `WorkerHandle.end`. */
  end(reason: string): void;
}

/** Source of workers, for the browser or for Node. */
export interface WorkerSource {
  /** Number of workers that the machine can run in parallel. */
  readonly workers: number;
  open(events: WorkerEvents): Promise<WorkerHandle>;
  /** Loads the parts of the interpreter, once. */
  parts(): Promise<ImageParts>;
}

/** Started worker that runs programs in sequence. */
export class SandboxWorker {
  readonly ready: Promise<void>;
  ended = false;
  onMessage: (message: unknown) => void = () => {};
  onEnd: (reason: string) => void = () => {};
  private worker: WorkerHandle | undefined;

  constructor(host: WorkerSource) {
    this.ready = new Promise((resolve, reject) => {
      const lose = (reason: string) => {
        if (this.ended) return;
        this.end();
        reject(new Error(`the Python worker ended: ${reason}`));
        this.onEnd(reason);
      };
      let receive = (message: unknown) => {
        try {
          const { failed } = readStart(message);
          if (failed !== undefined) throw new Error(failed);
          receive = (next) => this.onMessage(next);
          resolve();
        } catch (error) {
          this.end();
          reject(error);
        }
      };
      // Messages of a worker that was ended are ignored.
      const opened = host.open({ message: (message) => this.ended || receive(message), end: lose });
      opened.then(
        (worker) => {
          this.worker = worker;
          if (this.ended) worker.end();
        },
        () => {},
      );
      Promise.all([opened, host.parts()]).then(
        ([worker, parts]) => this.ended || worker.post({ type: 'boot', ...parts }),
        (error) => lose(String(error)),
      );
    });
    this.ready.catch(() => {});
  }

  /** @param programs programs of one message, at most MAX_MESSAGE_PROGRAMS */
  run(programs: readonly SandboxRequest[]): void {
    this.worker?.post({ type: 'run', programs });
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.worker?.end();
  }
}
