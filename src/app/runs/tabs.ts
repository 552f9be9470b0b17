/** Messages between tabs about saved runs. */
export type TabMessage =
  | { readonly type: 'changed' }
  | { readonly type: 'removed'; readonly id: string; readonly name: string };

/** The tabs of this site in this browser. One tab continues a run, and all tabs list the same runs. */
export interface Tabs {
  /**
   * Requests to be the tab that continues a run.
   * @param onAcquired if another tab continues the run now, called when that tab has left the run
   * @returns true if this tab continues the run
   */
  lock(id: string, onAcquired: () => void): Promise<boolean>;
  /** Leaves every run but this one to others. */
  releaseExcept(id: string): void;
  /** Sends a message to the other tabs. */
  broadcast(message: TabMessage): void;
  listen(listener: (message: TabMessage) => void): void;
  /** Leaves all runs, and receives no more messages. */
  close(): void;
}

const CHANNEL = 'turnwise-runs';
/** A page that is being reloaded leaves its run a moment after the new one asks for it. */
const WAIT_MS = 600;

/** A requested lock. This tab receives it immediately, soon, later, or never. */
class RunLock {
  mine = false;
  /** Resolves to true if this tab received the lock immediately, or a moment after another tab was seen to hold it. */
  readonly acquisition: Promise<boolean>;
  private readonly left = new AbortController();

  constructor(
    private readonly locks: LockManager,
    private readonly name: string,
    private readonly onAcquired: () => void,
  ) {
    // A frame of another origin may be refused locks altogether; storage refuses it as well.
    this.acquisition = this.free().catch(() => true);
  }

  /** However long the browser takes to answer: no time passes for a tab that has the run to itself. */
  private free(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const acquire = (lock: Lock | null) => {
        resolve(lock ? true : this.left.signal.aborted ? false : this.wait());
        return lock ? this.acquire() : undefined;
      };
      this.locks.request(this.name, { ifAvailable: true }, acquire).catch(reject);
    });
  }

  /** Another tab holds it. */
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

  /** Held until it is left. */
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
 * Tabs that use the browser: a lock for each run, and a channel. If a browser has no locks (on plain http), every tab
 * can continue each run, and storage refuses states that would overwrite another tab's state.
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

  close(): void {
    this.releaseExcept('');
    this.channel?.close();
    this.channel = undefined;
  }
}
