/** What tabs tell one another about kept runs. */
export type TabMessage =
  | { readonly type: 'changed' }
  | { readonly type: 'removed'; readonly id: string; readonly name: string };

/** The tabs of this site in this browser: one of them goes on with a run, and all of them list the same runs. */
export interface Tabs {
  /**
   * Asks to be the tab that goes on with a run.
   * @param later is called where another tab does so now, when that one has left the run
   * @returns whether this tab is it
   */
  hold(id: string, later: () => void): Promise<boolean>;
  /** Leaves every run but this one to others. */
  keepOnly(id: string): void;
  /** Tells the other tabs. */
  tell(message: TabMessage): void;
  listen(hear: (message: TabMessage) => void): void;
  /** Leaves all runs, and hears nothing more. */
  close(): void;
}

const CHANNEL = 'turnwise-runs';
/** A page that is being reloaded leaves its run a moment after the new one asks for it. */
const WAIT_MS = 600;

/** A lock that was asked for: it is this tab's at once, soon, later, or never. */
class Hold {
  mine = false;
  /** Whether it was this tab's at once, or a moment after another tab was seen to hold it. */
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
        const held = this.take();
        resolve(true);
        if (late && this.mine) this.later();
        return held;
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
 * Tabs by way of the browser: a lock for each run, and a channel. Where a browser has no locks (on plain http), every tab
 * is told that a run is its own, and storage refuses what would overwrite another tab's state.
 */
export class BrowserTabs implements Tabs {
  private readonly asked = new Map<string, Hold>();
  private channel: BroadcastChannel | undefined;

  hold(id: string, later: () => void): Promise<boolean> {
    const { locks } = navigator as Partial<Navigator>;
    if (!locks) return Promise.resolve(true);
    const hold = this.asked.get(id) ?? new Hold(locks, `turnwise-run-${id}`, later);
    this.asked.set(id, hold);
    return hold.mine ? Promise.resolve(true) : hold.soon;
  }

  keepOnly(id: string): void {
    for (const [other, hold] of this.asked) {
      if (other === id) continue;
      this.asked.delete(other);
      hold.leave();
    }
  }

  tell(message: TabMessage): void {
    this.channel?.postMessage(message);
  }

  listen(hear: (message: TabMessage) => void): void {
    if (typeof BroadcastChannel === 'undefined') return;
    this.channel ??= new BroadcastChannel(CHANNEL);
    this.channel.onmessage = (event: MessageEvent<TabMessage>) => hear(event.data);
  }

  close(): void {
    this.keepOnly('');
    this.channel?.close();
    this.channel = undefined;
  }
}
