import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, readRun, readWhen, SMALL, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

const linkOf = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });

// Runs of a claim take 90 s on an idle machine, so the gate excludes them.

test('without WebGPU, the runs of a claim train, stop and continue, and remain after navigation', async () => {
  const { page, errors, close } = await openPage(SMALL, { before: 'delete Navigator.prototype.gpu;' });
  await untilStep(page, 1);
  await page.getByRole('button', { name: 'Pause' }).click();
  const { step } = await readRun(page, 'step');
  await page.evaluate(() => {
    location.hash = '#lab/t4';
  });
  await page.getByRole('button', { name: /^Run this seed here: 6 arms$/ }).click();
  const lanes = page.getByRole('list', { name: 'Training now' });
  await eventually(() => lanes.getByRole('listitem').count()).toBe(4);
  const updates = () =>
    page
      .getByRole('progressbar', { name: 'Updates of all runs' })
      .evaluate((bar) => (bar as HTMLProgressElement).value);
  await eventually(updates).toBeGreaterThanOrEqual(4);
  await page.getByText(/ left$/).waitFor();
  await page.locator('tw-claim-runs').getByText('seed 1 here').filter({ visible: true }).first().waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
  const stopped = await readWhen(updates, (done) => done > 0);

  // The run of the Playground continues, and the claim is unchanged when the user returns.
  await linkOf(page, 'Playground').click();
  await eventually(async () => (await readRun(page, 'step')).step).toBeGreaterThanOrEqual(step);
  await linkOf(page, 'Lessons').click();
  await page.goBack();
  await page.goBack();
  await eventually(updates).toBe(stopped);
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await eventually(updates).toBeGreaterThan(stopped);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  expect(errors).toEqual([]);
  await close();
});
