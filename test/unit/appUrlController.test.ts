import type { ReactiveControllerHost } from 'lit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultConfiguration } from '../../src/app/tables.ts';
import { UrlController } from '../../src/app/urlController.ts';

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

  /** Stands at an address as a browser would: with what a page left there, or with nothing. */
  function visit(address: string, state: unknown = null) {
    const history = {
      state,
      replaceState: vi.fn((next: unknown, _: string, href: string) => visit(href, structuredClone(next))),
    };
    vi.stubGlobal('location', new URL(address));
    vi.stubGlobal('history', history);
    return history;
  }

  const open = () => new UrlController({ addController() {}, requestUpdate() {} } as unknown as ReactiveControllerHost);
  const written = () => vi.advanceTimersByTime(500);

  test('tells which run wrote it, after a reload as well', () => {
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

  test('that may not be written is left alone', () => {
    const history = visit('https://host/');
    history.replaceState.mockImplementation(() => {
      throw new DOMException('sandboxed', 'SecurityError');
    });
    open().show(base, 'a');
    expect(written).not.toThrow();
  });
});
