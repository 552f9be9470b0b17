import type { ImageParts } from '../guest/image.ts';
import type { HostToWorkerMessage, SandboxRequest } from '../protocol.ts';
import { readStart } from './message.ts';

/** A worker with a Python in it, wherever it runs. */
export interface WorkerHandle {
  post(message: HostToWorkerMessage): void;
  /** Ends it at once, whatever it is doing. */
  end(): void;
}

export interface WorkerEvents {
  /** Called for everything that comes from the worker; it is not to be trusted. */
  message(message: unknown): void;
  /** The worker has ended by itself. */
  end(reason: string): void;
}

/** Source of workers. */
export interface WorkerSource {
  /** Number of workers that the machine runs well at the same time. */
  readonly workers: number;
  open(events: WorkerEvents): Promise<WorkerHandle>;
  /** The interpreter's parts; loaded once. */
  parts(): Promise<ImageParts>;
}

/** One booted worker that runs one program after the other. */
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

  /** @param programs at most as many as travel together */
  run(programs: readonly SandboxRequest[]): void {
    this.worker?.post({ type: 'run', programs });
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.worker?.end();
  }
}
