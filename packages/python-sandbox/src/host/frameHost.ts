import image from 'virtual:python.image?url';
import wasm from 'virtual:python.wasm?url';
import type { ImageParts } from '../guest/image.ts';
import { unpackImage } from './imageFile.ts';
import type { WorkerEvents, WorkerHandle, WorkerSource } from './sandboxWorker.ts';

// Only a page can create iframes, and a sandbox in a worker requires them. The page opens and removes the frames.
// Programs and results are sent directly between the worker and the frames.

/** Message of a frame to the holder of its port: a message of the worker, or the reason why the worker ended. */
type FrameMessage = { readonly message: unknown } | { readonly end: string };

/** Worker in a separate iframe. */
export interface Frame {
  /**
   * Port that receives FrameMessages. A posted message is sent to the worker unchanged. The port can be transferred to
   * another thread.
   */
  readonly port: MessagePort;
  /** Ends the worker immediately, also during a program. */
  remove(): void;
}

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

/** Receives the number of loaded bytes of the interpreter's files, and their total size if it is known. */
export type OnLoad = (bytes: number, total: number | undefined) => void;

let parts: Promise<ImageParts> | undefined;

/** Loads the interpreter's files from the site's origin, once in the page and once in each worker. */
export function siteParts(onLoad?: OnLoad): Promise<ImageParts> {
  parts ??= loadParts(onLoad).catch((error) => {
    // A later call retries, because the network can be available again.
    parts = undefined;
    throw error;
  });
  return parts;
}

async function loadParts(onLoad?: OnLoad): Promise<ImageParts> {
  const sizes: (number | undefined)[] = [];
  let bytes = 0;
  const load = async (address: string) => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`Python could not be loaded: ${response.status} ${response.statusText}`);
    const { body, headers } = response;
    if (!body || !onLoad) return response.arrayBuffer();
    // The length of a compressed response is not the length of the file.
    const length = headers.get('content-encoding') ? null : headers.get('content-length');
    sizes.push(length === null ? undefined : Number(length));
    const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        onLoad(bytes, sizes.length === 2 ? sizes.reduce((a, b) => a && b && a + b) : undefined);
        controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(count)).arrayBuffer();
  };
  const [code, packed] = await Promise.all([load(wasm), load(image)]);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return { wasm: code, image: unpackImage(new Uint8Array(await new Response(unpacked).arrayBuffer())) };
}
