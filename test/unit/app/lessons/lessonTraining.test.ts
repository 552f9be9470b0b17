import type { ReactiveControllerHost } from 'lit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LessonTraining, type PreparedRun } from '../../../../src/app/lessons/lessonTraining.ts';
import type { Session, SessionFactory } from '../../../../src/app/session/workerSession.ts';
import { lessonRun } from '../../../../src/lessons/lesson.ts';
import { EXACT } from '../../../../src/training/data/configuration.ts';
import type { Command, Message } from '../../../../src/training/data/protocol.ts';
import { groupOf, metricsOf } from '../appFixtures.ts';

const STEPS = 3;
const run = (preset: string): PreparedRun => ({
  configuration: lessonRun({ preset, controls: {}, schedule: [] }),
  steps: STEPS,
});
const BOTH = [run('mt-grpo'), run('grpo-or')];
const device = { engine: EXACT, name: 'D', software: false };

/** Worker that records the runs opened in it. */
class FakeWorker {
  readonly lanes: { listener: (message: Message) => void; sent: Command[]; closed: boolean }[] = [];

  readonly open: SessionFactory = (listener) => ({
    ...this.session(listener),
    lane: (listener) => this.session(listener),
  });

  private session(listener: (message: Message) => void): Session {
    const lane = { listener, sent: [] as Command[], closed: false };
    this.lanes.push(lane);
    return {
      send: (command) => void lane.sent.push(command),
      close: () => {
        lane.closed = true;
      },
    };
  }

  post(index: number, ...messages: Message[]): void {
    for (const message of messages) this.lanes[index]?.listener(message);
  }

  ready(index: number): void {
    this.post(index, { type: 'ready', configuration: BOTH[index].configuration, device, step: 0 });
  }

  train(index: number, steps: number): void {
    for (let step = 0; step < steps; step++) this.post(index, { type: 'metrics', metrics: metricsOf(step) });
  }
}

describe('the training of a lesson', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
    vi.stubGlobal('requestAnimationFrame', (callback: () => void) => setTimeout(callback, 16));
    vi.stubGlobal('cancelAnimationFrame', (timer: number) => clearTimeout(timer));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  function open() {
    const host = { addController() {}, removeController() {}, requestUpdate() {} } as unknown as ReactiveControllerHost;
    const worker = new FakeWorker();
    return { worker, training: new LessonTraining(host, worker.open) };
  }

  test('a lesson trains its prepared runs in one worker on the exact engine, and is done after the last run', () => {
    const { worker, training } = open();
    training.start(BOTH, 4);
    expect(worker.lanes.map(({ sent }) => sent.find(({ type }) => type === 'start'))).toEqual(
      BOTH.map(({ configuration }) =>
        expect.objectContaining({ configuration: { ...configuration, engine: EXACT }, play: true }),
      ),
    );
    expect(worker.lanes.map(({ sent }) => sent.findLast(({ type }) => type === 'pace'))).toEqual(
      Array(2).fill({ type: 'pace', updatesPerSecond: 4, everyGroup: true }),
    );
    expect(training.phase).toBe('opening');
    worker.ready(0);
    worker.ready(1);
    worker.train(0, 5);
    expect(training.phase).toBe('training');
    expect(worker.lanes[0]?.sent.at(-1)).toEqual({ type: 'pause' });
    expect(worker.lanes[1]?.sent.some(({ type }) => type === 'pause')).toBe(false);
    worker.train(1, STEPS);
    expect(training.phase).toBe('done');
    // Updates of a run after its end do not count.
    expect(training.metrics.map(({ length }) => length)).toEqual([STEPS, STEPS]);
  });

  test('a lesson training saves the newest group of each counted update', () => {
    const { worker, training } = open();
    training.start(BOTH, 4);
    worker.ready(0);
    for (const step of [0, 1, 1, STEPS - 1, STEPS]) worker.post(0, { type: 'group', group: groupOf({ step }) });
    const tied = groupOf({ step: 0, group: 5 });
    worker.post(0, { type: 'group', group: tied });
    expect(training.groupsOf(0).map(({ step }) => step)).toEqual([1, STEPS - 1, 0]);
    expect(training.groupsOf(0).at(-1)).toBe(tied);
    expect(training.groupsOf(1)).toEqual([]);
  });

  test('a stopped or restarted lesson training ignores earlier messages', () => {
    const { worker, training } = open();
    training.start(BOTH.slice(0, 1), 4);
    worker.ready(0);
    worker.train(0, 2);
    training.stop();
    worker.train(0, STEPS);
    expect(training.phase).toBe('stopped');
    training.start(BOTH.slice(0, 1), 4);
    worker.train(0, STEPS);
    expect([training.phase, worker.lanes.map(({ closed }) => closed)]).toEqual(['opening', [true, false]]);
  });

  test.each([
    { kind: 'non-finite', message: 'A number is not finite.', step: 1, recovery: 'last-checkpoint' },
    { kind: 'no-engine', message: 'This browser has no WebAssembly SIMD.', step: 0, recovery: 'none' },
  ] as const)('a lesson training reports the problem that stopped it: $kind', (problem) => {
    const { worker, training } = open();
    training.start(BOTH, 4);
    worker.post(0, { type: 'problem', problem });
    expect([training.phase, training.problem]).toEqual(['stopped', problem.message]);
  });
});
