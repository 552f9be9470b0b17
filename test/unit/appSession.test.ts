import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RecordedSession, type Recording } from '../../src/app/session/recordedSession.ts';
import { type WorkerLike, WorkerSession } from '../../src/app/session/workerSession.ts';
import { defaultConfiguration } from '../../src/app/tables.ts';
import type { Message } from '../../src/training/protocol.ts';
import { groupOf, metricsOf } from './appFixtures.ts';

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

  const recording: Recording = {
    configuration,
    messages: [
      { type: 'ready', configuration, device: { name: 'D', software: false }, step: 0 },
      { type: 'status', status: 'playing' },
      { type: 'metrics', metrics: metricsOf(0) },
      { type: 'group', group: groupOf({ step: 0 }) },
      { type: 'event', event: { step: 1, kind: 'change', changes: { rule: 'grpo-or' }, text: '' } },
      { type: 'metrics', metrics: metricsOf(1) },
      { type: 'metrics', metrics: metricsOf(2) },
    ],
  };

  function open() {
    const messages: Message[] = [];
    const refuse = vi.fn();
    const session = new RecordedSession(recording, (message) => messages.push(message), refuse, 100);
    return { session, refuse, take: () => told(messages.splice(0)) };
  }

  test('plays at its own pace and pauses at the end', () => {
    const { session, take } = open();
    session.send({ type: 'start', configuration, play: true });
    expect(take()).toEqual(['ready', 'playing']);
    vi.advanceTimersByTime(100);
    expect(take()).toEqual(['metrics 0', 'group']);
    vi.advanceTimersByTime(200);
    expect(take()).toEqual(['event', 'metrics 1', 'metrics 2', 'paused']);
    vi.advanceTimersByTime(1000);
    expect(take()).toEqual([]);
  });

  test('steps, pauses and begins again', () => {
    const { session, take } = open();
    session.send({ type: 'start', configuration, play: false });
    session.send({ type: 'step' });
    expect(take()).toEqual(['ready', 'paused', 'metrics 0', 'group', 'paused']);
    session.send({ type: 'reset' });
    session.send({ type: 'play' });
    session.send({ type: 'pause' });
    vi.advanceTimersByTime(1000);
    expect(take()).toEqual(['ready', 'paused', 'playing', 'paused']);
  });

  test('stands still while the tab is hidden and goes on afterwards', () => {
    const { session, take } = open();
    session.send({ type: 'start', configuration, play: true });
    session.send({ type: 'visibility', hidden: true });
    vi.advanceTimersByTime(1000);
    expect(take()).toEqual(['ready', 'playing', 'hidden']);
    session.send({ type: 'visibility', hidden: false });
    vi.advanceTimersByTime(100);
    expect(take()).toEqual(['playing', 'metrics 0', 'group']);
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
