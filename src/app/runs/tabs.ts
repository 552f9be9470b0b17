/** Messages between tabs about saved runs. */
export type TabMessage =
  | { readonly type: 'changed' }
  | { readonly type: 'removed'; readonly id: string; readonly name: string };

/** The tabs of this site in this browser. One tab continues a run, and all tabs list the same runs. */
export interface Tabs {
  /**
   * Requests to be the tab that continues a run.
   * @param later if another tab continues the run now, called when that tab has left the run
   * @returns true if this tab continues the run
   */
  hold(id: string, later: () => void): Promise<boolean>;
  /** Leaves every run but this one to others. */
  keepOnly(id: string): void;
  /** Sends a message to the other tabs. */
  tell(message: TabMessage): void;
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
  readonly soon: Promise<boolean>;
  private readonly left = new AbortController();

  constructor(
    private readonly locks: LockManager,
    private readonly name: string,
    private readonly later: () => void,
  ) {
    // A frame of another origin may be refused locks altogether; storage refuses it as well.
    this.soon = this.free().catch(() => true);
  }

  /** However long the browser takes to answer: no time passes for a tab that has the run to itself. */
  private free(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const take = (lock: Lock | null) => {
        resolve(lock ? true : this.left.signal.aborted ? false : this.wait());
        return lock ? this.take() : undefined;
      };
      this.locks.request(this.name, { ifAvailable: true }, take).catch(reject);
    });
  }

  /** Another tab holds it. */
  private wait(): Promise<boolean> {
    const { signal } = this.left;
    return new Promise((resolve) => {
      let late = false;
      const take = () => {
        const promise = this.take();
        resolve(true);
        if (late && this.mine) this.later();
        return promise;
      };
      this.locks.request(this.name, { signal }, take).catch(() => resolve(true));
      setTimeout(() => {
        late = true;
        resolve(false);
      }, WAIT_MS);
    });
  }

  /** Held until it is left. */
  private take(): Promise<void> | undefined {
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
  private readonly asked = new Map<string, RunLock>();
  private channel: BroadcastChannel | undefined;

  hold(id: string, later: () => void): Promise<boolean> {
    const { locks } = navigator as Partial<Navigator>;
    if (!locks) return Promise.resolve(true);
    const hold = this.asked.get(id) ?? new RunLock(locks, `turnwise-run-${id}`, later);
    this.asked.set(id, hold);
    return hold.mine ? Promise.resolve(true) : hold.soon;
  }

  keepOnly(id: string): void {
    for (const [key, hold] of this.asked) {
      if (key === id) continue;
      this.asked.delete(key);
      hold.leave();
    }
  }

  tell(message: TabMessage): void {
    this.channel?.postMessage(message);
  }

  listen(listener: (message: TabMessage) => void): void {
    if (typeof BroadcastChannel === 'undefined') return;
    this.channel ??= new BroadcastChannel(CHANNEL);
    this.channel.onmessage = (event: MessageEvent<TabMessage>) => listener(event.data);
  }

  close(): void {
    this.keepOnly('');
    this.channel?.close();
    this.channel = undefined;
  }
}
