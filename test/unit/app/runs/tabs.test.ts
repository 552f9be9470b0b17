import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BrowserTabs } from '../../../../src/app/runs/tabs.ts';

type LockCallback = (lock: object | null) => Promise<void> | undefined;

/** The locks of a browser, which answers every question after `answerMs`. */
class Locks {
  private readonly held = new Set<string>();
  private readonly waiting: {
    readonly name: string;
    readonly callback: LockCallback;
    readonly signal?: AbortSignal;
  }[] = [];

  constructor(private readonly answerMs: number) {}

  async request(
    name: string,
    options: { ifAvailable?: boolean; signal?: AbortSignal },
    callback: LockCallback,
  ): Promise<void> {
    await new Promise((answer) => setTimeout(answer, this.answerMs));
    if (!this.held.has(name)) await this.grant(name, callback);
    else if (options.ifAvailable) await callback(null);
    else this.waiting.push({ name, callback, ...(options.signal ? { signal: options.signal } : {}) });
  }

  private async grant(name: string, callback: LockCallback): Promise<void> {
    this.held.add(name);
    await callback({});
    this.held.delete(name);
    const next = this.waiting.findIndex((entry) => entry.name === name && !entry.signal?.aborted);
    const [request] = next < 0 ? [] : this.waiting.splice(next, 1);
    if (request) await this.grant(name, request.callback);
  }
}

function browserWith(locks: Locks): () => BrowserTabs {
  vi.stubGlobal('navigator', { locks });
  return () => new BrowserTabs();
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a run that no other tab has belongs to this tab immediately, regardless of the delay of the browser', async () => {
  const tab = browserWith(new Locks(5_000))();
  const callback = vi.fn();
  const mine = tab.lock('a', callback);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await mine).toBe(true);
  expect(callback).not.toHaveBeenCalled();
});

test('a run of another tab is reported as such, and passes to this tab when the other tab leaves it', async () => {
  const open = browserWith(new Locks(10));
  const [first, second] = [open(), open()];
  const callback = vi.fn();
  const held = first.lock('a', () => {});
  await vi.advanceTimersByTimeAsync(50);
  expect(await held).toBe(true);
  const attempt = second.lock('a', callback);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await attempt).toBe(false);
  first.releaseExcept('b');
  await vi.advanceTimersByTimeAsync(50);
  expect(callback).toHaveBeenCalledOnce();
  expect(await second.lock('a', callback)).toBe(true);
});

test('a page that is reloaded has its run as soon as the page before has left it', async () => {
  const open = browserWith(new Locks(10));
  const [before, after] = [open(), open()];
  void before.lock('a', () => {});
  await vi.advanceTimersByTimeAsync(50);
  const callback = vi.fn();
  const mine = after.lock('a', callback);
  await vi.advanceTimersByTimeAsync(200);
  before.close();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await mine).toBe(true);
  expect(callback).not.toHaveBeenCalled();
});

test('a run that is left while it is requested is not opened', async () => {
  const open = browserWith(new Locks(10));
  const [first, second] = [open(), open()];
  void first.lock('a', () => {});
  await vi.advanceTimersByTimeAsync(50);
  const callback = vi.fn();
  void second.lock('a', callback);
  await vi.advanceTimersByTimeAsync(1_000);
  second.releaseExcept('b');
  first.releaseExcept('b');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(callback).not.toHaveBeenCalled();
  const third = open().lock('a', callback);
  await vi.advanceTimersByTimeAsync(50);
  expect(await third).toBe(true);
});

test('if a browser refuses locks, a run belongs to this tab and no other tab is contacted', async () => {
  vi.stubGlobal('navigator', { locks: { request: () => Promise.reject(new Error('no locks here')) } });
  expect(await new BrowserTabs().lock('a', () => {})).toBe(true);
  vi.stubGlobal('navigator', {});
  expect(await new BrowserTabs().lock('a', () => {})).toBe(true);
});
