import { expect, test } from 'vitest';
import { eventually, openSettings, pause, readRun, SMALL, STACKED, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test('Back opens the previous run at its last step, and Forward opens the next run', async () => {
  const { page, errors, close } = await openPage(STACKED);
  await untilStep(page, 3);
  await page.getByRole('radio', { name: 'GRPO-OR', exact: true }).check({ force: true });
  await page.waitForURL(/at=/);
  const first = await pause(page);
  const address = page.url();
  const steps = await page.evaluate(() => history.length);

  await (await openSettings(page)).getByRole('button', { name: 'Switch early' }).click();
  await page.waitForURL(/knownShare=0\.75/);
  // The new run is paused, like the previous run.
  await untilStatus(page, 'paused');
  await page.locator('tw-line-chart[large] .empty').getByText('No update yet. Press Play.').waitFor();
  await page.getByRole('button', { name: 'Play' }).click();
  await untilStep(page, 2);
  const seed = (await openSettings(page)).getByRole('spinbutton', { name: 'Seed' });
  await seed.fill('5');
  await seed.press('Enter');
  await page.waitForURL(/seed=5/);
  // The new run plays, like the previous run.
  await untilStep(page, 1);
  await (await openSettings(page)).getByRole('radio', { name: 'Repair', exact: true }).click({ force: true });
  await page.waitForURL(/environment=repair/);
  await untilStatus(page, 'playing');
  await eventually(() => page.evaluate(() => history.length)).toBe(steps + 3);

  await page.goBack();
  await eventually(() => readRun(page)).toMatchObject({ configuration: { environment: 'search', seed: 5 } });
  await page.goBack();
  await eventually(() => readRun(page)).toMatchObject({
    status: 'paused',
    configuration: { settings: { knownShare: 0.75 }, seed: 1 },
  });
  await eventually(async () => (await readRun(page, 'step')).step).toBeGreaterThanOrEqual(2);
  await page.goBack();
  await eventually(() => readRun(page)).toMatchObject({ status: 'paused', step: first.step, metrics: first.metrics });
  await eventually(() => readRun(page)).toMatchObject({ events: first.events, controls: first.controls });
  await page.getByText(`Your run was resumed, paused at step ${first.step}.`).waitFor();
  expect(page.url()).toBe(address);
  await page.goForward();
  await eventually(() => readRun(page)).toMatchObject({ configuration: { settings: { knownShare: 0.75 }, seed: 1 } });
  expect(page.url()).toContain('knownShare=0.75');
  expect(errors).toEqual([]);
  await close();
});

test('Play and Step are disabled while a run loads', async () => {
  const script = `globalThis.Worker = class extends globalThis.Worker { postMessage() {} };`;
  const { page, close } = await openPage(SMALL, { before: script });
  await page.getByText('Loading · update 0').waitFor();
  await eventually(() => page.getByRole('button', { name: 'Play' }).isDisabled()).toBe(true);
  await eventually(() => page.getByRole('button', { name: 'Step', exact: true }).isDisabled()).toBe(true);
  await close();
});
