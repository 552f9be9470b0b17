import type { Opened, Request } from './framePlace.ts';

/**
 * Makes frames for whoever holds the other end of the port.
 * @returns removes all of them and answers no more
 */
export function serveFrames(port: MessagePort): () => void {
  const frames = new Map<number, () => void>();
  const open = async (id: number) => {
    frames.set(id, () => {});
    try {
      const { openFrame } = await import('./frame.ts');
      // It may have been taken back while the frame's code was loaded.
      if (!frames.has(id)) return;
      const frame = openFrame();
      frames.set(id, frame.remove);
      port.postMessage({ opened: id } satisfies Opened, [frame.port]);
    } catch (error) {
      port.postMessage({ opened: id, failed: error instanceof Error ? error.message : String(error) } satisfies Opened);
    }
  };
  const remove = (id: number) => {
    frames.get(id)?.();
    frames.delete(id);
  };
  port.onmessage = ({ data }: MessageEvent<Request>) => {
    if ('open' in data) void open(data.open);
    else remove(data.remove);
  };
  return () => {
    port.close();
    for (const id of [...frames.keys()]) remove(id);
  };
}
