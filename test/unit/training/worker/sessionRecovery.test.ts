import { describe, expect, test } from 'vitest';
import type { RunConfiguration } from '../../../../src/training/data/configuration.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import type { Command } from '../../../../src/training/data/protocol.ts';
import { FakeWorld, type OperationEffects } from '../../../fakeRuns.ts';

function start(play = false, changed: Partial<RunConfiguration> = {}): Command {
  return { type: 'start', configuration: { ...defaultConfiguration(), ...changed }, play };
}

const change = (learningRate: number): Command => ({ type: 'change', changes: { learningRate } });

/** Returns effects that lose the device after each of the given operations. */
function losing(...operations: string[]): OperationEffects {
  return { duration: () => 1, onComplete: (done, gpu) => operations.includes(done) && gpu?.lose() };
}

/** Time in which all attempts end, pauses included [ms]. */
const long = 5000;

/** Starts a run, and waits until its start and all recoveries have ended. */
async function startWorld(play = false, effects?: OperationEffects): Promise<FakeWorld> {
  const world = new FakeWorld(effects);
  world.send(start(play));
  await world.clock.advance(long);
  return world;
}

describe('recovery from a lost device', () => {
  test('a WebGPU device that is lost in each first update is opened three more times, then the exact engine continues', async () => {
    const world = await startWorld(true, {
      duration: () => 1,
      onComplete: (operation, gpu) => operation === 'metrics' && gpu?.engine === 'wgsl' && gpu.lose(),
    });
    expect(world.status).toBe('playing');
    expect(world.gpus.map(({ engine, isRemoved }) => [engine, isRemoved])).toEqual([
      ...Array(4).fill(['wgsl', true]),
      ['exact/1', false],
    ]);
    expect(world.live.map(({ configuration }) => configuration.engine)).toEqual(['exact/1']);
    expect(world.of('metrics').length).toBeGreaterThan(3);
    expect(world.of('problem').map(({ problem }) => problem.recovery)).toEqual(Array(4).fill('automatic'));
    expect(world.of('device').map(({ device }) => device.engine)).toEqual(['exact/1']);
    expect(world.of('event').filter(({ event }) => event.kind === 'engine')).toHaveLength(1);
  });

  test('a run stops if three more WebGPU devices and the exact engine are lost in their first update', async () => {
    const world = await startWorld(true, losing('metrics'));
    expect(world.status).toBe('stopped');
    expect(world.gpus.map(({ engine }) => engine)).toEqual(['wgsl', 'wgsl', 'wgsl', 'wgsl', 'exact/1']);
    const pauses = world.sleeps.map(({ milliseconds }) => milliseconds).filter((time) => time !== 100);
    expect(pauses).toEqual([0, 500, 1000]);
    const lastProblem = world.of('problem').at(-1)?.problem;
    expect(lastProblem).toMatchObject({ kind: 'device-lost', recovery: 'last-checkpoint' });
    expect(lastProblem?.message).toContain('could not be brought back in 3 tries');
    expect(world.live).toEqual([]);
    expect(world.gpus.every(({ isRemoved }) => isRemoved)).toBe(true);
  });

  test('a run stops if its device is lost during each of four starts, and no run remains', async () => {
    for (const when of ['make', 'save']) {
      const world = await startWorld(true, losing(when));
      expect(world.status).toBe('stopped');
      expect(world.gpus).toHaveLength(4);
      expect(world.of('problem').map(({ problem }) => problem.kind)).toEqual(['device-lost']);
      expect(world.live).toEqual([]);
    }
  });

  test('a run stops if each new device is lost before the run has progress', async () => {
    let updates = 0;
    const world = await startWorld(true, {
      duration: () => 1,
      onComplete: (operation, gpu) => operation === 'metrics' && ++updates % 4 === 0 && gpu?.lose(),
    });
    expect(world.status).toBe('stopped');
    expect(world.gpus).toHaveLength(5);
  });

  test('a device that is lost after progress is opened again each time', async () => {
    const world = await startWorld();
    for (let loss = 0; loss < 8; loss++) {
      world.send({ type: 'step' });
      await world.clock.advance(long);
      world.gpus.at(-1)?.lose();
      await world.clock.advance(long);
    }
    expect(world.gpus).toHaveLength(9);
    expect(world.status).toBe('paused');
    expect(world.live.map(({ step }) => step)).toEqual([8]);
  });

  test('a new start resets the number of lost devices', async () => {
    const world = await startWorld();
    for (let loss = 0; loss < 3; loss++) {
      world.gpus.at(-1)?.lose();
      await world.clock.advance(long);
    }
    world.send(start());
    await world.clock.advance(long);
    for (let loss = 0; loss < 3; loss++) {
      world.gpus.at(-1)?.lose();
      await world.clock.advance(long);
    }
    expect(world.status).toBe('paused');
    for (const engine of ['wgsl', 'exact/1']) {
      expect(world.gpus.at(-1)?.engine).toBe(engine);
      world.gpus.at(-1)?.lose();
      await world.clock.advance(long);
    }
    expect(world.status).toBe('stopped');
  });

  test('a lost run is destroyed before its replacement is created, also if the replacement fails', async () => {
    const world = await startWorld();
    world.effects.onComplete = (operation) => {
      if (operation !== 'make') return;
      expect(world.live).toEqual([]);
      throw new Error('there is no memory');
    };
    world.gpus[0].lose();
    await world.clock.advance(long);
    expect(world.status).toBe('stopped');
    expect(world.of('problem').at(-1)?.problem.message).toContain('(there is no memory)');
    expect(world.live).toEqual([]);
    expect(world.gpus.every(({ isRemoved }) => isRemoved)).toBe(true);
  });

  test('a step, a change and a save that arrive after the device is lost apply to the recovered run', async () => {
    const world = await startWorld();
    world.gpus[0].lose();
    world.send({ type: 'step' }, change(3e-4), { type: 'save' });
    await world.clock.advance(long);
    expect(world.status).toBe('paused');
    expect(world.of('metrics').map(({ metrics }) => metrics.step)).toEqual([0]);
    const { saved } = world.of('checkpoint').at(-1) ?? {};
    expect(saved?.step).toBe(1);
    expect(saved?.events.map(({ kind }) => kind)).toEqual(['recovered', 'change']);
  });

  test('a device is recovered even if its loss is reported late, after a readback has failed', async () => {
    const world = await startWorld();
    world.effects.onComplete = (operation, gpu) => {
      if (operation !== 'update') return;
      world.effects.onComplete = () => {};
      void world.clock.wait(2000).then(() => gpu?.lose());
      throw new DOMException('Buffer was unmapped before mapping was resolved.', 'AbortError');
    };
    world.send({ type: 'step' });
    await world.clock.advance(long);
    expect(world.status).toBe('paused');
    expect(world.of('event').map(({ event }) => event.kind)).toEqual(['recovered']);
    expect(world.live.map(({ step }) => step)).toEqual([1]);
  });

  test('a pause during the recovery of the device remains in effect', async () => {
    const world = new FakeWorld();
    world.send(start(true));
    await world.clock.advance(50);
    world.gpus[0].lose();
    await world.clock.advance(1);
    world.send({ type: 'pause' });
    await world.clock.advance(long);
    expect(world.status).toBe('paused');
    const count = world.updates.length;
    await world.clock.advance(long);
    expect(world.updates).toHaveLength(count);
  });

  test('a start during the recovery of the device saves the changes and ends the attempts', async () => {
    const world = new FakeWorld();
    world.send(start(true));
    await world.clock.advance(50);
    world.send(change(3e-4));
    await world.clock.advance(10);
    world.effects.onComplete = (operation) => {
      if (operation === 'open') throw new Error('not yet');
    };
    world.gpus[0].lose();
    await world.clock.advance(20);
    expect(world.status).toBe('recovering');
    world.send(start(false, { seed: 2 }));
    world.effects.onComplete = () => {};
    await world.clock.advance(long);
    expect(world.of('ready').map(({ configuration }) => configuration.seed)).toEqual([1, 2]);
    const of = world.of('checkpoint').filter(({ saved }) => saved.configuration.seed === 1);
    expect(of.at(-1)?.saved.events.map(({ kind }) => kind)).toEqual(['change']);
    expect(world.live.map(({ configuration }) => configuration.seed)).toEqual([2]);
  });
});

