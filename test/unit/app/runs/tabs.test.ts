import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BrowserTabs } from '../../../../src/app/runs/tabs.ts';

type LockCallback = (lock: object | null) => Promise<void> | undefined;

/** The locks of a browser, which answers every question after `answerMs`. */
class Locks {
  private readonly held = new Set<string>();
  private readonly waiting: { readonly name: string; readonly take: LockCallback; readonly signal?: AbortSignal }[] =
    [];

  constructor(private readonly answerMs: number) {}

  async request(
    name: string,
    options: { ifAvailable?: boolean; signal?: AbortSignal },
    take: LockCallback,
  ): Promise<void> {
    await new Promise((answer) => setTimeout(answer, this.answerMs));
    if (!this.held.has(name)) await this.give(name, take);
    else if (options.ifAvailable) await take(null);
    else this.waiting.push({ name, take, ...(options.signal ? { signal: options.signal } : {}) });
  }

  private async give(name: string, take: LockCallback): Promise<void> {
    this.held.add(name);
    await take({});
    this.held.delete(name);
    const next = this.waiting.findIndex((entry) => entry.name === name && !entry.signal?.aborted);
    const [request] = next < 0 ? [] : this.waiting.splice(next, 1);
    if (request) await this.give(name, request.take);
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

test('a run that no other tab has is this one at once, however long the browser takes to say so', async () => {
  const tab = browserWith(new Locks(5_000))();
  const callback = vi.fn();
  const mine = tab.hold('a', callback);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await mine).toBe(true);
  expect(callback).not.toHaveBeenCalled();
});

test('a run of another tab is reported as such, and passes to this tab when the other tab leaves it', async () => {
  const open = browserWith(new Locks(10));
  const [first, second] = [open(), open()];
  const callback = vi.fn();
  const held = first.hold('a', () => {});
  await vi.advanceTimersByTimeAsync(50);
  expect(await held).toBe(true);
  const attempt = second.hold('a', callback);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await attempt).toBe(false);
  first.keepOnly('b');
  await vi.advanceTimersByTimeAsync(50);
  expect(callback).toHaveBeenCalledOnce();
  expect(await second.hold('a', callback)).toBe(true);
});

test('a page that is reloaded has its run as soon as the page before has left it', async () => {
  const open = browserWith(new Locks(10));
  const [before, after] = [open(), open()];
  void before.hold('a', () => {});
  await vi.advanceTimersByTimeAsync(50);
  const callback = vi.fn();
  const mine = after.hold('a', callback);
  await vi.advanceTimersByTimeAsync(200);
  before.close();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await mine).toBe(true);
  expect(callback).not.toHaveBeenCalled();
});

test('a run that is left while it is being requested is not taken', async () => {
  const open = browserWith(new Locks(10));
  const [first, second] = [open(), open()];
  void first.hold('a', () => {});
  await vi.advanceTimersByTimeAsync(50);
  const callback = vi.fn();
  void second.hold('a', callback);
  await vi.advanceTimersByTimeAsync(1_000);
  second.keepOnly('b');
  first.keepOnly('b');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(callback).not.toHaveBeenCalled();
  const third = open().hold('a', callback);
  await vi.advanceTimersByTimeAsync(50);
  expect(await third).toBe(true);
});

test('if a browser refuses locks, a run belongs to this tab and no other tab is contacted', async () => {
  vi.stubGlobal('navigator', { locks: { request: () => Promise.reject(new Error('no locks here')) } });
  expect(await new BrowserTabs().hold('a', () => {})).toBe(true);
  vi.stubGlobal('navigator', {});
  expect(await new BrowserTabs().hold('a', () => {})).toBe(true);
});
