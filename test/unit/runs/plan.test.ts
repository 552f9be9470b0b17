import { expect, test } from 'vitest';
import { linkOf } from '../../../src/app/address/url.ts';
import { timeless } from '../../timeless.ts';
import { Page } from './sessionPage.ts';

const schedule = [
  { step: 1, changes: { learningRate: 1e-3 } },
  { step: 3, changes: { rule: 'grpo-or' } },
];

test('a dropped plan has no effect in its run, after the loss of the device and in a resumed run', async () => {
  const page = new Page();
  page.start(false, { schedule });
  await page.paused();
  await page.steps(2);
  page.send({ type: 'drop-plan' });
  await page.waitFor('event', ({ event }) => event.kind === 'unplanned' && event.step === 2);
  const { saved } = await page.waitFor('checkpoint', ({ saved }) =>
    saved.events.some(({ kind }) => kind === 'unplanned'),
  );
  page.loseDevice();
  await page.waitFor('event', ({ event }) => event.kind === 'recovered');
  await page.steps(2);
  expect(page.metrics.map(({ rule }) => rule)).toEqual(['mt-grpo', 'mt-grpo', 'mt-grpo', 'mt-grpo']);

  const again = new Page();
  again.start(false, { schedule }, saved);
  await again.paused();
  await again.steps(2);
  expect(again.metrics.map(timeless)).toEqual(page.metrics.slice(2).map(timeless));

  // The link to reproduce the run contains only the changes of the plan that took effect.
  const link = linkOf(saved);
  expect(link.schedule).toEqual(schedule.slice(0, 1));
  const replayed = new Page();
  replayed.start(false, { schedule: link.schedule });
  await replayed.paused();
  await replayed.steps(4);
  expect(replayed.metrics.map(timeless)).toEqual(page.metrics.map(timeless));
});

test('a command to drop a plan without later changes logs no event', async () => {
  const page = new Page();
  page.start(false, { schedule: schedule.slice(0, 1) });
  await page.paused();
  await page.steps(1);
  page.send({ type: 'drop-plan' });
  await page.steps(1);
  const kinds = page.messages.flatMap((message) => (message.type === 'event' ? [message.event.kind] : []));
  expect(kinds).toEqual(['schedule']);
});
