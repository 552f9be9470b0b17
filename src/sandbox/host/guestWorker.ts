import type { GuestRun, ToGuest } from '../types.ts';
import { readStart } from './message.ts';

/** A worker with a Python in it, wherever it runs. */
export interface GuestWorker {
  post(message: ToGuest): void;
  /** Called for everything that comes from the worker; it is not to be trusted. */
  onMessage: (message: unknown) => void;
  /** The worker has ended by itself. */
  onEnd: (reason: string) => void;
  /** Ends it at once, whatever it is doing. */
  end(): void;
}

export type BootParts = Omit<Extract<ToGuest, { type: 'boot' }>, 'type'>;

/** Where workers come from. */
export interface GuestPlace {
  /** How many the machine runs well at the same time. */
  readonly workers: number;
  open(): GuestWorker;
  /** The interpreter's parts; loaded once. */
  parts(): Promise<BootParts>;
}

/** One booted worker that runs one program after the other. */
export class Guest {
  readonly ready: Promise<void>;
  ended = false;
  onMessage: (message: unknown) => void = () => {};
  onEnd: (reason: string) => void = () => {};
  private readonly worker: GuestWorker;

  constructor(place: GuestPlace) {
    this.worker = place.open();
    this.ready = new Promise((resolve, reject) => {
      this.worker.onMessage = (message) => {
        try {
          const { failed } = readStart(message);
          if (failed !== undefined) throw new Error(failed);
          // What comes from one that was ended says nothing any more.
          this.worker.onMessage = (later) => this.ended || this.onMessage(later);
          resolve();
        } catch (error) {
          this.end();
          reject(error);
        }
      };
      this.worker.onEnd = (reason) => {
        this.ended = true;
        reject(new Error(`the Python worker ended: ${reason}`));
        this.onEnd(reason);
      };
    });
    this.ready.catch(() => {});
    place.parts().then(
      (parts) => this.ended || this.worker.post({ type: 'boot', ...parts }),
      (error) => this.worker.onEnd(String(error)),
    );
  }

  /** @param programs at most as many as travel together */
  run(programs: readonly GuestRun[]): void {
    this.worker.post({ type: 'run', programs });
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.worker.end();
  }
}
