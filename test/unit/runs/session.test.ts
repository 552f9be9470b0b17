import { describe, expect, test } from 'vitest';
import type { SavedRun } from '../../../src/training/data/protocol.ts';
import { timeless } from '../../timeless.ts';
import { expectSameCurveAfterLoss, Page } from './sessionPage.ts';

describe('training session', () => {
  test('a session starts paused, and one step sends metrics, a group and a checkpoint', async () => {
    const page = new Page();
    page.start();
    const ready = await page.waitFor('ready');
    expect(ready.step).toBe(0);
    expect(ready.device.name).not.toBe('');
    await page.paused();
    await page.steps(1);
    expect(page.metrics.map(({ step }) => step)).toEqual([0]);
    const { group } = await page.waitFor('group');
    expect(group.rollouts).toHaveLength(4);
    for (const { turns, outcome } of group.rollouts) {
      const last = Object.values(turns.at(-1)?.components ?? {}).reduce((sum, part) => sum + part, 0);
      expect(last).toBeCloseTo(outcome, 6);
      expect(turns.every(({ advantage }) => Number.isFinite(advantage))).toBe(true);
    }
    const { saved } = await page.waitFor('checkpoint');
    expect(saved.step).toBe(1);
  });

  test.each(['mt-grpo'])(
    'a lost device is opened again and the curve continues unchanged under %s',
    expectSameCurveAfterLoss,
  );

  test('the loss of the device during play does not stop the run', async () => {
    const page = new Page();
    page.start(true);
    await page.waitFor('metrics', ({ metrics }) => metrics.step === 1);
    page.loseDevice();
    await page.waitFor('event', ({ event }) => event.kind === 'recovered');
    const from = page.messages.length;
    await page.waitFor('metrics', ({ metrics }) => metrics.step === 2, from);
    page.send({ type: 'pause' });
    await page.paused(from);
  });

  test('a gradient that is not finite stops the run, and the run resumes from the last checkpoint', async () => {
    const page = new Page();
    page.start();
    await page.paused();
    await page.steps(1);
    const { saved } = await page.waitFor('checkpoint');
    page.poison();
    page.send({ type: 'step' });
    const { problem } = await page.waitFor('problem');
    expect(problem).toMatchObject({ kind: 'non-finite', recovery: 'last-checkpoint' });
    expect(problem.message).toContain('update 1');
    await page.waitFor('status', ({ status }) => status === 'stopped');
    expect(page.metrics).toHaveLength(1);

    const from = page.messages.length;
    page.start(false, {}, saved);
    expect((await page.waitFor('ready', undefined, from)).step).toBe(1);
    await page.paused(from);
    await page.steps(1);
    expect(page.metrics.at(-1)?.step).toBe(1);
    expect(Number.isFinite(page.metrics.at(-1)?.loss)).toBe(true);
  });

  test('a switch to a critic that exceeds the memory stops the run, and the run resumes from the last checkpoint', async () => {
    const page = new Page();
    page.start();
    await page.paused();
    await page.steps(1);
    const { saved } = await page.waitFor('checkpoint');
    page.limitMemory();
    page.send({ type: 'change', changes: { rule: 'mt-ppo' } });
    page.send({ type: 'step' });
    const { problem } = await page.waitFor('problem');
    expect(problem).toMatchObject({ kind: 'internal', recovery: 'last-checkpoint' });
    expect(problem.message).toMatch(/^the processor's memory has no room for \d+ bytes/);
    await page.waitFor('status', ({ status }) => status === 'stopped');

    const from = page.messages.length;
    page.start(false, {}, saved);
    expect((await page.waitFor('ready', undefined, from)).step).toBe(1);
    await page.paused(from);
    await page.steps(1);
    expect(page.metrics.at(-1)).toMatchObject({ step: 1, rule: 'mt-grpo' });
  });

  test('changes after a checkpoint are applied again at their step in a resumed run, also after a reload', async () => {
    const changed = (rule: string) => ({ type: 'change', changes: { rule } }) as const;
    const page = new Page();
    page.start();
    await page.paused();
    await page.steps(1);
    const early = page.messages.findLast((message) => message.type === 'checkpoint') as { saved: SavedRun };
    await page.steps(2);
    page.send(changed('grpo-or'));
    await page.steps(2);
    const late = page.messages.findLast((message) => message.type === 'checkpoint') as { saved: SavedRun };

    const again = new Page();
    again.start(false, {}, { ...early.saved, events: late.saved.events });
    await again.paused();
    await again.steps(1);
    const between = again.messages.findLast((message) => message.type === 'checkpoint') as { saved: SavedRun };
    const reloaded = new Page();
    reloaded.start(false, {}, between.saved);
    await reloaded.paused();
    await reloaded.steps(3);
    expect(reloaded.metrics.map(timeless)).toEqual(page.metrics.slice(2).map(timeless));
    expect(reloaded.metrics.map(({ rule }) => rule)).toEqual(['mt-grpo', 'grpo-or', 'grpo-or']);
  });
});
