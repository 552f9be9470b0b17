import { afterEach, describe, expect, test, vi } from 'vitest';
import { RunWorld, readWeights } from './runWorld.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const upTo = (step: number) => Array.from({ length: step }, (_, index) => index);

/** Returns a page whose run is at step 5. */
async function trained(search = ''): Promise<RunWorld> {
  const world = new RunWorld(undefined, search);
  await world.settle();
  await world.train(5);
  return world;
}

async function fork(world: RunWorld, rule: string): Promise<void> {
  void world.run.dispatch({ type: 'fork', changes: { rule } });
  await world.settle();
}

const stepsOf = ({ run }: RunWorld) => run.all.map(({ model }) => model.metrics.map(({ step }) => step));
const rulesOf = ({ run }: RunWorld) => run.all.map(({ model }) => model.controls.rule);

describe('a fork', () => {
  test('a fork has the same updates and another rule, and both runs continue and are saved completely', async () => {
    const world = await trained();
    await fork(world, 'grpo-or');
    expect([rulesOf(world), stepsOf(world)]).toEqual([
      ['mt-grpo', 'grpo-or'],
      [upTo(5), upTo(5)],
    ]);
    await world.train(3);
    expect(stepsOf(world)).toEqual([upTo(8), upTo(8)]);
    for (const { id } of world.run.all) {
      const saved = world.store.runs.get(id)?.saved;
      expect([saved?.step, saved?.metrics.map(({ step }) => step)]).toEqual([8, upTo(8)]);
    }
    const [, link] = world.run.all.map(({ model }) => model.link);
    expect(link?.schedule).toEqual([{ step: 5, changes: { rule: 'grpo-or' } }]);
  });

  test('a fork can be forked again, and changed controls affect only the selected run', async () => {
    const world = await trained();
    await fork(world, 'grpo-or');
    world.run.lane('show', 1);
    await world.train(2);
    await fork(world, 'grpo-mr');
    world.run.change({ klCoef: 0.5 });
    await world.settle();
    expect(world.run.all.map(({ model }) => model.controls.klCoef === 0.5)).toEqual([false, true, false]);
    expect(world.run.all[2]?.model.link.schedule.map(({ step }) => step)).toEqual([5, 7]);
    expect(stepsOf(world)[2]).toEqual(upTo(7));
  });
});

describe('change of the engine', () => {
  const enginesOf = ({ run }: RunWorld) => run.all.map(({ model }) => model.link.engine);

  test('changing the engine continues a playing run after its last update, also back to the first engine', async () => {
    const world = await trained();
    const { id } = world.run.session;
    world.run.transport('play');
    await world.settle();
    world.worker?.train(3);
    for (const [engine, step] of [
      ['exact/1', 8],
      ['wgsl', 10],
    ] as const) {
      const changed = world.run.dispatch({ type: 'engine', engine });
      await world.settle();
      await changed;
      const { model } = world.run.session;
      expect([enginesOf(world), model.step, world.run.session.isTraining, world.run.session.id]).toEqual([
        [engine],
        step,
        true,
        id,
      ]);
      world.worker?.train(2);
      await world.settle();
    }
    world.run.transport('pause');
    await world.settle();
    expect(world.store.runs.get(id)?.saved.metrics.map(({ step }) => step)).toEqual(upTo(12));
    expect(world.messages).toEqual([]);
  });

  test('of two engines chosen in one update, the run continues to play on the last', async () => {
    const world = await trained();
    world.run.transport('play');
    await world.settle();
    void world.run.dispatch({ type: 'engine', engine: 'wgsl' });
    void world.run.dispatch({ type: 'engine', engine: 'exact/1' });
    await world.settle();
    expect([enginesOf(world), world.run.session.model.status]).toEqual([['exact/1'], 'playing']);
  });

  test('changing the engine affects only the selected run', async () => {
    const world = await trained();
    await fork(world, 'grpo-or');
    world.run.lane('show', 1);
    const changed = world.run.dispatch({ type: 'engine', engine: 'exact/1' });
    await world.settle();
    await changed;
    expect(enginesOf(world)).toEqual(['wgsl', 'exact/1']);
    await world.train(2);
    expect([stepsOf(world), rulesOf(world)]).toEqual([
      [upTo(7), upTo(7)],
      ['mt-grpo', 'grpo-or'],
    ]);
  });

  test('changing to an unavailable engine leaves the run on its engine, with a notice and all updates', async () => {
    const world = new RunWorld(undefined, '', ['exact/1']);
    await world.settle();
    await world.train(5);
    const changed = world.run.dispatch({ type: 'engine', engine: 'wgsl' });
    await world.settle();
    await changed;
    expect([enginesOf(world), stepsOf(world)]).toEqual([['exact/1'], [upTo(5)]]);
    expect(world.messages).toEqual([expect.stringContaining('WebGPU was requested')]);
  });
});

