import type { CDPSession, Page } from 'playwright-core';

const MB = 1e6;

interface Usage {
  readonly usedSize: number;
  readonly backingStorageSize?: number;
}

/** The JavaScript heaps of a page and of its workers, after a collection of garbage, over Chromium's protocol. */
export class WorkerHeaps {
  private readonly workers = new Set<string>();
  private readonly waiting = new Map<number, (result: unknown) => void>();
  private next = 0;

  private constructor(private readonly cdp: CDPSession) {}

  static async of(page: Page): Promise<WorkerHeaps> {
    const cdp = await page.context().newCDPSession(page);
    const heaps = new WorkerHeaps(cdp);
    cdp.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker') heaps.workers.add(sessionId);
    });
    cdp.on('Target.detachedFromTarget', ({ sessionId }) => {
      heaps.workers.delete(sessionId);
    });
    cdp.on('Target.receivedMessageFromTarget', ({ message }) => {
      const { id, result } = JSON.parse(message) as { id: number; result: unknown };
      heaps.waiting.get(id)?.(result);
      heaps.waiting.delete(id);
    });
    // Not flat: messages of workers come through this session.
    await cdp.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    return heaps;
  }

  /** Megabytes in use, buffers of bytes included. */
  async measure(): Promise<{ readonly pageMB: number; readonly workersMB: number }> {
    const page = await this.collected((method) => this.cdp.send(method as 'Runtime.getHeapUsage'));
    let workers = 0;
    for (const session of this.workers) workers += await this.collected((method) => this.ask(session, method));
    return { pageMB: page / MB, workersMB: workers / MB };
  }

  private async collected(send: (method: string) => Promise<unknown>): Promise<number> {
    // Finalizers run between two collections.
    for (let time = 0; time < 2; time++) await send('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize = 0 } = (await send('Runtime.getHeapUsage')) as Usage;
    return usedSize + backingStorageSize;
  }

  private async ask(sessionId: string, method: string): Promise<unknown> {
    const id = ++this.next;
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    await this.cdp.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    return answer;
  }
}
