import { describe, expect, test } from 'vitest';
import { type WorkerLike, WorkerSession } from '../../../../src/app/session/workerSession.ts';
import type { Message } from '../../../../src/training/data/protocol.ts';
import { metricsOf } from '../appFixtures.ts';

describe('a worker session', () => {
  /** Worker whose events a test emits. */
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

  test('a worker session passes on commands and messages', () => {
    const { worker, session, messages } = open();
    session.send({ type: 'play' });
    worker.emit('message', { data: { type: 'status', status: 'playing' } });
    expect(worker.sent).toEqual([{ type: 'play' }]);
    expect(messages).toEqual([{ type: 'status', status: 'playing' }]);
  });

  test.each([
    ['error', { message: 'boom' }, 'boom'],
    ['error', {}, 'could not be loaded'],
    ['messageerror', {}, 'cannot be read. The'],
  ])('a worker event of type %s is converted to a problem that offers the last checkpoint', (type, event, text) => {
    const { worker, session, messages } = open();
    worker.emit('message', { data: { type: 'metrics', metrics: metricsOf(6) } });
    worker.emit(type, event);
    expect(messages.slice(1)).toEqual([
      {
        type: 'problem',
        problem: { kind: 'internal', step: 7, recovery: 'last-checkpoint', message: expect.stringContaining(text) },
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
