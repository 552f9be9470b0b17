import { expect, test } from 'vitest';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import type { Command, Message } from '../../../../src/training/data/protocol.ts';
import { ModelStopped } from '../../../../src/training/rewardModel/making.ts';
import type { Run } from '../../../../src/training/run/run.ts';
import { Makings } from '../../../../src/training/worker/makings.ts';
import { FakeWorld } from '../../../fakeRuns.ts';

function watched() {
  const told: Message[] = [];
  const makings = new Makings({ post: (message) => told.push(message) });
  const payment = { making: { progress: (_: object) => {}, signal: () => new AbortController().signal } };
  makings.watch({ trainer: { payment } } as unknown as Run);
  return { makings, told, payment };
}

test('the page is told how far a model is', () => {
  const { told, payment } = watched();
  payment.making.progress({ noise: 0.1, bias: 0, stage: 'turns', done: 3, of: 9 });
  expect(told).toEqual([{ type: 'reward-model', noise: 0.1, bias: 0, stage: 'turns', done: 3, of: 9 }]);
});

test.each<[Command, boolean, boolean]>([
  [{ type: 'pause' }, true, true],
  [{ type: 'pause' }, false, true],
  [{ type: 'warm-start' }, false, true],
  // A measurement may have to make a model first.
  [{ type: 'cancel-truth' }, false, true],
  [{ type: 'change', changes: { judgeBias: 0.1 } }, true, true],
  // A single step is done first: the run would not go on with it.
  [{ type: 'change', changes: { judgeBias: 0.1 } }, false, false],
  [{ type: 'play' }, false, false],
  [{ type: 'pace', updatesPerSecond: 2 }, true, false],
  [{ type: 'visibility', hidden: true }, true, false],
])('%j while it plays (%s) stops what is made: %s; what is made after it goes its way', (command, playing, stops) => {
  const { makings, payment } = watched();
  const signal = payment.making.signal();
  makings.hear(command, playing);
  expect(signal.aborted).toBe(stops);
  expect(payment.making.signal().aborted).toBe(false);
});

test('a run that is closed stops what it makes, so that it is left at once', async () => {
  const world: FakeWorld = new FakeWorld({
    takes: (what) => (what === 'update' ? 1000 : 1),
    befalls: () => {},
  });
  world.send({ type: 'start', configuration: defaultConfiguration('search'), play: true });
  await world.clock.advance(500);
  const { payment } = world.runs[0].trainer as unknown as ReturnType<typeof watched>;
  const signal = payment.making.signal();
  expect(signal.aborted).toBe(false);
  world.send({ type: 'leave' });
  expect(signal.aborted).toBe(true);
});

test('a run whose model was stopped pauses before its update without a word, and plays again', async () => {
  let stopped = false;
  const world = new FakeWorld({
    takes: () => 1,
    befalls: (what) => {
      if (what !== 'update' || stopped || world.of('metrics').length < 2) return;
      stopped = true;
      world.send({ type: 'pause' });
      throw new ModelStopped('stopped');
    },
  });
  world.send({ type: 'start', configuration: defaultConfiguration('search'), play: true });
  await world.clock.advance(2000);
  expect([world.status, stopped, world.of('problem')]).toEqual(['paused', true, []]);
  const before = world.of('metrics').length;
  world.send({ type: 'play' });
  await world.clock.advance(500);
  expect(world.of('metrics').length).toBeGreaterThan(before);
});
