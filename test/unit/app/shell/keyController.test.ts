import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KeyController, type KeyRun, ruleKeys } from '../../../../src/app/shell/keyController.ts';
import { ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { ENVIRONMENT_NAMES, type EnvironmentName } from '../../../../src/training/data/configuration.ts';
import { OFFERED } from '../../../../src/training/data/configurationTables.ts';
import type { Status } from '../../../../src/training/data/protocol.ts';

/** Element with only the members that the key controller uses. */
class FakeElement {
  constructor(
    readonly id: string,
    private readonly written = false,
  ) {}

  matches(): boolean {
    return this.written;
  }
}

const body = new FakeElement('');
const button = new FakeElement('b');
const field = new FakeElement('f', true);

/** Opens a page with a run, and records the actions of its keys. */
function open(status: Status = 'playing', { embed = false, environment = 'search' as EnvironmentName } = {}) {
  const window = new EventTarget();
  vi.stubGlobal('window', window);
  const done: string[] = [];
  const run: KeyRun = {
    session: { model: { status, configuration: { environment } } },
    url: { view: { embed } },
    transport: (type) => done.push(type),
    change: ({ rule }) => done.push(String(rule)),
  };
  const controllers: ReactiveController[] = [];
  const host = { addController: (controller: ReactiveController) => controllers.push(controller), requestUpdate() {} };
  const keys = new KeyController(host as unknown as ReactiveControllerHost, run);
  for (const controller of controllers) controller.hostConnected?.();
  const press = (key: string, target: FakeElement = body, more = {}) => {
    const event = Object.assign(new Event('keydown', { cancelable: true }), {
      ...{ key, ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, repeat: false },
      ...more,
      composedPath: () => [target],
    });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  return { done, keys, press };
}

beforeEach(() => {
  vi.stubGlobal('Element', FakeElement);
  vi.stubGlobal('document', { body, documentElement: new FakeElement('html') });
});
afterEach(() => void vi.unstubAllGlobals());

describe('keys', () => {
  test('Space plays and pauses, ArrowRight performs one update, and neither key scrolls the page', () => {
    const running = open('playing');
    expect([running.press(' '), running.press('ArrowRight')]).toEqual([true, true]);
    expect(running.done).toEqual(['pause', 'step']);
    const paused = open('paused');
    paused.press(' ');
    expect(paused.done).toEqual(['play']);
  });

  test('digit keys select a rule: first the rules of the switch, then the other rules', () => {
    const { done, press } = open();
    for (const key of ['1', '2', '3', '4']) press(key);
    const { pinned } = ENVIRONMENTS.search;
    const offered = OFFERED.search;
    expect(done.slice(0, 3)).toEqual(pinned);
    expect(offered).toContain(done[3]);
    expect(pinned).not.toContain(done[3]);
  });

  test.each(ENVIRONMENT_NAMES)('%s: every rule with a key is offered, and no rule has two keys', (environment) => {
    const rules = ruleKeys(environment);
    expect(new Set(rules).size).toBe(rules.length);
    for (const rule of rules) expect(OFFERED[environment]).toContain(rule);
    expect(rules.length).toBe(Math.min(9, OFFERED[environment].length));
  });

  test('a focused button receives Space and arrow keys, and a focused field receives all keys', () => {
    const { done, press } = open();
    expect([' ', 'ArrowRight'].map((key) => press(key, button))).toEqual([false, false]);
    expect([' ', 'ArrowRight', '1'].map((key) => press(key, field))).toEqual([false, false, false]);
    expect(done).toEqual([]);
    press('2', button);
    expect(done).toEqual([ENVIRONMENTS.search.pinned[1]]);
  });

  test('a key has no effect with a modifier, on repeat, without a rule, during loading or in a frame', () => {
    const { done, press } = open();
    for (const modifier of ['ctrlKey', 'altKey', 'metaKey', 'shiftKey', 'repeat'])
      press(' ', body, { [modifier]: true });
    press('0');
    press('a');
    const loading = open('loading');
    loading.press(' ');
    const framed = open('playing', { embed: true });
    for (const key of [' ', '1']) framed.press(key);
    expect([done, loading.done, framed.done]).toEqual([[], [], []]);
  });

  test('the keys of the page can be switched off and on', () => {
    const { done, keys, press } = open();
    keys.turn(false);
    expect([keys.on, press(' ')]).toEqual([false, false]);
    keys.turn(true);
    press(' ');
    expect(done).toEqual(['pause']);
  });
});
