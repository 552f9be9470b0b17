import type { ReactiveControllerHost } from 'lit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultConfiguration } from '../../../../src/app/address/pageTables.ts';
import { UrlController } from '../../../../src/app/address/urlController.ts';

const base = defaultConfiguration();

describe('the page address', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    visit('https://host/page/?rule=mt-grpo');
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  /** Opens an address like a browser, with the history state that a page saved for it or without a state. */
  function visit(address: string, state: unknown = null) {
    const history = {
      state,
      replaceState: vi.fn((next: unknown, _: string, href: string) => visit(href, structuredClone(next))),
      pushState: vi.fn((next: unknown, _: string, href: string) => visit(href, structuredClone(next))),
    };
    vi.stubGlobal('location', new URL(address));
    vi.stubGlobal('history', history);
    return history;
  }

  const open = () => new UrlController({ addController() {}, requestUpdate() {} } as unknown as ReactiveControllerHost);
  const written = () => vi.advanceTimersByTime(500);

  test('the page address identifies the run that wrote it, including after a reload', () => {
    const first = open();
    expect(first.runId).toBeUndefined();
    first.show({ ...base, seed: 7 }, 'a');
    written();
    expect(location.href).toBe('https://host/page/?v=1&rule=mt-grpo&seed=7');
    expect(open().runId).toBe('a');
  });

  test('the page address identifies the next run if two runs have the same link', () => {
    const url = open();
    url.show(base, 'a');
    written();
    url.show(base, 'b');
    written();
    expect(open().runId).toBe('b');
  });

  test('an unchanged address is written once, and the history state of other code is preserved', () => {
    const history = visit('https://host/', { other: 1 });
    const url = open();
    for (let frame = 0; frame < 3; frame++) {
      url.show({ ...base }, 'a');
      written();
    }
    expect(history.replaceState).toHaveBeenCalledTimes(1);
    expect(globalThis.history.state).toMatchObject({ other: 1 });
  });

  test('a pending address is written when the removed page is added again, and not before', () => {
    vi.stubGlobal('window', { addEventListener() {}, removeEventListener() {} });
    const url = open();
    url.hostConnected();
    url.show({ ...base, seed: 7 }, 'a');
    url.hostDisconnected();
    written();
    expect(location.search).not.toContain('seed=7');
    url.hostConnected();
    written();
    expect(location.search).toContain('seed=7');
    url.show({ ...base, seed: 8 }, 'a');
    written();
    expect(location.search).toContain('seed=8');
  });

  test('an address that the user typed or edited identifies no run', () => {
    const url = open();
    url.show(base, 'a');
    written();
    const { state } = history;
    visit(`${location.href}&klCoef=0.5`, state);
    expect(open().runId).toBeUndefined();
    visit('https://host/?seed=3', 'something of another page');
    expect(open().runId).toBeUndefined();
  });

  test('the page address still identifies its run if the view changes before a run starts', () => {
    open().show(base, 'a');
    written();
    const url = open();
    url.setView({ ...url.view, embed: true }, base);
    written();
    expect(location.search).toContain('embed=1');
    expect(open().runId).toBe('a');
  });

  test('an address that the browser refuses to write remains unchanged without an exception', () => {
    const history = visit('https://host/');
    history.replaceState.mockImplementation(() => {
      throw new DOMException('sandboxed', 'SecurityError');
    });
    open().show(base, 'a');
    expect(written).not.toThrow();
  });

  describe('history entries of runs', () => {
    const travel = new EventTarget();
    const readState = () => ({ href: location.href, state: history.state as unknown });
    beforeEach(() => vi.stubGlobal('window', travel));

    /** Navigates back or forward to an address with its state. */
    function go({ href, state }: { href: string; state: unknown }) {
      visit(href, state);
      travel.dispatchEvent(new Event('popstate'));
    }

    test('a link to another view while a write is pending loads no run, and the address is still written', () => {
      const url = open();
      url.hostConnected();
      url.travelled = vi.fn();
      url.show({ ...base, seed: 7 }, 'a');
      go({ href: `${location.href}#lab/t4`, state: null });
      expect(url.travelled).not.toHaveBeenCalled();
      written();
      expect(location.href).toBe('https://host/page/?v=1&rule=mt-grpo&seed=7#lab/t4');
      url.hostDisconnected();
    });

    test('another run adds a separate history entry, and Back identifies the previous run', () => {
      const url = open();
      url.hostConnected();
      url.show({ ...base, seed: 7 }, 'a');
      url.enter({ ...base, seed: 8 }, 'b');
      const second = readState();
      expect(location.search).toBe('?v=1&rule=mt-grpo&seed=8');
      // The pending write belongs to the entry that is left.
      expect(url.runId).toBe('b');
      const travelled = vi.fn();
      url.travelled = travelled;
      go({
        href: 'https://host/page/?v=1&rule=mt-grpo&seed=7',
        state: { turnwise: { run: 'a', query: '?v=1&rule=mt-grpo&seed=7' } },
      });
      expect(travelled).toHaveBeenCalledTimes(1);
      expect([url.runId, url.reading.configuration.seed]).toEqual(['a', 7]);
      go(second);
      expect([url.runId, url.reading.configuration.seed]).toEqual(['b', 8]);
      url.hostDisconnected();
    });

    test('the history entry of the previous run stores the newest address of that run', () => {
      const first = visit('https://host/page/');
      const url = open();
      url.show({ ...base, seed: 7 }, 'a');
      url.enter({ ...base, seed: 8 }, 'b');
      expect(first.replaceState).toHaveBeenCalledWith(
        { turnwise: { run: 'a', query: '?v=1&rule=mt-grpo&seed=7' } },
        '',
        'https://host/page/?v=1&rule=mt-grpo&seed=7',
      );
    });

    test('after Back, no data of the run that the user left is written into the opened history entry', () => {
      const url = open();
      url.hostConnected();
      url.enter({ ...base, seed: 8 }, 'b');
      url.show({ ...base, seed: 9 }, 'b');
      go({ href: 'https://host/page/?rule=grpo-or', state: null });
      const history = globalThis.history;
      written();
      expect(history.replaceState).not.toHaveBeenCalled();
      url.hostDisconnected();
    });

    test('a link to a position on the same page opens no other run', () => {
      const url = open();
      url.hostConnected();
      url.enter(base, 'a');
      url.travelled = vi.fn();
      const here = readState();
      go({ href: `${location.href}#main`, state: null });
      go(here);
      expect(url.travelled).not.toHaveBeenCalled();
      expect(url.runId).toBe('a');
      url.hostDisconnected();
    });
  });
});
