import { describe, expect, test } from 'vitest';
import type { RunConfiguration } from '../../../../src/training/data/configuration.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import type { Command } from '../../../../src/training/data/protocol.ts';
import { FakeWorld, type OperationEffects } from '../../../fakeRuns.ts';

function start(play = false, changed: Partial<RunConfiguration> = {}): Command {
  return { type: 'start', configuration: { ...defaultConfiguration(), ...changed }, play };
}

const change = (learningRate: number): Command => ({ type: 'change', changes: { learningRate } });

/** Returns durations and errors with which the device is lost whenever one of these operations is done. */
function losing(...operations: string[]): OperationEffects {
  return { duration: () => 1, onComplete: (done, gpu) => operations.includes(done) && gpu?.lose() };
}

/** Milliseconds in which every try is over, pauses included. */
const long = 5000;

describe('a device that is lost', () => {
  test('in every first update of WebGPU: three more tries with pauses, then the processor continues the run', async () => {
    const world = new FakeWorld({
      duration: () => 1,
      onComplete: (operation, gpu) => operation === 'metrics' && gpu?.engine === 'wgsl' && gpu.lose(),
    });
    world.send(start(true));
    await world.clock.advance(long);
    expect(world.status).toBe('playing');
    expect(world.gpus.map(({ engine, isRemoved }) => [engine, isRemoved])).toEqual([
      ...Array(4).fill(['wgsl', true]),
      ['exact/1', false],
    ]);
    expect(world.live.map(({ configuration }) => configuration.engine)).toEqual(['exact/1']);
    expect(world.of('metrics').length).toBeGreaterThan(3);
    expect(world.of('problem').map(({ problem }) => problem.recovery)).toEqual(Array(4).fill('automatic'));
  });

  test('reports the device that replaces it', async () => {
    const world = new FakeWorld({
      duration: () => 1,
      onComplete: (operation, gpu) => operation === 'metrics' && gpu?.engine === 'wgsl' && gpu.lose(),
    });
    world.send(start(true));
    await world.clock.advance(long);
    expect(world.of('device').map(({ device }) => device.engine)).toEqual(['exact/1']);
    expect(world.of('event').filter(({ event }) => event.kind === 'engine')).toHaveLength(1);
  });

  test('in every first update of every engine: stopped after three more tries and one on the processor', async () => {
    const world = new FakeWorld(losing('metrics'));
    world.send(start(true));
    await world.clock.advance(long);
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

  test('while the run is made, every time: stopped after three more tries, and nothing is left', async () => {
    for (const when of ['make', 'save']) {
      const world = new FakeWorld(losing(when));
      world.send(start(true));
      await world.clock.advance(long);
      expect(world.status).toBe('stopped');
      expect(world.gpus).toHaveLength(4);
      expect(world.of('problem').map(({ problem }) => problem.kind)).toEqual(['device-lost']);
      expect(world.live).toEqual([]);
    }
  });

  test('always on the same stretch, behind updates that arrived before: no progress, so it stops too', async () => {
    let updates = 0;
    const world = new FakeWorld({
      duration: () => 1,
      onComplete: (operation, gpu) => operation === 'metrics' && ++updates % 4 === 0 && gpu?.lose(),
    });
    world.send(start(true));
    await world.clock.advance(long);
    expect(world.status).toBe('stopped');
    expect(world.gpus).toHaveLength(5);
  });

  test('occasionally, with progress between: it is opened again each time', async () => {
    const world = new FakeWorld();
    world.send(start(false));
    await world.clock.advance(long);
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

  test('a new start resets the count', async () => {
    const world = new FakeWorld();
    world.send(start());
    await world.clock.advance(long);
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

  test('the lost run is destroyed before another is made, also where that one cannot be resumed', async () => {
    const world = new FakeWorld();
    world.send(start());
    await world.clock.advance(long);
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

  test('a step, a save and a change that meet it are done to the run that comes back', async () => {
    const world = new FakeWorld();
    world.send(start());
    await world.clock.advance(long);
    world.gpus[0].lose();
    world.send({ type: 'step' }, change(3e-4), { type: 'save' });
    await world.clock.advance(long);
    expect(world.status).toBe('paused');
    expect(world.of('metrics').map(({ metrics }) => metrics.step)).toEqual([0]);
    const { saved } = world.of('checkpoint').at(-1) ?? {};
    expect(saved?.step).toBe(1);
    expect(saved?.events.map(({ kind }) => kind)).toEqual(['recovered', 'change']);
  });

  test('is recovered even if the loss is reported late, after a readback has failed', async () => {
    const world = new FakeWorld();
    world.send(start());
    await world.clock.advance(long);
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

  test('a pause while it is brought back holds', async () => {
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

  test('another start during the recovery ends the attempts; the changes are saved first', async () => {
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
  test('four quick ones open one run', async () => {
    const world = new FakeWorld();
    for (const seed of [1, 2, 3, 4]) world.send(start(false, { seed }));
    await world.clock.advance(long);
    expect(world.of('ready').map(({ configuration }) => configuration.seed)).toEqual([4]);
    expect(world.runs).toHaveLength(1);
  });

  test('one that is superseded while its run is made: that run is destroyed and not reported', async () => {
    const world = new FakeWorld();
    world.send(start(false, { seed: 1 }));
    await world.clock.advance(2);
    world.send(start(true, { seed: 2 }));
    await world.clock.advance(20);
    expect(world.of('ready').map(({ configuration }) => configuration.seed)).toEqual([2]);
    expect(world.runs.map(({ destroyed }) => destroyed)).toEqual([1, 0]);
    expect(world.status).toBe('playing');
  });

  test('requests to a run that is not made affect no other run, but a warm start of it has its changes', async () => {
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

  test('one that fails while the next is waiting keeps that one neither from beginning nor from playing', async () => {
    const world = new FakeWorld();
    world.send({ ...start(true), configuration: { ...defaultConfiguration(), version: 0 as never } } as Command);
    world.send(start(true, { seed: 2 }));
    await world.clock.advance(20);
    expect(world.status).toBe('playing');
  });

  test('one with an invalid configuration leaves no part of the previous run unsaved or in memory', async () => {
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
  test('reports the change after `ready`, and is saved with the new engine', async () => {
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
