import { describe, expect, test } from 'vitest';
import { measureDisplayedGroup } from '../../../src/experiments/truth/measureSelected.ts';
import type { RunConfiguration } from '../../../src/training/data/configuration.ts';
import type { Command, GroupView } from '../../../src/training/data/protocol.ts';
import type { TruthRequest } from '../../../src/training/data/truthReport.ts';
import { timeless } from '../../timeless.ts';
import { Page } from './sessionPage.ts';

const REQUEST: TruthRequest = {
  rules: ['grpo-or', 'mt-grpo'],
  continuations: 8,
  gradientGroups: 2,
  counts: { kind: 'outcome', gamma: 1, bonus: 0 },
};
const createRequest = (changed: Partial<TruthRequest> = {}): Command => ({
  type: 'measure-truth',
  request: { ...REQUEST, ...changed },
});
const of = ({ step, group, sampleOnly }: GroupView) => ({ step, group, sampleOnly });

/** Returns a paused page after some updates, and the group that it shows. */
async function trained(steps: number, changed: Partial<RunConfiguration> = {}) {
  const page = new Page({ measureTruth: measureDisplayedGroup });
  page.start(false, changed);
  await page.paused();
  await page.steps(steps);
  const { group } = page.messages.findLast((message) => message.type === 'group') as { group: GroupView };
  return { page, group };
}

describe('measurements of a session', () => {
  test('a session measures the turns of the displayed group, and the measurement does not change the curve', async () => {
    const calm = await trained(4);
    const { page, group } = await trained(2);
    page.send(createRequest({ of: of(group) }));
    const { ended, report } = await page.waitFor('truth');
    expect(ended).toBe('complete');
    expect(report?.selectedGroup).toMatchObject({
      step: 1,
      policyStep: 2,
      group: group.group,
      sampleOnly: false,
      turns: 8,
      refused: [],
    });
    expect(report?.groups[0].turns.map(({ forestTurn }) => forestTurn)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(report?.groups[0].question).toBe(group.question);
    expect(report?.continuations).toBe(8 * (report?.histories ?? NaN));
    const displayed = group.rollouts.flatMap(({ turns }) => turns);
    for (const { forestTurn, turn, after, reward, before, advantage, summary, rules } of report?.groups[0].turns ??
      []) {
      const match = displayed.find((candidate) => candidate.forestTurn === forestTurn);
      expect(summary).toBe(match?.summary);
      expect(rules['mt-grpo']).toBeCloseTo(match?.advantage ?? NaN, 4);
      expect(rules['grpo-or']).toBeCloseTo(match?.outcomeOnlyAdvantage ?? NaN, 6);
      expect(after === undefined).toBe(turn === 1);
      expect(advantage.mean).toBeCloseTo(reward + (after?.mean ?? 0) - before.mean, 10);
    }
    expect(report?.gradients?.rules.map(({ rule }) => rule)).toEqual(['grpo-or', 'mt-grpo', 'truth']);
    const progress = page.messages.flatMap((message) => (message.type === 'truth-progress' ? [message] : []));
    expect(progress.at(-1)).toMatchObject({ stage: 'gradients', done: progress.at(-1)?.total });
    await page.steps(2);
    expect(page.metrics.map(timeless)).toEqual(calm.page.metrics.map(timeless));
  });

  test('a session measures a selected rollout, or a new sample that it displays', async () => {
    const { page, group } = await trained(1);
    const turns = group.rollouts[2].turns.map(({ forestTurn }) => forestTurn);
    page.send(createRequest({ of: of(group), turns, gradientGroups: 0 }));
    const { report } = await page.waitFor('truth');
    expect(report?.groups[0].turns.map(({ rollout }) => rollout)).toEqual(turns.map(() => 2));
    expect(report?.gradients).toBeUndefined();
    // A single rollout has no interval.
    expect(report?.rules[0].correlation.low).toBeNaN();

    const from = page.messages.length;
    page.send(createRequest({ gradientGroups: 0 }));
    const sampled = await page.waitFor('truth', undefined, from);
    expect(sampled.report?.selectedGroup).toMatchObject({ step: 1, policyStep: 1, sampleOnly: true });
    const { group: view } = await page.waitFor('group', ({ group: { sampleOnly } }) => sampleOnly, from);
    expect(sampled.report?.groups[0].question).toBe(view.question);
  });

  test('a cancelled measurement stops within one batch with its complete results, and training continues', async () => {
    const { page, group } = await trained(1);
    const request = createRequest({ of: of(group), continuations: 5000 });
    page.send({ type: 'play' });
    page.send(request);
    await page.waitFor('status', ({ status }) => status === 'measuring');
    const first = await page.waitFor('truth-progress', ({ done }) => done === 4);
    page.send({ type: 'cancel-truth' });
    const { ended, report } = await page.waitFor('truth');
    const batches = page.messages.filter((message) => message.type === 'truth-progress').length;
    expect([ended, batches <= 6, first.total > 100]).toEqual(['cancelled', true, true]);
    expect(report?.groups[0].turns.length).toBeGreaterThan(0);
    expect(report?.continuations).toBeLessThan(5000);
    const from = page.messages.length;
    await page.waitFor('metrics', undefined, from);

    // A measurement in the queue is cancelled before it begins.
    page.send({ type: 'pause' });
    await page.paused(from);
    const messageCount = page.messages.length;
    page.send({ type: 'step' });
    page.send(request);
    page.send({ type: 'cancel-truth' });
    expect(await page.waitFor('truth', undefined, messageCount)).toEqual({ type: 'truth', ended: 'cancelled' });
    expect(page.messages.slice(messageCount).some((message) => message.type === 'truth-progress')).toBe(false);
  });

  test('errors of a measurement are reported and do not affect the run', async () => {
    const { page, group } = await trained(1);
    page.send(createRequest({ of: { ...of(group), step: 77 } }));
    expect((await page.waitFor('truth')).problem).toContain('the group is no longer available');
    let from = page.messages.length;
    page.send(createRequest({ of: of(group), rules: ['mt-ppo'] }));
    expect((await page.waitFor('truth', undefined, from)).problem).toContain('mt-ppo: each token has its own');
    from = page.messages.length;
    page.send(createRequest({ of: of(group), turns: [3, 99] }));
    expect((await page.waitFor('truth', undefined, from)).problem).toContain('turn 99');

    // The device is lost during a measurement: the steps since the last checkpoint remain.
    from = page.messages.length;
    page.send(createRequest({ of: of(group), continuations: 5000 }));
    await page.waitFor('truth-progress', undefined, from);
    page.loseDevice();
    expect((await page.waitFor('truth', undefined, from)).ended).toBe('failed');
    await page.waitFor('event', ({ event }) => event.kind === 'recovered', from);
    expect(page.messages.some((message) => message.type === 'status' && message.status === 'stopped')).toBe(false);
    await page.steps(1);
    const calm = await trained(2);
    expect(page.metrics.map(timeless)).toEqual(calm.page.metrics.map(timeless));
  });

  test('a session without a measurement function reports a problem', async () => {
    const page = new Page();
    page.start();
    await page.paused();
    page.send(createRequest());
    expect((await page.waitFor('truth')).problem).toContain('nothing can be measured here');
  });
});
