import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultConfiguration } from '../../../../src/app/address/pageTables.ts';
import { RecordedSession } from '../../../../src/app/recordings/recordedSession.ts';
import { RunModel } from '../../../../src/app/session/runModel.ts';
import { type WorkerLike, WorkerSession } from '../../../../src/app/session/workerSession.ts';
import type { RecordedRun, Recording } from '../../../../src/storage/recordingFile.ts';
import type { Message } from '../../../../src/training/data/protocol.ts';
import { groupOf, metricsOf } from '../appFixtures.ts';

const configuration = defaultConfiguration();

/** Messages in short: "metrics 3", "status playing". */
function told(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    if (message.type === 'metrics') return `metrics ${message.metrics.step}`;
    if (message.type === 'status') return message.status;
    return message.type;
  });
}

describe('a recorded session', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const run: RecordedRun = {
    configuration,
    device: { engine: 'wgsl', name: 'D', software: false },
    metrics: [0, 1, 2].map((step) => metricsOf(step)),
    events: [{ step: 1, kind: 'schedule', changes: { rule: 'grpo-or' }, text: '' }],
    groups: [groupOf({ step: 0 }), groupOf({ step: 2 })],
  };
  const recording: Recording = [run];

  function open() {
    const messages: Message[] = [];
    const model = new RunModel(configuration);
    const refuse = vi.fn();
    const hear = (message: Message) => {
      messages.push(message);
      model.apply(message);
    };
    const session = new RecordedSession(recording, hear, refuse, 100);
    return { session, model, refuse, take: () => told(messages.splice(0)) };
  }

  test('plays at its own pace and pauses at the end', () => {
    const { session, take } = open();
    session.send({ type: 'start', configuration, play: true });
    expect(take()).toEqual(['ready', 'playing']);
    vi.advanceTimersByTime(100);
    // As in a run, what happens before an update is told when the run gets there.
    expect(take()).toEqual(['metrics 0', 'event', 'group']);
    vi.advanceTimersByTime(200);
    expect(take()).toEqual(['metrics 1', 'metrics 2', 'group', 'paused']);
    vi.advanceTimersByTime(1000);
    expect(take()).toEqual([]);
    session.send({ type: 'play' });
    expect(take()).toEqual(['ready', 'playing']);
  });

  test('plays at the pace that is asked for', () => {
    const { session, take } = open();
    session.send({ type: 'pace', updatesPerSecond: 1 });
    session.send({ type: 'start', configuration, play: true });
    take();
    vi.advanceTimersByTime(999);
    expect(take()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(take()).toEqual(['metrics 0', 'event', 'group']);
    session.send({ type: 'pace', updatesPerSecond: 20 });
    // The step that it waits for comes when it was to come, and those after it sooner.
    vi.advanceTimersByTime(1050);
    expect(take()).toEqual(['metrics 1', 'metrics 2', 'group', 'paused']);
  });

  test('steps, pauses and begins again', () => {
    const { session, take } = open();
    session.send({ type: 'start', configuration, play: false });
    session.send({ type: 'step' });
    expect(take()).toEqual(['ready', 'paused', 'metrics 0', 'event', 'group', 'paused']);
    session.send({ type: 'reset' });
    session.send({ type: 'play' });
    session.send({ type: 'pause' });
    vi.advanceTimersByTime(1000);
    expect(take()).toEqual(['ready', 'paused', 'playing', 'paused']);
  });

  test('goes to any step and back: the page knows what it would know there, the group too', () => {
    const { session, model } = open();
    session.send({ type: 'start', configuration, play: false });
    const at = (step: number) => {
      session.seek(step);
      const { metrics, events, group, controls } = model;
      return [model.step, metrics.map((row) => row.step), events.length, group?.step, controls.rule];
    };
    const rule = configuration.controls.rule;
    expect(at(3)).toEqual([3, [0, 1, 2], 1, 2, 'grpo-or']);
    expect(at(2)).toEqual([2, [0, 1], 1, 0, 'grpo-or']);
    expect(at(1)).toEqual([1, [0], 1, 0, 'grpo-or']);
    expect(at(0)).toEqual([0, [], 0, undefined, rule]);
    expect(at(99)).toEqual([3, [0, 1, 2], 1, 2, 'grpo-or']);
    expect(at(-1)).toEqual([0, [], 0, undefined, rule]);
  });

  test('plays on from where it was taken to, and stands where it stood', () => {
    const { session, take } = open();
    session.send({ type: 'start', configuration, play: true });
    vi.advanceTimersByTime(250);
    take();
    session.seek(1);
    expect(take()).toEqual(['ready', 'group', 'playing']);
    vi.advanceTimersByTime(100);
    expect(take()).toEqual(['metrics 1']);
    session.send({ type: 'pause' });
    session.seek(0);
    take();
    vi.advanceTimersByTime(1000);
    expect(take()).toEqual([]);
  });

  test('of several runs moves all of them, whatever it is told, and each is told as it would be alone', () => {
    const other: RecordedRun = {
      ...run,
      metrics: [0, 1, 2].map((step) => metricsOf(step, { entropy: 9 })),
      events: [{ step: 0, kind: 'schedule', changes: { klCoef: 0.5 }, text: '' }],
      groups: [groupOf({ step: 1 })],
    };
    const [model, beside] = [new RunModel(configuration), new RunModel(configuration)];
    const refuse = vi.fn();
    const session = new RecordedSession([run, other], (message) => model.apply(message), refuse, 100);
    session.send({ type: 'start', configuration, play: true });
    vi.advanceTimersByTime(100);
    const lane = session.lane((message) => beside.apply(message));
    lane.send({ type: 'start', configuration, play: true });
    const stand = () => [model, beside].map(({ step, status, metrics }) => [step, status, metrics.length]);
    // It comes in where the first one stands.
    expect(stand()).toEqual(Array(2).fill([1, 'playing', 1]));
    lane.send({ type: 'pause' });
    vi.advanceTimersByTime(100);
    expect(stand()).toEqual(Array(2).fill([2, 'playing', 2]));
    expect([model.group?.step, beside.group?.step]).toEqual([0, 1]);
    session.send({ type: 'pause' });
    session.seek(1);
    expect(stand()).toEqual(Array(2).fill([1, 'paused', 1]));
    expect(
      [model, beside].map(({ events, group, metrics }) => [events.length, group?.step, metrics[0]?.entropy]),
    ).toEqual([
      [1, 0, metricsOf(0).entropy],
      [1, undefined, 9],
    ]);
    session.send({ type: 'step' });
    expect(stand()).toEqual(Array(2).fill([2, 'paused', 2]));
    session.send({ type: 'reset' });
    expect(stand()).toEqual(Array(2).fill([0, 'paused', 0]));
    expect(beside.controls.klCoef).toBe(0.5);
    lane.send({ type: 'change', changes: { rule: 'rtmc' } });
    expect(refuse).toHaveBeenCalledOnce();
    expect(() => session.lane(() => {})).toThrow('the recording has 2 runs, and all are shown');
    lane.close();
    session.seek(3);
    expect([model.step, beside.step]).toEqual([3, 0]);
  });

  test('after Reset nothing of the run is left, its group neither', () => {
    const { session, model } = open();
    session.send({ type: 'start', configuration, play: true });
    vi.advanceTimersByTime(300);
    expect([model.step, model.group?.step]).toEqual([3, 2]);
    session.send({ type: 'reset' });
    expect([model.step, model.metrics, model.events, model.group, model.status]).toEqual([
      0,
      [],
      [],
      undefined,
      'paused',
    ]);
    expect(model.controls).toEqual(configuration.controls);
  });

  test('stands still while the tab is hidden and goes on afterwards', () => {
    const { session, take } = open();
    session.send({ type: 'start', configuration, play: true });
    session.send({ type: 'visibility', hidden: true });
    vi.advanceTimersByTime(1000);
    expect(take()).toEqual(['ready', 'playing', 'hidden']);
    session.send({ type: 'visibility', hidden: false });
    vi.advanceTimersByTime(100);
    expect(take()).toEqual(['playing', 'metrics 0', 'event', 'group']);
  });

  test('refuses to be changed', () => {
    const { session, refuse, take } = open();
    session.send({ type: 'change', changes: { rule: 'grpo-or' } });
    session.send({ type: 'sample' });
    expect(refuse).toHaveBeenCalledTimes(2);
    expect(take()).toEqual([]);
  });

  test('is silent once closed', () => {
    const { session, take } = open();
    session.send({ type: 'start', configuration, play: true });
    take();
    session.close();
    vi.advanceTimersByTime(1000);
    expect(take()).toEqual([]);
  });
});

