import { afterEach, describe, expect, test, vi } from 'vitest';
import { allowRule } from '../../../../src/app/customRule/savedRules.ts';
import { engineStrings } from '../../../../src/app/strings/runStrings.ts';
import { encodeCustomRule } from '../../../../src/credit/rules/custom/customRule.ts';
import { writeRunFile } from '../../../../src/storage/runFile.ts';
import type { RunStore } from '../../../../src/storage/runStore.ts';
import { EXACT, WGSL } from '../../../../src/training/data/configuration.ts';
import { PRESETS } from '../../../../src/training/data/worlds.ts';
import type { MemoryRunStore } from '../../storage/memoryRunStore.ts';
import { savedRun } from '../appFixtures.ts';
import { lineageOf, RunWorld, readWeights } from './runWorld.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const file = (text: string) => ({ name: 'run.json', text: async () => text }) as unknown as File;
const stepsOf = (world: RunWorld, id: string) => world.store.runs.get(id)?.saved.metrics.map(({ step }) => step);
const upTo = (step: number) => Array.from({ length: step }, (_, index) => index);

describe('runs of the page', () => {
  test('a run plays when the page opens, except if the Python panel is the only panel', async () => {
    const world = new RunWorld();
    await world.settle();
    expect(world.run.session.model.status).toBe('playing');
    const python = new RunWorld(undefined, '?v=1&panels=python');
    await python.settle();
    expect(python.run.session.model.status).toBe('paused');
    python.run.transport('play');
    await python.settle();
    expect(python.run.session.model.status).toBe('playing');
  });

  test('a control change passes at most 5 nested calls (8 with button, listener and worker session)', async () => {
    const world = new RunWorld();
    await world.settle();
    const { worker, run } = world;
    if (!worker) throw new Error('no worker');
    let calls: readonly string[] = [];
    const { send } = worker;
    vi.spyOn(worker, 'send').mockImplementation((command) => {
      if (command.type === 'change') calls = new Error('calls').stack?.match(/src\/app\/[^:)]*/g) ?? [];
      send.call(worker, command);
    });
    void run.dispatch({ type: 'change', changes: { rule: 'grpo-or' } });
    await world.settle();
    expect(run.session.model.link.controls.rule).toBe('grpo-or');
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.length).toBeLessThanOrEqual(5);
  });

  describe('engines of runs', () => {
    const engineOf = ({ run }: RunWorld) => run.session.model.link.engine;
    const commandsOf = ({ workers }: RunWorld) => workers.flatMap(({ commands }) => commands);

    test('the page opens the device for the engine of its link before storage responds', async () => {
      const world = new RunWorld(undefined, '?v=1&engine=exact');
      expect(commandsOf(world)).toContainEqual({ type: 'prepare', engine: EXACT });
      await world.settle();
      expect([engineOf(world), world.messages]).toEqual([EXACT, []]);
    });

    test('the engine that the browser selected is in the link, in storage and in every following run', async () => {
      const world = new RunWorld(undefined, '', [EXACT, WGSL]);
      expect(commandsOf(world)).toContainEqual({ type: 'prepare', engine: undefined });
      await world.settle();
      await world.train(2);
      expect(world.runs[0].link).toContain('&engine=exact/1');
      const { run } = world;
      for (const begin of [
        () => run.seed(5),
        () => run.reset(),
        () => run.preset(PRESETS[1]),
        () => run.environment('repair'),
        () => run.compare(['rtmc', 'grpo-or']),
      ]) {
        begin();
        await world.settle();
        const starts = [world.worker, ...(world.worker?.lanes ?? [])].map((worker) =>
          worker?.commands.findLast(({ type }) => type === 'start'),
        );
        for (const start of starts) expect(start).toMatchObject({ configuration: { engine: EXACT } });
      }
      expect(run.all).toHaveLength(2);
      expect(run.links.map(({ engine }) => engine)).toEqual([EXACT]);
      expect(world.messages).toEqual([]);
    });

    test('a link without an engine continues a run of any engine, and other links only of their engine', async () => {
      const world = new RunWorld(undefined, '?v=1&seed=4&engine=exact');
      await world.settle();
      await world.train(3);
      const open = async (search: string) => {
        const page = new RunWorld(async () => world.store, search);
        await page.settle();
        return [page.run.session.model.step, engineOf(page)];
      };
      expect(await open('?v=1&seed=4')).toEqual([3, EXACT]);
      expect(await open('?v=1&seed=4&engine=exact/1')).toEqual([3, EXACT]);
      expect(await open('?v=1&seed=4&engine=wgsl')).toEqual([0, WGSL]);
    });

    test('a notice reports that WebGPU was requested and is missing, and the saved run loses no update', async () => {
      const world = new RunWorld(undefined, '?v=1&seed=4&engine=wgsl');
      await world.settle();
      await world.train(3);
      const page = new RunWorld(async () => world.store, '?v=1&seed=4&engine=wgsl', [EXACT]);
      await page.settle();
      await page.train(2);
      expect(page.messages).toContain(engineStrings.different(WGSL, EXACT));
      expect([engineOf(page), stepsOf(world, page.run.session.id)]).toEqual([EXACT, upTo(5)]);
    });

    test('a notice reports that the engine version of a link is unavailable', async () => {
      const world = new RunWorld(undefined, '?v=1&engine=exact/7');
      await world.settle();
      expect(world.messages).toEqual([expect.stringContaining('engine exact/7. It trains on wgsl here')]);
    });
  });

  describe('deleted runs', () => {
    test('a deleted run that continues is not saved again until the user requests it', async () => {
      const world = new RunWorld();
      await world.settle();
      await world.train(5);
      await world.run.removeSaved(world.runs[0]);
      expect(world.messages.at(-1)).toMatch(/was deleted. It continues here, but it is no longer saved/);
      await world.train(1);
      expect([world.store.runs.size, world.runs.length]).toEqual([0, 0]);
      world.run.resave();
      await world.settle();
      expect(stepsOf(world, world.run.session.id)).toEqual(upTo(6));
      await world.train(2);
      expect(stepsOf(world, world.run.session.id)).toEqual(upTo(8));
    });

    test('a run that is deleted and saved again during a write is saved completely', async () => {
      const world = new RunWorld();
      await world.settle();
      await world.train(5);
      const { id } = world.run.session;
      world.beLate(true);
      world.run.transport('step');
      for (let count = 0; count < 9; count += 1) {
        world.worker?.work();
        world.worker?.deliver();
        await new Promise((resolve) => setImmediate(resolve));
      }
      void world.run.removeSaved(world.runs[0]);
      world.run.resave();
      await world.settle();
      expect([world.run.session.id, stepsOf(world, id)]).toEqual([id, upTo(6)]);
      await world.train(2);
      expect(stepsOf(world, id)).toEqual(upTo(8));
    });

    test('a run that storage cannot delete remains saved, with a message', async () => {
      const world = new RunWorld();
      await world.settle();
      await world.train(5);
      const [saved] = world.runs;
      world.store.failure = new Error('the disk is on fire');
      await world.run.removeSaved(saved);
      world.store.failure = undefined;
      expect(world.messages.at(-1)).toMatch('the disk is on fire');
      expect(world.messages.join()).not.toMatch('deleted');
      await world.train(1);
      expect(stepsOf(world, saved.id)).toEqual(upTo(6));
    });
  });

  describe('downloaded runs', () => {
    test('two clicks on the file of a run give one file, and a later click gives another file', async () => {
      const world = new RunWorld();
      await world.settle();
      await world.train(5);
      void world.run.downloads.run();
      void world.run.downloads.run();
      await world.settle();
      expect(world.files).toHaveLength(1);
      void world.run.downloads.run();
      await world.settle();
      expect(world.files).toHaveLength(2);
    });

    test('a download from a crashed worker has the last stored state, and no data of the next run', async () => {
      const world = new RunWorld();
      await world.settle();
      await world.train(5);
      world.run.downloads.run();
      world.worker?.crash();
      await world.settle();
      expect(world.files.map(({ saved }) => saved?.step)).toEqual([5]);
      expect(world.messages.at(-1)).toMatch('its last stored state, step 5');
      world.run.preset(PRESETS[1]);
      await world.settle();
      await world.train(3);
      expect(world.files).toHaveLength(1);
    });

    test('a download from a crashed worker without a stored state is reported as missing', async () => {
      const world = new RunWorld();
      await world.settle();
      world.worker?.crash();
      world.run.downloads.run();
      expect(world.messages.at(-1)).toMatch('there is no file');
      void world.run.dispatch({ type: 'restart' });
      await world.settle();
      await world.train(2);
      expect(world.files).toEqual([]);
    });
  });

  describe('choices before storage responds', () => {
    function slow() {
      let answer: () => void = () => {};
      const opening = (store: MemoryRunStore) =>
        new Promise<RunStore>((resolve) => {
          answer = () => resolve(store);
        });
      const world = new RunWorld(opening);
      return { world, answer: () => answer() };
    }

    test('a control change and Pause before storage responds remain in effect', async () => {
      const { world, answer } = slow();
      world.run.change({ klCoef: 0.25 });
      world.run.transport('pause');
      expect(world.run.session.model.controls.klCoef).toBe(0.25);
      answer();
      await world.settle();
      expect(world.run.session.model).toMatchObject({ status: 'paused', controls: { klCoef: 0.25 } });
      expect(world.run.session.model.link.controls.klCoef).toBe(0.25);
    });
  });

  test('the saved run of an address is opened if an unreadable file was opened before', async () => {
    const before = new RunWorld();
    await before.settle();
    await before.train(3);
    const world = new RunWorld(async (store) => {
      for (const [id, entry] of before.store.runs) store.runs.set(id, entry);
      return store;
    });
    await world.run.dispatch({ type: 'import', file: file('{}') });
    await world.settle();
    expect(world.run.session.model).toMatchObject({ status: 'paused', step: 3 });
  });

  test('the run of the page is opened once, even if the page element is moved', async () => {
    const world = new RunWorld();
    world.run.hostConnected();
    await world.settle();
    world.run.hostConnected();
    await world.settle();
    expect(world.workers).toHaveLength(1);
  });

  test('a run from a file with custom rules trains after the user allows each rule, on Play and on Step', async () => {
    const rules = [1, 2].map((value) => encodeCustomRule({ file: 'r.py', values: {}, source: `# ${value}` }));
    const [rule, scheduled] = rules as [string, string];
    const base = savedRun({ step: 9 });
    const configuration = {
      ...base.configuration,
      controls: { ...base.configuration.controls, rule },
      schedule: [{ step: 20, changes: { rule: scheduled } }],
    };
    const saved = { ...base, configuration };
    new Float64Array(saved.checkpoint).set([lineageOf(configuration), 9]);
    const world = new RunWorld();
    await world.settle();
    const requested: string[] = [];
    world.run.session.onForeignRule = (foreign) => requested.push(encodeCustomRule(foreign));
    await world.run.dispatch({ type: 'import', file: file(writeRunFile(saved)) });
    await world.settle();
    const { model } = world.run.session;
    const press = async (type: 'play' | 'step') => {
      world.run.transport(type);
      await world.settle();
      return [model.status, world.run.session.model.step];
    };
    for (const waiting of rules) {
      for (const type of ['step', 'play'] as const) expect(await press(type)).toEqual(['paused', 9]);
      expect(requested.splice(0)).toEqual([waiting, waiting]);
      allowRule(waiting);
    }
    expect(await press('step')).toEqual(['paused', 10]);
    expect((await press('play'))[0]).toBe('playing');
    expect(requested).toEqual([]);
  });

  describe('runs in two tabs', () => {
    /** Opens a page whose saved run continues in another tab. */
    async function second() {
      const first = new RunWorld();
      await first.settle();
      await first.train(10);
      const [{ id }] = first.runs;
      const [[, entry]] = [...first.store.runs];
      const world = new RunWorld(async (store) => {
        store.runs.set(id, { ...entry });
        return store;
      });
      world.tabs.blockedIds.add(id);
      /** Continues the run in the other tab to a step. */
      const goOn = (step: number) => {
        const { lineage } = readWeights(entry.saved.checkpoint);
        const saved = { ...savedRun({ step }), checkpoint: Float64Array.of(lineage, step).buffer };
        world.store.runs.set(id, { saved, summary: { ...entry.summary, step, savedAt: 5_000_000 + step } });
        world.tabs.post({ type: 'changed' });
      };
      await world.settle();
      return { world, id, goOn };
    }

    test('a run that another tab trains is reported, and training in the second tab is saved as a copy', async () => {
      const { world, id, goOn } = await second();
      expect(world.messages.at(-1)).toMatch('Another tab continues this run. In this tab, the run is paused at step');
      goOn(21);
      await world.settle();
      expect(world.runs.map(({ step }) => step)).toEqual([21]);
      await world.train(1);
      expect(world.store.runs.get(id)?.summary.step).toBe(21);
      const copy = world.run.session.id;
      expect(copy).not.toBe(id);
      expect(stepsOf(world, copy)).toEqual(upTo(11));
      expect(world.messages.at(-1)).toMatch('From step 10 on you train a copy, which is saved separately.');
      expect([...world.tabs.lockedIds]).toEqual([copy]);
      await world.train(2);
      expect(stepsOf(world, copy)).toEqual(upTo(13));
    });

    test('the second tab continues the run from the last step of the closed first tab', async () => {
      const { world, id, goOn } = await second();
      goOn(21);
      world.tabs.leave(id);
      await world.settle();
      expect(world.run.session).toMatchObject({ id, model: { step: 21, status: 'paused' } });
      expect(world.messages.at(-1)).toMatch('this tab continues the run at step 21'.replace('this', 'This'));
      await world.train(1);
      expect(stepsOf(world, id)).toEqual(upTo(22));
    });

    test('a run is released to other tabs only after its last state is written', async () => {
      const world = new RunWorld();
      await world.settle();
      await world.train(3);
      const { id } = world.run.session;
      world.run.transport('step');
      world.beLate(true);
      world.run.preset(PRESETS[1]);
      for (let count = 0; count < 20; count += 1) {
        world.worker?.work();
        world.worker?.deliver();
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect([...world.tabs.lockedIds]).toEqual([id, world.run.session.id]);
      await world.settle();
      expect(stepsOf(world, id)).toEqual(upTo(4));
      expect([...world.tabs.lockedIds]).toEqual([world.run.session.id]);
    });
  });
});
