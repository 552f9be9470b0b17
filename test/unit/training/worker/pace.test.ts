import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import type { Command } from '../../../../src/training/data/protocol.ts';
import { UpdateTimer } from '../../../../src/training/worker/playbackClock.ts';
import { FakeWorld } from '../../../fakeRuns.ts';

const pace = (updatesPerSecond: number | null): Command => ({ type: 'pace', updatesPerSecond });
const START: Command = { type: 'start', configuration: defaultConfiguration(), play: true };

/** A session that plays at a pace, on a device that takes so long for an update. */
async function startWorld(updatesPerSecond: number | null, updateMs = 1): Promise<FakeWorld> {
  const world = new FakeWorld({
    duration: (operation) => (operation === 'update' ? updateMs : 1),
    onComplete: () => {},
  });
  world.send(pace(updatesPerSecond), START);
  await world.clock.advance(100);
  return world;
}

/** Updates in so many milliseconds. */
async function updatesIn(world: FakeWorld, milliseconds: number): Promise<number> {
  const before = world.updates.length;
  await world.clock.advance(milliseconds);
  return world.updates.length - before;
}

describe('a session', () => {
  test.each([1, 2, 5, 10, 20])('makes %i updates a second if requested', async (requested) => {
    const world = await startWorld(requested);
    expect(await updatesIn(world, 4000)).toBe(4 * requested);
    expect(world.status).toBe('playing');
  });

  test('goes as fast as it can without a pace, and where the device is slower than the pace', async () => {
    const [free, slow, unpaced] = [await startWorld(null), await startWorld(5, 400), await startWorld(null, 400)];
    expect(await updatesIn(free, 1000)).toBeGreaterThan(400);
    expect(await updatesIn(slow, 8000)).toBe(await updatesIn(unpaced, 8000));
  });

  test('applies another pace immediately, also while it waits', async () => {
    const world = await startWorld(1);
    await world.clock.advance(200);
    world.send(pace(20));
    expect(await updatesIn(world, 1000)).toBeGreaterThanOrEqual(20);
    world.send(pace(1));
    expect(await updatesIn(world, 4000)).toBeLessThanOrEqual(5);
    world.send(pace(null));
    expect(await updatesIn(world, 1000)).toBeGreaterThan(400);
  });

  test('handles requests at once while it waits: pause, one update, save, another run', async () => {
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

  test('reports the numbers of an update before the next one is due', async () => {
    const world = await startWorld(1);
    expect(world.of('metrics')).toHaveLength(world.updates.length);
  });

  test('recovers immediately from a device that is lost while it waits', async () => {
    const world = await startWorld(1);
    world.gpus.at(-1)?.lose();
    await world.clock.advance(200);
    expect(world.gpus).toHaveLength(2);
    expect(world.status).toBe('playing');
  });
});

test('a metronome: beginnings are no closer than its interval on average, and late ones make none early', () => {
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
        // Between any two, as many as their intervals allow, and one that was late.
        for (const [gap, next] of starts.slice(index + 1).entries()) {
          expect(next - time).toBeGreaterThan(gap * interval - 1e-6);
        }
      }
    }),
  );
});