describe('a worker session', () => {
  /** A worker whose events the test makes. */
  class FakeWorker implements WorkerLike {
    readonly sent: unknown[] = [];
    terminated = false;
    private readonly listeners = new Map<string, (event: Event) => void>();
    postMessage(message: unknown): void {
      this.sent.push(message);
    }
    terminate(): void {
      this.terminated = true;
    }
    addEventListener(type: string, listener: unknown): void {
      this.listeners.set(type, listener as (event: Event) => void);
    }
    emit(type: string, event: object): void {
      this.listeners.get(type)?.(event as Event);
    }
  }

  function open() {
    const worker = new FakeWorker();
    const messages: Message[] = [];
    const session = new WorkerSession(worker, (message) => messages.push(message));
    return { worker, session, messages };
  }

  test('passes commands and messages on', () => {
    const { worker, session, messages } = open();
    session.send({ type: 'play' });
    worker.emit('message', { data: { type: 'status', status: 'playing' } });
    expect(worker.sent).toEqual([{ type: 'play' }]);
    expect(told(messages)).toEqual(['playing']);
  });

  test.each([
    ['error', { message: 'boom' }, 'boom'],
    ['error', {}, 'could not be loaded'],
    ['messageerror', {}, 'could not be read'],
  ])('turns a worker %s into a problem that offers the checkpoint', (type, event, words) => {
    const { worker, session, messages } = open();
    worker.emit('message', { data: { type: 'metrics', metrics: metricsOf(6) } });
    worker.emit(type, event);
    expect(messages.slice(1)).toEqual([
      {
        type: 'problem',
        problem: { kind: 'internal', step: 7, recovery: 'last-checkpoint', message: expect.stringContaining(words) },
      },
      { type: 'status', status: 'stopped' },
    ]);
    expect(worker.terminated).toBe(true);
    session.send({ type: 'play' });
    worker.emit('message', { data: { type: 'status', status: 'playing' } });
    expect(worker.sent).toEqual([]);
    expect(messages).toHaveLength(3);
  });
});