describe('starts', () => {
  test('four starts in quick succession open only the last run', async () => {
    const world = new FakeWorld();
    for (const seed of [1, 2, 3, 4]) world.send(start(false, { seed }));
    await world.clock.advance(long);
    expect(world.of('ready').map(({ configuration }) => configuration.seed)).toEqual([4]);
    expect(world.runs).toHaveLength(1);
  });

  test('a run whose start is superseded during its creation is destroyed and not reported', async () => {
    const world = new FakeWorld();
    world.send(start(false, { seed: 1 }));
    await world.clock.advance(2);
    world.send(start(true, { seed: 2 }));
    await world.clock.advance(20);
    expect(world.of('ready').map(({ configuration }) => configuration.seed)).toEqual([2]);
    expect(world.runs.map(({ destroyed }) => destroyed)).toEqual([1, 0]);
    expect(world.status).toBe('playing');
  });

  test('requests to a superseded start affect no other run, and a warm start includes earlier changes', async () => {
    const world = new FakeWorld();
    world.send(start(), start(false, { seed: 2 }), change(3e-4), { type: 'step' }, start(false, { seed: 3 }));
    await world.clock.advance(long);
    expect(world.of('event')).toEqual([]);
    expect(world.updates).toEqual([]);
    world.send(start(false, { seed: 4 }), change(4e-4), { type: 'warm-start' });
    await world.clock.advance(long);
    const { configuration } = world.of('ready').at(-1) ?? {};
    expect(configuration).toMatchObject({ seed: 4, controls: { learningRate: 4e-4 } });
  });

  test('a start that fails does not prevent the next start from playing', async () => {
    const world = new FakeWorld();
    world.send({ ...start(true), configuration: { ...defaultConfiguration(), version: 0 as never } } as Command);
    world.send(start(true, { seed: 2 }));
    await world.clock.advance(20);
    expect(world.status).toBe('playing');
  });

  test('a start with an invalid configuration saves the previous run and frees its memory', async () => {
    const world = new FakeWorld();
    world.send(start(true));
    await world.clock.advance(20);
    const [{ step }] = world.live;
    world.send(start(false, { seed: -1 }));
    await world.clock.advance(long);
    expect(world.status).toBe('stopped');
    expect(world.of('checkpoint').at(-1)?.saved.step).toBeGreaterThanOrEqual(step);
    expect(world.live).toEqual([]);
  });
});

describe('a saved run of another engine', () => {
  test('a saved run of another engine reports the change after `ready`, and is saved with the new engine', async () => {
    const world = new FakeWorld();
    world.send(start(false, { engine: 'wgsl' }), { type: 'step' }, { type: 'save' });
    await world.clock.advance(long);
    const saved = world.of('checkpoint').at(-1)?.saved;
    if (!saved) throw new Error('there is no checkpoint');
    world.messages.length = 0;
    world.send({ ...start(false, { engine: 'exact/1' }), saved } as Command);
    await world.clock.advance(long);
    const reported = world.messages.filter(({ type }) => ['ready', 'event', 'checkpoint'].includes(type));
    expect(reported).toMatchObject([
      { type: 'ready', step: 1, device: { engine: 'exact/1' } },
      { type: 'event', event: { step: 1, kind: 'engine', text: 'wgsl → exact/1' } },
      { type: 'checkpoint', saved: { step: 1, configuration: { engine: 'exact/1' }, events: [{ kind: 'engine' }] } },
    ]);
    expect(world.live.map(({ step }) => step)).toEqual([1]);
  });
});
