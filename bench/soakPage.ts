import type { CDPSession, Page } from 'playwright-core';

/**
 * Script that is inserted before the code of the training worker. It counts the GPU buffers that exist; buffers of a
 * lost device do not count. A BroadcastChannel returns the counts, because messages of the worker are reserved for the
 * protocol.
 */
export const COUNTER = `(() => {
  if (typeof GPUDevice === 'undefined') return;
  const alive = new Map();
  const made = { buffers: 0, devices: 0 };
  const create = GPUDevice.prototype.createBuffer;
  GPUDevice.prototype.createBuffer = function (descriptor) {
    const buffer = create.call(this, descriptor);
    if (!alive.has(this)) {
      alive.set(this, new Map());
      made.devices++;
      this.lost.then(() => alive.delete(this));
    }
    alive.get(this).set(buffer, descriptor.size);
    made.buffers++;
    return buffer;
  };
  const destroy = GPUBuffer.prototype.destroy;
  GPUBuffer.prototype.destroy = function () {
    for (const buffers of alive.values()) buffers.delete(this);
    return destroy.call(this);
  };
  const asked = new BroadcastChannel('soak');
  asked.onmessage = ({ data }) => {
    if (data !== 'count') return;
    const sizes = [...alive.values()].flatMap((buffers) => [...buffers.values()]);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    asked.postMessage({ devices: alive.size, buffers: sizes.length, bytes, ...{ made } });
  };
})();
`;

/** Script that runs before the scripts of the page, so that `__hide` can simulate a hidden tab. */
export const HIDE = `(() => {
  let hidden = false;
  Object.defineProperty(Document.prototype, 'hidden', { get: () => hidden });
  Object.defineProperty(Document.prototype, 'visibilityState', { get: () => (hidden ? 'hidden' : 'visible') });
  globalThis.__hide = (now) => {
    hidden = now;
    document.dispatchEvent(new Event('visibilitychange'));
  };
})();`;

export interface Gpus {
  readonly devices: number;
  readonly buffers: number;
  readonly bytes: number;
  readonly created: { readonly buffers: number; readonly devices: number };
}

/** Counts the GPU objects that the training worker has. */
export function countGpu(page: Page): Promise<Gpus> {
  return page.evaluate(
    () =>
      new Promise<Gpus>((resolve) => {
        const channel = new BroadcastChannel('soak');
        channel.onmessage = ({ data }) => {
          channel.close();
          resolve(data);
        };
        channel.postMessage('count');
      }),
  );
}

interface HeapUsage {
  readonly usedSize: number;
  readonly backingStorageSize?: number;
}

/** Sizes of the heaps of a page and its workers after garbage collection, including array buffers. */
export class Heaps {
  private readonly workers = new Map<string, string>();
  private readonly answers = new Map<number, (result: HeapUsage | undefined) => void>();
  private requestCount = 0;

  private constructor(private readonly cdp: CDPSession) {}

  /** Attaches to a page. Call it before the page starts its workers. */
  static async open(page: Page): Promise<Heaps> {
    const cdp = await page.context().newCDPSession(page);
    const heaps = new Heaps(cdp);
    cdp.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker') heaps.workers.set(sessionId, targetInfo.url);
    });
    cdp.on('Target.detachedFromTarget', ({ sessionId }) => heaps.workers.delete(sessionId));
    cdp.on('Target.receivedMessageFromTarget', ({ message }) => {
      const { id, result } = JSON.parse(message);
      heaps.answers.get(id)?.(result);
      heaps.answers.delete(id);
    });
    // Nested sessions for workers (flatten: false), because Playwright has no other access to the heap of a worker.
    await cdp.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    return heaps;
  }

  async page(): Promise<number> {
    for (let i = 0; i < 2; i++) await this.cdp.send('HeapProfiler.collectGarbage');
    return bytesOf((await this.cdp.send('Runtime.getHeapUsage')) as HeapUsage);
  }

  /** Returns the heap size of all training workers [bytes]. Normally there is one worker. */
  async training(): Promise<number> {
    const sessions = [...this.workers].filter(([, url]) => /training/.test(url)).map(([session]) => session);
    const each = sessions.map(async (session) => {
      for (let i = 0; i < 2; i++) await this.callWorker(session, 'HeapProfiler.collectGarbage');
      return bytesOf(await this.callWorker(session, 'Runtime.getHeapUsage'));
    });
    return (await Promise.all(each)).reduce((sum, bytes) => sum + bytes, 0);
  }

  private async callWorker(sessionId: string, method: string): Promise<HeapUsage | undefined> {
    const id = ++this.requestCount;
    const answer = new Promise<HeapUsage | undefined>((resolve) => this.answers.set(id, resolve));
    await this.cdp.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    return answer;
  }
}

function bytesOf(usage: HeapUsage | undefined): number {
  return usage ? usage.usedSize + (usage.backingStorageSize ?? 0) : 0;
}
