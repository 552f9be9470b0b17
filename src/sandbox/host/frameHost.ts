import type { Frame, FrameMessage } from './frame.ts';
import { siteParts } from './parts.ts';
import type { WorkerEvents, WorkerHandle, WorkerSource } from './sandboxWorker.ts';

// Only a page can create iframes, and a sandbox in a worker requires them. The page opens and removes the frames.
// Programs and results are sent directly between the worker and the frames.

/** Request of the worker to the page. */
export type Request = { readonly open: number } | { readonly remove: number };

/** Reply of the page, which transfers the port of the frame. `failed` is the reason for a missing port. */
export interface Opened {
  readonly opened: number;
  readonly failed?: string;
}

/** Type of the first message to a worker that can need frames. The message transfers the port of the page. */
export const FRAMES = 'frames';

/** Creates a source of workers in frames of the page, for a sandbox in another worker. */
export function createFrameSource(port: MessagePort, workers: number): WorkerSource {
  const waiting = new Map<number, { resolve: (port: MessagePort) => void; refuse: (error: Error) => void }>();
  let frames = 0;
  const send = (request: Request) => port.postMessage(request);
  port.onmessage = ({ data: { opened, failed }, ports }: MessageEvent<Opened>) => {
    const request = waiting.get(opened);
    waiting.delete(opened);
    if (ports[0]) request?.resolve(ports[0]);
    else request?.refuse(new Error(failed ?? 'the page opened no frame'));
  };
  return {
    workers,
    async open(events) {
      const id = frames++;
      const opened = new Promise<MessagePort>((resolve, refuse) => waiting.set(id, { resolve, refuse }));
      send({ open: id });
      return workerIn({ port: await opened, remove: () => send({ remove: id }) }, events);
    },
    parts: () => siteParts(),
  };
}

/** Returns the handle of the worker in a frame. */
export function workerIn({ port, remove }: Frame, { message, end }: WorkerEvents): WorkerHandle {
  port.onmessage = ({ data }: MessageEvent<FrameMessage | undefined>) => {
    // Messages of a frame are not trusted.
    if (typeof data !== 'object' || data === null) message(undefined);
    else if ('end' in data) end(typeof data.end === 'string' ? data.end : 'it threw');
    else message(data.message);
  };
  port.onmessageerror = () => message(undefined);
  return {
    post: (sent) => port.postMessage(sent),
    end() {
      port.close();
      remove();
    },
  };
}
