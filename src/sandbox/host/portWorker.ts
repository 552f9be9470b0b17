import type { ToGuest } from '../types.ts';
import type { FrameMessage } from './frame.ts';
import type { GuestWorker } from './guestWorker.ts';

/** A worker in a frame, spoken to through the frame's port, which may come later. */
export class PortWorker implements GuestWorker {
  onMessage: (message: unknown) => void = () => {};
  onEnd: (reason: string) => void = () => {};
  private port: MessagePort | undefined;
  private waiting: ToGuest[] = [];
  private ended = false;

  /** @param remove ends the frame */
  constructor(
    port: Promise<MessagePort>,
    private readonly remove: () => void,
  ) {
    port.then(
      (opened) => this.connect(opened),
      (error: unknown) => this.fail(error instanceof Error ? error.message : String(error)),
    );
  }

  post(message: ToGuest): void {
    if (this.port) this.port.postMessage(message);
    else this.waiting.push(message);
  }

  end(): void {
    this.ended = true;
    this.port?.close();
    this.remove();
  }

  private connect(port: MessagePort): void {
    if (this.ended) {
      port.close();
      return;
    }
    this.port = port;
    port.onmessage = ({ data }: MessageEvent<FrameMessage | undefined>) => {
      // What a frame sends is not to be trusted.
      if (typeof data !== 'object' || data === null) this.onMessage(undefined);
      else if ('end' in data) this.onEnd(typeof data.end === 'string' ? data.end : 'it threw');
      else this.onMessage(data.message);
    };
    port.onmessageerror = () => this.onMessage(undefined);
    for (const message of this.waiting) port.postMessage(message);
    this.waiting = [];
  }

  private fail(reason: string): void {
    if (!this.ended) this.onEnd(reason);
  }
}
