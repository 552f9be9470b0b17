import type { Frame, FrameMessage } from './frame.ts';
import { siteParts } from './parts.ts';
import type { WorkerEvents, WorkerHandle, WorkerSource } from './sandboxWorker.ts';

// Only a page can make iframes, and a sandbox that belongs to a worker wants them. The page opens and removes frames for it; programs and
// their results go between the worker and the frames without passing through the page.

/** Request of the worker. */
export type Request = { readonly open: number } | { readonly remove: number };

/** Answer of the page: the frame's port comes with the message, or a reason why the port is missing. */
export interface Opened {
  readonly opened: number;
  readonly failed?: string;
}

/** Message by which the page transfers its side: the first message to a worker that may need frames, with a port. */
export const FRAMES = 'frames';

/** Workers in frames of the page, for a sandbox in another worker. */
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

/** The worker in a frame. */
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
