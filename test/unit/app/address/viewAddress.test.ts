import type { ReactiveControllerHost } from 'lit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readViewAddress, ViewController, writeViewAddress } from '../../../../src/app/address/viewAddress.ts';

describe('the view of an address', () => {
  test.each([
    ['', 'play', [], false],
    ['#', 'play', [], false],
    ['#main', 'play', [], false],
    ['#curves', 'play', [], false],
    ['#play', 'play', [], true],
    ['#learn', 'learn', [], true],
    ['#learn/', 'learn', [], true],
    ['#learn/tool-dies', 'learn', ['tool-dies'], true],
    ['#learn/tool-dies/peer', 'learn', ['tool-dies', 'peer'], true],
    ['#learning', 'play', [], false],
  ] as const)('the hash %j opens the view %s', (hash, page, path, named) => {
    expect(readViewAddress(hash)).toEqual({ view: page, path, named });
  });

  test('a written view address is read as the same view and path', () => {
    expect(readViewAddress(writeViewAddress('learn', 'tool-dies', 'college'))).toMatchObject({
      path: ['tool-dies', 'college'],
    });
    expect(writeViewAddress('play')).toBe('#play');
  });
});

describe('the controller of the view', () => {
  const page = { hash: '#learn/one-reward', pathname: '/', search: '' };

  beforeEach(() => {
    const target = new EventTarget();
    page.hash = '#learn/one-reward';
    vi.stubGlobal('location', page);
    vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
    vi.stubGlobal('dispatchEvent', target.dispatchEvent.bind(target));
    vi.stubGlobal('history', {
      state: null,
      replaceState: (_: unknown, __: string, address: string) => {
        page.hash = address.slice(address.indexOf('#'));
      },
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  function open() {
    const visited: string[] = [];
    const host = { addController() {}, requestUpdate() {} } as unknown as ReactiveControllerHost;
    const controller = new ViewController(host, () => visited.push(controller.at.path.join('/')));
    controller.hostConnected();
    const go = (hash: string) => {
      page.hash = hash;
      dispatchEvent(new Event('hashchange'));
    };
    return { visited, controller, go };
  }

  test('opening another page of the current view counts as navigation', () => {
    const { visited, go } = open();
    go('#learn/tool-dies');
    go('#learn');
    go('#learn');
    go('#lab');
    expect(visited).toEqual(['tool-dies', '', '']);
  });

  test('replacing the address of the current page does not count as navigation', () => {
    const { visited, controller } = open();
    controller.replace('#learn/one-reward/engineer');
    expect(controller.at.path).toEqual(['one-reward', 'engineer']);
    expect(page.hash).toBe('#learn/one-reward/engineer');
    expect(visited).toEqual([]);
  });
});