describe('an additional run', () => {
  test('a closed additional run is saved in its last state, and the first run continues', async () => {
    const world = await trained();
    await fork(world, 'grpo-or');
    const { id } = world.run.all[1] ?? {};
    world.run.lane('show', 1);
    world.run.transport('play');
    await world.settle();
    for (const lane of world.worker?.lanes ?? []) lane.train(4);
    await world.settle();
    world.run.lane('close', 1);
    await world.settle();
    expect([world.run.all, world.run.selected]).toEqual([[world.run.session], world.run.session]);
    expect(world.store.runs.get(id ?? '')?.saved.step).toBe(9);
    await world.train(1);
    expect(stepsOf(world)).toEqual([upTo(6)]);
  });

  test('an additional run continues with the first run after a crash of the worker', async () => {
    const world = await trained();
    await fork(world, 'grpo-or');
    await world.train(2);
    world.worker?.crash();
    await world.settle();
    void world.run.dispatch({ type: 'restart' });
    await world.settle();
    await world.train(3);
    expect([rulesOf(world), stepsOf(world)]).toEqual([
      ['mt-grpo', 'grpo-or'],
      [upTo(10), upTo(10)],
    ]);
    expect(world.messages.some((notice) => notice.startsWith('Run 2: '))).toBe(true);
  });
});

test('the history entry of a replaced run has its additional runs', async () => {
  const world = await trained();
  await fork(world, 'grpo-or');
  const entries: string[] = [];
  const record = (how: string) => (_: unknown, __: string, address: string) => entries.push(`${how} ${address}`);
  vi.stubGlobal('history', { state: null, replaceState: record('replace'), pushState: record('push') });
  world.run.seed(7);
  expect(entries).toEqual([
    expect.stringMatching(/^replace .*seed=4.*&runs=at=5:rule=grpo-or/),
    expect.stringMatching(/^push (?=.*seed=7)(?!.*runs=)/),
  ]);
});

describe('a comparison of rules', () => {
  test('a comparison starts each rule from the first update with the same seed, and plays the runs', async () => {
    const world = await trained();
    world.run.compare(['grpo-or', 'mt-grpo', 'grpo-mr']);
    await world.settle();
    const all = world.run.all.map(({ model }) => [model.controls.rule, model.configuration.seed, model.status]);
    expect(all).toEqual(['grpo-or', 'mt-grpo', 'grpo-mr'].map((rule) => [rule, 4, 'playing']));
    expect(stepsOf(world)).toEqual([[], [], []]);
    await world.train(2);
    expect(stepsOf(world)).toEqual([upTo(2), upTo(2), upTo(2)]);
  });
});

describe('an address of several runs', () => {
  test('an address of several runs starts all its runs', async () => {
    const world = new RunWorld(undefined, '?v=1&rule=mt-grpo&seed=3&runs=at=5:rule=grpo-or%7Crule=grpo-mr');
    await world.settle();
    const [, forked, added] = world.run.all.map(({ model }) => model.configuration);
    expect([forked?.schedule, forked?.seed, added?.controls.rule]).toEqual([
      [{ step: 5, changes: { rule: 'grpo-or' } }],
      3,
      'grpo-mr',
    ]);
    expect(world.run.links).toEqual([forked, added]);
  });

  test('an address of several runs continues its saved runs', async () => {
    const query = '?v=1&rule=mt-grpo&seed=3&runs=rule=grpo-mr';
    const world = await trained(query);
    const before = world.run.all.map(({ id }) => id);
    const again = new RunWorld(async () => world.store, query);
    await again.settle();
    expect(again.run.all.map(({ id }) => id)).toEqual(before);
    await again.train(2);
    expect(stepsOf(again)).toEqual([upTo(7), upTo(7)]);
    const lineages = before.map((id) => readWeights(world.store.runs.get(id)?.saved.checkpoint as ArrayBuffer));
    expect(lineages.map(({ step }) => step)).toEqual([7, 7]);
    expect(lineages[0]?.lineage).not.toBe(lineages[1]?.lineage);
  });
});
