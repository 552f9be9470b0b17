import type { Opened, Request } from './frameHost.ts';

/** Creates frames on requests from a port. @returns function that removes all frames and closes the port */
export function serveFrames(port: MessagePort): () => void {
  const frames = new Map<number, () => void>();
  let isOver = false;
  const answer = (opened: Opened, ports: MessagePort[]) => port.postMessage(opened, ports);
  const open = async (id: number) => {
    const { openFrame } = await import('./page.ts');
    if (isOver) return;
    const frame = openFrame();
    frames.set(id, frame.remove);
    answer({ opened: id }, [frame.port]);
  };
  port.onmessage = ({ data }: MessageEvent<Request>) => {
    if ('open' in data) {
      const id = data.open;
      open(id).catch((error) =>
        answer({ opened: id, failed: error instanceof Error ? error.message : String(error) }, []),
      );
    } else {
      frames.get(data.remove)?.();
      frames.delete(data.remove);
    }
  };
  return () => {
    isOver = true;
    port.close();
    for (const remove of frames.values()) remove();
  };
}
