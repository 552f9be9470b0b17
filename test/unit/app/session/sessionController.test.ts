import type { ReactiveControllerHost } from 'lit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultConfiguration } from '../../../../src/app/address/pageTables.ts';
import { SessionController } from '../../../../src/app/session/sessionController.ts';
import type { Session } from '../../../../src/app/session/workerSession.ts';
import type { Command, Message, RunEvent } from '../../../../src/training/data/protocol.ts';
import { groupOf, metricsOf, savedRun } from '../appFixtures.ts';

const configuration = defaultConfiguration();
const ready = (step = 0): Message => ({
  type: 'ready',
  configuration,
  device: { engine: 'wgsl', name: 'D', software: false },
  step,
});
const metrics = (step: number): Message => ({ type: 'metrics', metrics: metricsOf(step) });

describe('the session of the page', () => {
  let frames: (() => void)[] = [];
  const frame = () => {
    for (const callback of frames.splice(0)) callback();
  };

  beforeEach(() => {
    frames = [];
    vi.stubGlobal('requestAnimationFrame', (callback: () => void) => frames.push(callback));
    vi.stubGlobal('cancelAnimationFrame', () => {
      frames = [];
    });
    vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  });
  afterEach(() => void vi.unstubAllGlobals());

  function open() {
    const requestUpdate = vi.fn();
    const host = { addController() {}, requestUpdate } as unknown as ReactiveControllerHost;
    const session = new SessionController(host, configuration);
    const sent: Command[] = [];
    let deliver: (message: Message) => void = () => {};
    session.open((listener) => {
      deliver = listener;
      return { send: (command) => sent.push(command), close() {} } satisfies Session;
    });
    return {
      session,
      sent,
      requestUpdate,
      send: (...messages: Message[]) => {
        for (const message of messages) deliver(message);
      },
    };
  }

  test('messages of one frame are applied together', () => {
    const { session, send, requestUpdate } = open();
    session.begin(configuration, { play: true });
    requestUpdate.mockClear();
    send(ready(), metrics(0), metrics(1), metrics(2));
    expect(session.model.metrics).toHaveLength(0);
    frame();
    expect(session.model.metrics).toHaveLength(3);
    expect(requestUpdate).toHaveBeenCalledTimes(1);
  });

  test('the session reports that its run trains from the request to the next pause or stop', () => {
    const { session, send } = open();
    expect(session.isTraining).toBe(true);
    session.begin(configuration, { play: false });
    // This status is from the previous run.
    send({ type: 'status', status: 'playing' });
    expect(session.isTraining).toBe(false);
    send(ready(), { type: 'status', status: 'paused' });
    session.send({ type: 'play' });
    expect(session.isTraining).toBe(true);
    send({ type: 'status', status: 'playing' }, { type: 'status', status: 'measuring' });
    expect(session.isTraining).toBe(true);
    send({ type: 'status', status: 'hidden' });
    expect(session.isTraining).toBe(true);
    send({ type: 'status', status: 'paused' });
    expect(session.isTraining).toBe(false);
    session.begin(configuration, { play: true });
    expect(session.isTraining).toBe(true);
    send({ type: 'status', status: 'stopped' });
    frame();
    expect(session.isTraining).toBe(false);
  });

  test('the session reports when the transfer of the previous run is complete', async () => {
    const { session, send } = open();
    const observed: string[] = [];
    const watch = (name: string) => void session.transferred.then(() => observed.push(name));
    const settle = async () => {
      for (let turn = 0; turn < 5; turn += 1) await undefined;
      return observed.splice(0);
    };
    session.begin(configuration, { play: true });
    send(ready(), { type: 'status', status: 'playing' }, metrics(0), metrics(1));
    frame();
    session.begin(configuration, { play: true });
    watch('by its last state');
    // The worker sent this state before the page requested the second run.
    send({ type: 'checkpoint', saved: savedRun({ step: 1 }) });
    expect(await settle()).toEqual([]);
    send({ type: 'status', status: 'loading' }, { type: 'checkpoint', saved: savedRun({ step: 2 }) });
    expect(await settle()).toEqual(['by its last state']);
    session.begin(configuration, { play: true });
    watch('without one');
    expect(await settle()).toEqual([]);
    send(ready());
    expect(await settle()).toEqual(['without one']);
    send(metrics(0), { type: 'checkpoint', saved: savedRun({ step: 1 }) }, { type: 'status', status: 'paused' });
    frame();
    session.begin(configuration, { play: true });
    watch('because it was paused');
    expect(await settle()).toEqual(['because it was paused']);
  });

  test('a sample is shown even if a group of the run arrives in the same frame or before the next frame', () => {
    const { session, send } = open();
    session.begin(configuration, { play: true });
    const group = (step: number, sampleOnly: boolean): Message => ({
      type: 'group',
      group: { ...groupOf(), step, sampleOnly },
    });
    send(ready(), group(0, false), group(1, true), group(1, false));
    frame();
    expect(session.model.group).toMatchObject({ step: 1, sampleOnly: true });
    send(group(2, false));
    frame();
    expect(session.model.group).toMatchObject({ step: 2, sampleOnly: false });
    send(metrics(0), group(3, true));
    frame();
    send(metrics(1), group(4, false));
    for (let at = 0; at < 3; at++) frame();
    expect(session.model.group).toMatchObject({ step: 3, sampleOnly: true });
  });

  test('a group is shown after the curves of its metrics are drawn, without waiting for later metrics', () => {
    const { session, send } = open();
    session.begin(configuration, { play: true });
    const nextGroup = { ...groupOf(), step: 1 };
    send(ready(), metrics(0), { type: 'group', group: groupOf() }, metrics(1), { type: 'group', group: nextGroup });
    frame();
    expect(session.model.metrics).toHaveLength(2);
    expect(session.model.group).toBeUndefined();
    frame();
    // Metrics arrive faster than frames.
    send(metrics(2), { type: 'group', group: { ...groupOf(), step: 2 } });
    expect(session.model.group).toBeUndefined();
    frame();
    expect(session.model.metrics).toHaveLength(3);
    expect(session.model.group?.step).toBe(2);
    // The next group waits again.
    send(metrics(3), { type: 'group', group: { ...groupOf(), step: 3 } });
    frame();
    expect([session.model.metrics.length, session.model.group?.step]).toEqual([4, 2]);
  });

  test('a waiting group is not lost if all messages are applied immediately', () => {
    const { session, send } = open();
    session.begin(configuration, { play: true });
    send(ready(), metrics(0), { type: 'group', group: groupOf() });
    frame();
    session.flush();
    expect(session.model.group).toBeDefined();
  });

  test('the session ignores late messages of the previous run, and storage receives its last state', () => {
    const { session, send } = open();
    session.begin(configuration, { play: true });
    send(ready(), metrics(0));
    frame();
    const received: [string, string][] = [];
    session.listen(({ type }, run) => received.push([type, run.id]));
    const first = session.id;
    session.begin({ ...configuration, seed: 2 }, { play: true });
    send(metrics(1), { type: 'group', group: groupOf() }, { type: 'checkpoint', saved: savedRun() });
    frame();
    const { step, metrics: curve, group, checkpoint } = session.model;
    expect([step, curve, group, checkpoint]).toEqual([0, [], undefined, undefined]);
    // Storage still receives the last state of the first run, under its id.
    expect(received.at(-1)).toEqual(['checkpoint', first]);
    send(ready(), metrics(0));
    frame();
    expect(session.model.metrics).toHaveLength(1);
    expect(received.at(-1)).toEqual(['metrics', session.id]);
    expect(session.id).not.toBe(first);
  });

  test('a manual change is shown before the worker confirms it', () => {
    const { session, sent } = open();
    session.begin(configuration, { play: true });
    session.change({ rule: 'grpo-or' });
    expect(session.model.controls.rule).toBe('grpo-or');
    expect(sent.at(-1)).toEqual({ type: 'change', changes: { rule: 'grpo-or' } });
  });

  test('a restart continues the same run from its last checkpoint', () => {
    const { session, sent, send } = open();
    session.begin(configuration, { play: true });
    // A worker's checkpoint has only the newest updates; the page received the other updates before.
    const saved = savedRun({ step: 3, metrics: [metricsOf(2)] });
    send(ready(), metrics(0), metrics(1), metrics(2), { type: 'checkpoint', saved }, metrics(3));
    const { id } = session;
    session.restart();
    expect(sent.at(-1)).toEqual({ type: 'start', configuration: saved.configuration, play: false, saved });
    expect(session.id).toBe(id);
    expect(session.model.metrics.map(({ step }) => step)).toEqual([0, 1, 2]);
  });

  test('a restart includes all changes since the last checkpoint, confirmed or not', () => {
    const { session, sent, send } = open();
    session.begin(configuration, { play: true });
    const event = (step: number, kind: RunEvent['kind'], changes: RunEvent['changes']): Message => ({
      type: 'event',
      event: { step, kind, changes, text: '' },
    });
    send(ready(), event(0, 'change', { alpha: 0.5 }));
    frame();
    send({ type: 'checkpoint', saved: savedRun({ events: session.model.events }) });
    send(metrics(1), event(2, 'change', { rule: 'grpo-or' }), metrics(2), event(3, 'stopped', {}));
    session.change({ klCoef: 0.1, rule: 'grpo-or' });
    session.restart();
    const start = sent.at(-1);
    if (start?.type !== 'start') throw new Error('no start');
    expect(start.saved?.events.map(({ step, kind, changes }) => [step, kind, changes])).toEqual([
      [0, 'change', { alpha: 0.5 }],
      [2, 'change', { rule: 'grpo-or' }],
      [3, 'change', { klCoef: 0.1 }],
    ]);
    expect(start.saved?.events.at(-1)?.text).toBe('klCoef: 0 → 0.1');
    expect(session.model.controls).toMatchObject({ alpha: 0.5, rule: 'grpo-or', klCoef: 0.1 });
    expect(session.model.link.schedule).toEqual([
      { step: 2, changes: { rule: 'grpo-or' } },
      { step: 3, changes: { klCoef: 0.1 } },
    ]);
  });

  test('a restart without a checkpoint starts from the first update, with the changes at their steps', () => {
    const { session, sent, send } = open();
    session.begin(configuration, { play: true });
    send(ready(), metrics(0), { type: 'event', event: { step: 1, kind: 'change', changes: { alpha: 0.5 }, text: '' } });
    session.restart();
    const schedule = [{ step: 1, changes: { alpha: 0.5 } }];
    const again = { ...configuration, engine: 'wgsl', schedule };
    expect(sent.at(-1)).toEqual({ type: 'start', configuration: again, play: false });
  });

  test('a moved element retains its session, and a removed element closes its session', async () => {
    const { session } = open();
    const close = vi.spyOn(session.session as Session, 'close');
    session.hostConnected();
    session.hostDisconnected();
    session.hostConnected();
    await Promise.resolve();
    expect(close).not.toHaveBeenCalled();
    expect(session.reopen()).toBe(false);
    session.hostDisconnected();
    await Promise.resolve();
    expect(close).toHaveBeenCalledTimes(1);
    expect(session.reopen()).toBe(true);
  });

  test('a worker receives only the newest updates, and the page retains a downsampled curve', () => {
    const { session, sent } = open();
    session.begin(configuration, { play: false, saved: savedRun({ step: 10_000 }) });
    const start = sent.at(-1);
    if (start?.type !== 'start') throw new Error('no start');
    expect(start.saved?.metrics.map(({ step }) => step).at(-1)).toBe(9999);
    expect(start.saved?.metrics.length).toBeLessThan(100);
    expect(session.model.checkpoint?.metrics.length).toBeLessThan(100);
    expect(session.model.metrics.length).toBeLessThanOrEqual(4096);
    expect(session.model.curve.downsampled).toEqual({ every: 4, before: expect.any(Number) });
  });

  test('the session notifies the worker when the tab is hidden', () => {
    const { session, sent } = open();
    session.hostConnected();
    Object.assign(document, { hidden: true });
    document.dispatchEvent(new Event('visibilitychange'));
    expect(sent.at(-1)).toEqual({ type: 'visibility', hidden: true });
  });

  test('a warm start on this device starts a new run with the current controls', () => {
    const { session, sent, send } = open();
    session.begin(configuration, { play: true });
    send(ready(), metrics(0));
    session.change({ klCoef: 0.1 });
    session.warmStart();
    expect(sent.at(-1)).toEqual({ type: 'warm-start' });
    expect(session.model.configuration.controls.klCoef).toBe(0.1);
    expect(session.model.metrics).toEqual([]);
  });
});
