import { openRunStore } from '../../storage/indexedRunStore.ts';
import type { RunStore } from '../../storage/runStore.ts';
import { download } from '../look/download.ts';
import { openWorker, type SessionFactory } from '../session/workerSession.ts';

/** Services outside the page. Tests pass other implementations. */
export interface Outside {
  openStore(): Promise<RunStore>;
  readonly openWorker: SessionFactory;
  readonly tabs: Tabs;
  /** Downloads a file. */
  readonly download: typeof download;
}

/** Returns the services of the browser. */
export function browser(): Outside {
  return { openStore: openRunStore, openWorker, tabs: new BrowserTabs(), download };
}

/** Messages between tabs about saved runs. */
export type TabMessage =
  | { readonly type: 'changed' }
  | { readonly type: 'removed'; readonly id: string; readonly name: string };

/** Coordination of the site's tabs in this browser. Only one tab continues a run, and all tabs list the same runs. */
export interface Tabs {
  /**
   * Requests to be the tab that continues a run.
   * @param onAcquired if another tab continues the run now, called when that tab has left the run
   * @returns true if this tab continues the run
   */
  lock(id: string, onAcquired: () => void): Promise<boolean>;
  /** Releases the locks of all runs except one. */
  releaseExcept(id: string): void;
  /** Sends a message to the other tabs. */
  broadcast(message: TabMessage): void;
  listen(listener: (message: TabMessage) => void): void;
}

const CHANNEL = 'turnwise-runs';
/** Time to wait for a held lock. A page that is reloaded releases its lock shortly after the new page requests it. */
const WAIT_MS = 600;

/** Requested lock of a run. The tab may acquire it immediately, after another tab releases it, or never. */
class RunLock {
  mine = false;
  /** Resolves to true if the tab acquires the lock immediately or within WAIT_MS, otherwise to false. */
  readonly acquisition: Promise<boolean>;
  private readonly left = new AbortController();

  constructor(
    private readonly locks: LockManager,
    private readonly name: string,
    private readonly onAcquired: () => void,
  ) {
    // The browser may refuse locks to a frame of another origin. It then refuses storage as well.
    this.acquisition = this.free().catch(() => true);
  }

  /** Requests the lock without waiting for its holder. The limit WAIT_MS does not apply to a slow browser. */
  private free(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const acquire = (lock: Lock | null) => {
        resolve(lock ? true : this.left.signal.aborted ? false : this.wait());
        return lock ? this.acquire() : undefined;
      };
      this.locks.request(this.name, { ifAvailable: true }, acquire).catch(reject);
    });
  }

  /** Waits for a lock that another tab holds. */
  private wait(): Promise<boolean> {
    const { signal } = this.left;
    return new Promise((resolve) => {
      let late = false;
      const acquire = () => {
        const promise = this.acquire();
        resolve(true);
        if (late && this.mine) this.onAcquired();
        return promise;
      };
      this.locks.request(this.name, { signal }, acquire).catch(() => resolve(true));
      setTimeout(() => {
        late = true;
        resolve(false);
      }, WAIT_MS);
    });
  }

  /** Returns a promise that holds the lock until `leave` is called. */
  private acquire(): Promise<void> | undefined {
    const { signal } = this.left;
    if (signal.aborted) return undefined;
    this.mine = true;
    return new Promise<void>((leave) => signal.addEventListener('abort', () => leave()));
  }

  leave(): void {
    this.mine = false;
    this.left.abort();
  }
}

/**
 * Coordination by the Web Locks API and a BroadcastChannel. If a browser has no locks (on plain http), each tab can
 * continue each run. Storage then refuses states that would overwrite the state of another tab.
 */
export class BrowserTabs implements Tabs {
  private readonly lockById = new Map<string, RunLock>();
  private channel: BroadcastChannel | undefined;

  lock(id: string, onAcquired: () => void): Promise<boolean> {
    const { locks } = navigator as Partial<Navigator>;
    if (!locks) return Promise.resolve(true);
    const runLock = this.lockById.get(id) ?? new RunLock(locks, `turnwise-run-${id}`, onAcquired);
    this.lockById.set(id, runLock);
    return runLock.mine ? Promise.resolve(true) : runLock.acquisition;
  }

  releaseExcept(id: string): void {
    for (const [key, runLock] of this.lockById) {
      if (key === id) continue;
      this.lockById.delete(key);
      runLock.leave();
    }
  }

  broadcast(message: TabMessage): void {
    this.channel?.postMessage(message);
  }

  listen(listener: (message: TabMessage) => void): void {
    if (typeof BroadcastChannel === 'undefined') return;
    this.channel ??= new BroadcastChannel(CHANNEL);
    this.channel.onmessage = (event: MessageEvent<TabMessage>) => listener(event.data);
  }
}
