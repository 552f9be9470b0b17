import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { isCancelled, smokeOptions, TRAINING, watchErrors } from '../../../scripts/smokePage.mjs';
import { strings } from '../../../src/app/strings/strings.ts';

describe('smokeOptions', () => {
  test('smokeOptions without options selects Chromium and a page that is built for the test', () => {
    expect(smokeOptions([])).toEqual({ engine: 'chromium', site: undefined });
  });

  test('smokeOptions reads the engine and the folder of a built page', () => {
    const options = smokeOptions(['--browser', 'webkit', '--site', 'dist']);
    expect(options).toEqual({ engine: 'webkit', site: 'dist' });
  });

  test('smokeOptions throws an error for an unknown engine or option', () => {
    expect(() => smokeOptions(['--browser', 'opera'])).toThrow(/"opera" is none; known: chromium, firefox, webkit/);
    expect(() => smokeOptions(['--loud'])).toThrow(/--loud[\s\S]*npm run smoke/);
  });
});

test('TRAINING matches the status of a training page from its second update on', () => {
  const isTraining = (step: number) =>
    TRAINING.test(`${strings.status.playing} · ${strings.status.step(String(step))}`);
  expect([0, 1, 2, 10, 21].map(isTraining)).toEqual([false, false, true, true, true]);
});

describe('watchErrors', () => {
  test('watchErrors records console errors, exceptions and failed requests, and omits cancelled requests', () => {
    const page = new EventEmitter();
    const errors: string[] = [];
    watchErrors(page as never, errors);
    const message = (type: string) => ({ type: () => type, text: () => 'oh', location: () => ({ url: 'a.js' }) });
    const request = (errorText: string) => ({ url: () => 'b.js', failure: () => ({ errorText }) });
    page.emit('console', message('warning'));
    page.emit('console', message('error'));
    page.emit('pageerror', new Error('no'));
    page.emit('requestfailed', request('net::ERR_ABORTED'));
    page.emit('requestfailed', request('net::ERR_CONNECTION_REFUSED'));
    expect(errors).toEqual(['console: oh (a.js)', 'uncaught: no', 'request: b.js net::ERR_CONNECTION_REFUSED']);
  });

  test.each(['net::ERR_ABORTED', 'NS_BINDING_ABORTED', 'Load request cancelled'])(
    'isCancelled recognizes %s',
    (reason) => {
      expect(isCancelled(reason)).toBe(true);
      expect(isCancelled('NS_ERROR_CONNECTION_REFUSED')).toBe(false);
    },
  );
});
