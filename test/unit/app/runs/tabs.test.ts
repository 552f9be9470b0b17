import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BrowserTabs } from '../../../../src/app/runs/outside.ts';

type LockCallback = (lock: object | null) => Promise<void> | undefined;

/** Locks of a browser that responds to each request after `answerMs` [ms]. */
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

test('a run that no other tab has locked belongs to this tab, regardless of the delay of the browser', async () => {
  const tab = browserWith(new Locks(5_000))();
  const callback = vi.fn();
  const mine = tab.lock('a', callback);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await mine).toBe(true);
  expect(callback).not.toHaveBeenCalled();
});

test('a run of another tab is reported as locked, and this tab receives the lock when it is released', async () => {
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

test('a reloaded page locks its run as soon as the previous page releases it', async () => {
  const open = browserWith(new Locks(10));
  const [before, after] = [open(), open()];
  void before.lock('a', () => {});
  await vi.advanceTimersByTimeAsync(50);
  const callback = vi.fn();
  const mine = after.lock('a', callback);
  await vi.advanceTimersByTimeAsync(200);
  before.releaseExcept('');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await mine).toBe(true);
  expect(callback).not.toHaveBeenCalled();
});

test('a pending lock request of a run that the tab leaves is not granted', async () => {
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

test('if the browser rejects or lacks locks, a run belongs to this tab', async () => {
  vi.stubGlobal('navigator', { locks: { request: () => Promise.reject(new Error('no locks here')) } });
  expect(await new BrowserTabs().lock('a', () => {})).toBe(true);
  vi.stubGlobal('navigator', {});
  expect(await new BrowserTabs().lock('a', () => {})).toBe(true);
});
