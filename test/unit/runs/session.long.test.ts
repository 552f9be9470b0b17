import { describe, expect, test } from 'vitest';
import { NoEngineError, NoWebGpuError } from '../../../src/engine/shared.ts';
import type { SavedRun } from '../../../src/training/data/protocol.ts';
import { timeless } from '../../timeless.ts';
import type { LosableDevice } from './losableDevice.ts';
import { expectSameCurveAfterLoss, openLosableDevice, Page, warmStartFile } from './sessionPage.ts';

describe('training session', () => {
  test.each(['mt-ppo'])(
    'a lost device is opened again and the curve continues unchanged under %s',
    expectSameCurveAfterLoss,
  );

  test('a run with planned and manual changes resumes exactly from a checkpoint', async () => {
    const original = new Page();
    original.start(false, { schedule: [{ step: 3, changes: { learningRate: 1e-3 } }] });
    await original.paused();
    await original.steps(2);
    original.send({ type: 'change', changes: { rule: 'grpo-or' } });
    await original.waitFor('event', ({ event }) => event.changes.rule === 'grpo-or');
    const { saved } = original.messages.findLast((message) => message.type === 'checkpoint') as { saved: SavedRun };
    await original.steps(2);
    expect(original.metrics.map(({ rule }) => rule)).toEqual(['mt-grpo', 'mt-grpo', 'grpo-or', 'grpo-or']);
    expect(original.messages.filter((message) => message.type === 'event').map(({ event }) => event)).toMatchObject([
      { step: 2, kind: 'change', changes: { rule: 'grpo-or' } },
      { step: 3, kind: 'schedule', changes: { learningRate: 1e-3 } },
    ]);

    const again = new Page();
    again.start(false, { schedule: [{ step: 3, changes: { learningRate: 1e-3 } }] }, saved);
    expect((await again.waitFor('ready')).step).toBe(2);
    await again.paused();
    again.send({ type: 'change', changes: { rule: 'grpo-or' } });
    await again.steps(2);
    expect(again.metrics.map(timeless)).toEqual(original.metrics.slice(2).map(timeless));
  });

  test('invalid changes, configurations and checkpoints and a missing engine are reported as problems', async () => {
    const page = new Page();
    page.start();
    await page.paused();
    page.send({ type: 'change', changes: { learningRate: -1 } });
    expect((await page.waitFor('problem')).problem).toMatchObject({ kind: 'configuration', recovery: 'none' });
    expect((await page.waitFor('problem')).problem.message).toMatch(/learningRate: -1 is not a number from 0 to/);

    page.start(false, { controls: { rule: 'no-such-rule' } });
    await page.waitFor('problem', ({ problem }) => problem.message.includes('no-such-rule'));

    const broken = new Page({ loadWarmStart: async () => warmStartFile().slice(0, 1000) });
    broken.start(true);
    const { problem } = await broken.waitFor('problem');
    expect(problem.kind).toBe('checkpoint');
    await broken.waitFor('status', ({ status }) => status === 'stopped');
    expect(broken.metrics).toHaveLength(0);

    const none = new Page({ openDevice: () => Promise.reject(new NoEngineError('no adapter')) });
    none.start(true);
    expect((await none.waitFor('problem')).problem.kind).toBe('no-engine');
    await none.waitFor('status', ({ status }) => status === 'stopped');
  });

  test('a device that failed or was lost before the start is requested again, and a second failure is reported', async () => {
    let rejections = 1;
    const openDevice = async () => {
      if (rejections-- > 0) throw new NoWebGpuError('no adapter yet');
      return openLosableDevice();
    };
    const rejected = new Page({ openDevice });
    rejected.send({ type: 'prepare' });
    rejected.start();
    await rejected.steps(1);
    expect(rejected.messages.filter(({ type }) => type === 'problem')).toEqual([]);

    const opened: LosableDevice[] = [];
    const openRecorded = async () => {
      const device = await openLosableDevice();
      opened.push(device);
      return device;
    };
    const lost = new Page({ openDevice: openRecorded });
    lost.send({ type: 'prepare' });
    while (opened.length === 0) await new Promise(setImmediate);
    opened[0].destroy();
    await opened[0].lost;
    lost.start();
    await lost.steps(1);
    expect(opened).toHaveLength(2);
    expect(lost.metrics).toHaveLength(1);

    const none = new Page({ openDevice: () => Promise.reject(new NoEngineError('no adapter')) });
    none.send({ type: 'prepare' });
    none.start(true);
    const { problem } = await none.waitFor('problem');
    expect(problem.kind).toBe('no-engine');
    expect(none.messages.filter(({ type }) => type === 'problem')).toHaveLength(1);
  });

  test('a new sample displays a group and does not change the run', async () => {
    const page = new Page();
    page.start();
    await page.paused();
    await page.steps(1);
    const from = page.messages.length;
    page.send({ type: 'sample' });
    const { group } = await page.waitFor('group', ({ group: view }) => view.sampleOnly, from);
    expect(group.rollouts).toHaveLength(4);
    await page.steps(1);
    const plain = new Page();
    plain.start();
    await plain.paused();
    await plain.steps(2);
    expect(page.metrics.map(timeless)).toEqual(plain.metrics.map(timeless));
  });

  test('a search for a tied group among samples does not change the run', async () => {
    const page = new Page();
    page.start();
    await page.paused();
    await page.steps(1);
    for (let time = 0; time < 3; time++) {
      const from = page.messages.length;
      page.send({ type: 'find-tie' });
      const message = await Promise.race([
        page.waitFor('group', undefined, from),
        page.waitFor('no-tie', undefined, from),
      ]);
      if (message.type === 'group') {
        expect(message.group.sampleOnly).toBe(true);
        expect(new Set(message.group.rollouts.map(({ outcome }) => outcome)).size).toBe(1);
      } else expect(message).toEqual({ type: 'no-tie', samples: 32, isFlat: false });
    }
    await page.steps(1);
    const plain = new Page();
    plain.start();
    await plain.paused();
    await plain.steps(2);
    expect(page.metrics.map(timeless)).toEqual(plain.metrics.map(timeless));
  });

  test('a lost device is requested repeatedly, and the checkpoint remains if no device opens', async () => {
    let rejections = 0;
    const openDevice = async () => {
      if (rejections-- > 0) throw new NoWebGpuError('no adapter yet');
      return openLosableDevice();
    };
    const page = new Page({ openDevice, sleep: async () => {} });
    page.start();
    await page.paused();
    await page.steps(1);
    rejections = 2;
    page.loseDevice();
    await page.waitFor('event', ({ event }) => event.kind === 'recovered');
    await page.steps(1);
    expect(page.metrics.map(({ step }) => step)).toEqual([0, 1]);

    rejections = 100;
    const from = page.messages.length;
    page.loseDevice();
    await page.waitFor('status', ({ status }) => status === 'stopped', from);
    const { problem } = await page.waitFor('problem', ({ problem: { recovery } }) => recovery !== 'automatic', from);
    expect(problem).toMatchObject({ kind: 'device-lost', recovery: 'last-checkpoint' });
    page.send({ type: 'save' });
    const { saved } = await page.waitFor('checkpoint', undefined, from);
    expect(saved.step).toBe(2);
  });
});
