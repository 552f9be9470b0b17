import type { ReactiveControllerHost } from 'lit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LessonTraining, type PreparedRun } from '../../../../src/app/lessons/lessonTraining.ts';
import type { Session, SessionFactory } from '../../../../src/app/session/pageSession.ts';
import { lessonRun } from '../../../../src/lessons/lessonRun.ts';
import { EXACT } from '../../../../src/training/data/configuration.ts';
import type { Command, GroupView, Message } from '../../../../src/training/data/protocol.ts';
import { groupOf, metricsOf } from '../appFixtures.ts';

const STEPS = 3;
const run = (preset: string): PreparedRun => ({
  configuration: lessonRun({ preset, controls: {}, schedule: [] }),
  steps: STEPS,
});
const BOTH = [run('mt-grpo'), run('grpo-or')];
const device = { engine: EXACT, name: 'D', software: false };

/** A worker with the runs that were opened in it. */
class FakeWorker {
  readonly lanes: { hear: (message: Message) => void; sent: Command[]; closed: boolean }[] = [];

  readonly open: SessionFactory = (hear) => ({ ...this.session(hear), lane: (other) => this.session(other) });

  private session(hear: (message: Message) => void): Session {
    const lane = { hear, sent: [] as Command[], closed: false };
    this.lanes.push(lane);
    return {
      send: (command) => void lane.sent.push(command),
      close: () => {
        lane.closed = true;
      },
    };
  }

  say(index: number, ...messages: Message[]): void {
    for (const message of messages) this.lanes[index]?.hear(message);
  }

  ready(index: number): void {
    this.say(index, { type: 'ready', configuration: BOTH[index].configuration, device, step: 0 });
  }

  train(index: number, steps: number): void {
    for (let step = 0; step < steps; step++) this.say(index, { type: 'metrics', metrics: metricsOf(step) });
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

  test('has every run in one worker on the exact engine, each as it was prepared, and is done when all of them are', () => {
    const { worker, training } = open();
    training.start(BOTH, 4);
    expect(worker.lanes.map(({ sent }) => sent.find(({ type }) => type === 'start'))).toEqual(
      BOTH.map(({ configuration }) =>
        expect.objectContaining({ configuration: { ...configuration, engine: EXACT }, play: true }),
      ),
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
    // What a run did beyond its end does not count.
    expect(training.metrics.map(({ length }) => length)).toEqual([STEPS, STEPS]);
  });

  test('keeps the newest groups of those that have the most to compare', () => {
    const { worker, training } = open();
    training.start(BOTH, 4);
    worker.ready(0);
    const group = (step: number, outcomes: readonly number[], rewards: readonly number[]): GroupView => {
      const { rollouts, ...rest } = groupOf({ step });
      const made = rollouts.map((rollout, index) => ({
        ...rollout,
        outcome: outcomes[index] ?? 0,
        turns: rollout.turns.map((turn, at) => (at === 0 ? { ...turn, reward: rewards[index] ?? 0 } : turn)),
      }));
      return { ...rest, rollouts: made };
    };
    const shown = () => training.groupsOf(0).map(({ step }) => step);
    worker.say(0, { type: 'group', group: group(1, [1, 1], [0.5, 0.5]) });
    expect(shown()).toEqual([]);
    // Where only outcomes, only first turns, or both differ.
    worker.say(0, { type: 'group', group: group(2, [1, 0.2], [0.5, 0.5]) });
    worker.say(0, { type: 'group', group: group(3, [1, 0.2], [0.5, -0.2]) });
    worker.say(0, { type: 'group', group: group(4, [1, 1], [0.5, -0.2]) });
    expect(shown()).toEqual([2, 3, 4]);
    // The oldest of those with the least to compare makes room.
    const others = Array.from({ length: 10 }, (_, index) => 5 + index);
    for (const step of others) worker.say(0, { type: 'group', group: group(step, [1, 0.2], [0.5, -0.2]) });
    expect(shown()).toEqual([3, 4, ...others]);
    worker.say(0, { type: 'group', group: group(15, [1, 1], [0.5, -0.2]) });
    expect(shown()).toEqual([3, ...others, 15]);
    expect(training.groupsOf(1)).toEqual([]);
  });

  test('that was stopped, or begun anew, hears nothing of the time before', () => {
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
  ] as const)('reports the problem that stopped it: $kind', (problem) => {
    const { worker, training } = open();
    training.start(BOTH, 4);
    worker.say(0, { type: 'problem', problem });
    expect([training.phase, training.problem]).toEqual(['stopped', problem.message]);
  });
});
