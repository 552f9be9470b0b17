import { expect, test } from 'vitest';
import { eventually, pause, readRun, SMALL, untilKept, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test('after one visit the page opens without a network, and the run goes on', async () => {
  const { page, context, errors, close } = await openPage(SMALL, { serviceWorkers: 'allow' });
  await untilStep(page, 2);
  const { step, metrics } = await pause(page);
  await untilKept(page, step);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller) return;
    await new Promise((done) => navigator.serviceWorker.addEventListener('controllerchange', done, { once: true }));
  });
  expect(errors).toEqual([]);
  await context.setOffline(true);
  await page.reload();
  await page.getByText(`Your run was resumed, paused at step ${step}.`).waitFor();
  await untilStatus(page, 'paused');
  await eventually(async () => (await readRun(page)).metrics).toEqual(metrics);
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, step + 1);
  await untilStatus(page, 'paused');
  // Another world of the same environment has a starting policy of its own, which was never used before.
  await page.getByRole('button', { name: 'Over-searching' }).click();
  await page.waitForURL(/maxTurns=/);
  // It stands, as the run before it did.
  await untilStatus(page, 'paused');
  await page.getByRole('button', { name: 'Play' }).click();
  await untilStep(page, 1);
  await eventually(async () => (await readRun(page)).problems).toEqual([]);
  await close();
});
