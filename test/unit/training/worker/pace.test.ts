import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import type { Command } from '../../../../src/training/data/protocol.ts';
import { UpdateTimer } from '../../../../src/training/worker/workQueue.ts';
import { FakeWorld } from '../../../fakeRuns.ts';

const pace = (updatesPerSecond: number | null): Command => ({ type: 'pace', updatesPerSecond });
const START: Command = { type: 'start', configuration: defaultConfiguration(), play: true };

/** Starts a session that plays at a pace, on a device with the given duration of an update [ms]. */
async function startWorld(updatesPerSecond: number | null, updateMs = 1): Promise<FakeWorld> {
  const world = new FakeWorld({
    duration: (operation) => (operation === 'update' ? updateMs : 1),
    onComplete: () => {},
  });
  world.send(pace(updatesPerSecond), START);
  await world.clock.advance(100);
  return world;
}

/** Returns the number of updates in a period [ms]. */
async function updatesIn(world: FakeWorld, milliseconds: number): Promise<number> {
  const before = world.updates.length;
  await world.clock.advance(milliseconds);
  return world.updates.length - before;
}

describe('pace of a session', () => {
  test.each([1, 2, 5, 10, 20])('a session with a pace makes %i updates per second', async (requested) => {
    const world = await startWorld(requested);
    expect(await updatesIn(world, 4000)).toBe(4 * requested);
    expect(world.status).toBe('playing');
  });

  test('a session runs at full speed without a pace, and if the device is slower than the pace', async () => {
    const [free, slow, unpaced] = [await startWorld(null), await startWorld(5, 400), await startWorld(null, 400)];
    expect(await updatesIn(free, 1000)).toBeGreaterThan(400);
    expect(await updatesIn(slow, 8000)).toBe(await updatesIn(unpaced, 8000));
  });

  test('a session applies a changed pace immediately, also while it waits', async () => {
    const world = await startWorld(1);
    await world.clock.advance(200);
    world.send(pace(20));
    expect(await updatesIn(world, 1000)).toBeGreaterThanOrEqual(20);
    world.send(pace(1));
    expect(await updatesIn(world, 4000)).toBeLessThanOrEqual(5);
    world.send(pace(null));
    expect(await updatesIn(world, 1000)).toBeGreaterThan(400);
  });

  test('a session that waits for its pace handles pause, step, save and start immediately', async () => {
    const world = await startWorld(1);
    world.send({ type: 'pause' });
    await world.clock.advance(5);
    expect(world.status).toBe('paused');
    const { length } = world.updates;
    expect(world.of('checkpoint').at(-1)?.saved.step).toBe(length);
    world.send({ type: 'step' });
    await world.clock.advance(5);
    expect([world.updates.length, world.status]).toEqual([length + 1, 'paused']);
    world.send({ type: 'play' });
    await world.clock.advance(10);
    const savedCount = world.of('checkpoint').length;
    world.send({ type: 'save' });
    await world.clock.advance(5);
    expect(world.of('checkpoint').length).toBeGreaterThan(savedCount);
    world.send({ ...START, configuration: { ...defaultConfiguration(), seed: 9 } });
    await world.clock.advance(20);
    expect(world.of('ready').at(-1)?.configuration.seed).toBe(9);
  });

  test('a session reports the metrics of an update before the next update is due', async () => {
    const world = await startWorld(1);
    expect(world.of('metrics')).toHaveLength(world.updates.length);
  });

  test('a session recovers immediately from the loss of its device while it waits', async () => {
    const world = await startWorld(1);
    world.gpus.at(-1)?.lose();
    await world.clock.advance(200);
    expect(world.gpus).toHaveLength(2);
    expect(world.status).toBe('playing');
  });
});

test('UpdateTimer starts at most one update per interval on average, even after late updates', () => {
  const late = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(late, fc.constantFrom(1, 2, 5, 10, 20), (delays, perSecond) => {
      const timer = new UpdateTimer();
      timer.set(perSecond);
      const starts: number[] = [];
      let now = 1000;
      for (const delay of delays) {
        now += Math.max(0, timer.left(now)) + delay;
        timer.beat(now);
        starts.push(now);
      }
      const interval = 1000 / perSecond;
      for (const [index, time] of starts.entries()) {
        // Two updates with n updates between them are more than n intervals apart.
        for (const [gap, next] of starts.slice(index + 1).entries()) {
          expect(next - time).toBeGreaterThan(gap * interval - 1e-6);
        }
      }
    }),
  );
});
