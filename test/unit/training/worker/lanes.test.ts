import { describe, expect, test } from 'vitest';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import type { Command, Message } from '../../../../src/training/data/protocol.ts';
import { FakeWorld, type OperationEffects } from '../../../fakeRuns.ts';

const start = (seed: number, lane?: number, play = true): Command => ({
  type: 'start',
  configuration: { ...defaultConfiguration(), seed },
  play,
  ...(lane === undefined ? {} : { lane }),
});

const CALM: OperationEffects = { duration: () => 1, onComplete: () => {} };

/** Starts three playing runs in three lanes. */
async function startWorld(faults: OperationEffects = CALM): Promise<FakeWorld> {
  const world = new FakeWorld(faults);
  world.send(start(1), start(2, 1), start(3, 2));
  await world.clock.advance(20);
  return world;
}

/** Returns the messages of a lane. */
const listMessages = <Type extends Message['type']>(world: FakeWorld, type: Type, lane?: number) =>
  world.of(type).filter((message) => message.lane === lane);

const steps = (world: FakeWorld, lane?: number) =>
  listMessages(world, 'metrics', lane).map(({ metrics }) => metrics.step);

describe('runs in several lanes', () => {
  test('runs in several lanes train alternately on one device, and their messages have the lane', async () => {
    const world = await startWorld();
    await world.clock.advance(300);
    expect(world.gpus).toHaveLength(1);
    const turns = world.updates.slice(-30).map(({ run }) => run.configuration.seed);
    for (let at = 3; at < turns.length; at++) expect(new Set(turns.slice(at - 3, at))).toEqual(new Set([1, 2, 3]));
    for (const lane of [undefined, 1, 2]) {
      const reported = steps(world, lane);
      expect(reported.length).toBeGreaterThan(20);
      expect(reported).toEqual(reported.map((_, index) => index));
    }
  });

  test('runs in several lanes play and pause independently', async () => {
    const world = await startWorld();
    world.send({ type: 'pause', lane: 1 });
    await world.clock.advance(20);
    const before = steps(world, 1).length;
    await world.clock.advance(100);
    expect(steps(world, 1)).toHaveLength(before);
    expect(listMessages(world, 'status', 1).at(-1)?.status).toBe('paused');
    expect(listMessages(world, 'status').at(-1)?.status).toBe('playing');
  });

  test('runs in several lanes have separate paces', async () => {
    const world = await startWorld();
    world.send({ type: 'pace', updatesPerSecond: 5, lane: 2 });
    const before = steps(world, 2).length;
    await world.clock.advance(2000);
    expect(steps(world, 2).length - before).toBeLessThanOrEqual(12);
    expect(steps(world).length).toBeGreaterThan(500);
  });

  test('a lane that is left sends its last checkpoint and frees its memory for another lane', async () => {
    const world = await startWorld();
    await world.clock.advance(50);
    world.send({ type: 'leave', lane: 1 });
    await world.clock.advance(50);
    const last = listMessages(world, 'checkpoint', 1).at(-1)?.saved.step;
    expect(last).toBe(steps(world, 1).length);
    expect(world.messages.findLast(({ lane }) => lane === 1)).toEqual({ type: 'left', lane: 1 });
    expect(world.live.map(({ configuration }) => configuration.seed)).toEqual([1, 3]);
    expect(world.gpus[0]?.isRemoved).toBe(false);
    world.send(start(4, 7));
    await world.clock.advance(50);
    expect(world.live.map(({ configuration }) => configuration.seed)).toEqual([1, 3, 4]);
    expect(world.gpus).toHaveLength(1);
  });

  test('the device is closed when the last lane is left', async () => {
    const world = await startWorld();
    world.send({ type: 'leave', lane: 1 }, { type: 'leave', lane: 2 }, { type: 'leave' });
    await world.clock.advance(50);
    expect([world.live.length, world.gpus.map(({ isRemoved }) => isRemoved)]).toEqual([0, [true]]);
  });

  test('all lanes continue from their checkpoints on one new device after the device is lost', async () => {
    const world = await startWorld();
    world.send({ type: 'pause', lane: 2 });
    await world.clock.advance(40);
    const still = steps(world, 2).length;
    world.gpus[0]?.lose();
    await world.clock.advance(6000);
    expect(world.gpus.map(({ isRemoved }) => isRemoved)).toEqual([true, false]);
    expect([world.live.length, world.maximumOpen]).toEqual([3, 1]);
    for (const lane of [undefined, 1]) {
      expect(listMessages(world, 'status', lane).at(-1)?.status).toBe('playing');
      expect(listMessages(world, 'event', lane).map(({ event }) => event.kind)).toEqual(['recovered']);
    }
    expect(listMessages(world, 'status', 2).at(-1)?.status).toBe('paused');
    world.send({ type: 'step', lane: 2 });
    await world.clock.advance(20);
    expect(steps(world, 2).at(-1)).toBe(still);
  });

  test('an error of one run does not affect the runs in other lanes', async () => {
    const world = await startWorld();
    world.notFinite = 'metrics';
    await world.clock.advance(200);
    const [problem] = world.of('problem');
    expect(problem?.problem.kind).toBe('non-finite');
    const rest = [undefined, 1, 2].filter((lane) => lane !== problem?.lane);
    for (const lane of rest) expect(listMessages(world, 'status', lane).at(-1)?.status).toBe('playing');
    expect(world.gpus[0]?.isRemoved).toBe(false);
  });

  test('a run that exceeds the memory is reported as a problem, and the other runs continue', async () => {
    const world = new FakeWorld(CALM);
    world.send(start(1));
    await world.clock.advance(20);
    const [gpu] = world.gpus;
    if (gpu) gpu.short = 'out of memory';
    world.send(start(2, 1));
    // The session waits before it reports a failure, because the device may be lost.
    await world.clock.advance(300);
    if (gpu) gpu.short = undefined;
    expect(listMessages(world, 'problem', 1)[0]?.problem.message).toContain(
      'no memory left for one more run (out of memory)',
    );
    expect(world.live.map(({ configuration }) => configuration.seed)).toEqual([1]);
    expect(listMessages(world, 'status').at(-1)?.status).toBe('playing');
    world.send(start(2, 1));
    await world.clock.advance(20);
    expect(world.live).toHaveLength(2);
  });

  test('four runs can exist at a time, and a fifth run is reported as a problem', async () => {
    const world = await startWorld();
    world.send(start(4, 3), { type: 'pace', updatesPerSecond: 5, lane: 4 }, start(5, 4));
    await world.clock.advance(50);
    expect(world.live).toHaveLength(4);
    expect(listMessages(world, 'problem', 4)[0]?.problem.message).toContain('There are 4 runs already');
    expect(listMessages(world, 'status', 4).map(({ status }) => status)).toEqual(['stopped']);
    world.send({ type: 'leave', lane: 2 });
    world.send(start(5, 5));
    await world.clock.advance(50);
    expect(world.live.map(({ configuration }) => configuration.seed)).toEqual([1, 2, 4, 5]);
  });
});
