import type { ReactiveControllerHost } from 'lit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultConfiguration } from '../../../../src/app/address/pageTables.ts';
import { UrlController } from '../../../../src/app/address/urlController.ts';

const base = defaultConfiguration();

describe('the address of the page', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    visit('https://host/page/?rule=mt-grpo');
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  /** Opens an address as a browser does: with the state that a page left there, or without a state. */
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

  test('the address identifies the run that wrote it, also after a reload', () => {
    const first = open();
    expect(first.runId).toBeUndefined();
    first.show({ ...base, seed: 7 }, 'a');
    written();
    expect(location.href).toBe('https://host/page/?v=1&rule=mt-grpo&seed=7');
    expect(open().runId).toBe('a');
  });

  test('belongs to the next run although both have the same link', () => {
    const url = open();
    url.show(base, 'a');
    written();
    url.show(base, 'b');
    written();
    expect(open().runId).toBe('b');
  });

  test('is written once for what does not change, and keeps what others left there', () => {
    const history = visit('https://host/', { other: 1 });
    const url = open();
    for (let frame = 0; frame < 3; frame++) {
      url.show({ ...base }, 'a');
      written();
    }
    expect(history.replaceState).toHaveBeenCalledTimes(1);
    expect(globalThis.history.state).toMatchObject({ other: 1 });
  });

  test('that waited when the page was removed is written when the page is added again, and not before', () => {
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

  test('that was typed or edited belongs to no run', () => {
    const url = open();
    url.show(base, 'a');
    written();
    const { state } = history;
    visit(`${location.href}&klCoef=0.5`, state);
    expect(open().runId).toBeUndefined();
    visit('https://host/?seed=3', 'something of another page');
    expect(open().runId).toBeUndefined();
  });

  test('keeps its run when the view changes before a run has begun', () => {
    open().show(base, 'a');
    written();
    const url = open();
    url.setView({ ...url.view, embed: true }, base);
    written();
    expect(location.search).toContain('embed=1');
    expect(open().runId).toBe('a');
  });

  test('that must not be written is unchanged', () => {
    const history = visit('https://host/');
    history.replaceState.mockImplementation(() => {
      throw new DOMException('sandboxed', 'SecurityError');
    });
    open().show(base, 'a');
    expect(written).not.toThrow();
  });

  describe('where another run begins', () => {
    const travel = new EventTarget();
    const readState = () => ({ href: location.href, state: history.state as unknown });
    beforeEach(() => vi.stubGlobal('window', travel));

    /** Navigates back or forward to an address with its state. */
    function go({ href, state }: { href: string; state: unknown }) {
      visit(href, state);
      travel.dispatchEvent(new Event('popstate'));
    }

    test('a link to another view while a write is pending loads no run, and the write follows', () => {
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

    test('leaves the address before it as that run was last', () => {
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

    test('no data of the run that was left is written into the entry that Back opened', () => {
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

    test('a position on the same page is not another run', () => {
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
