import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, pause, readRun, SMALL, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible, landmarks } from './findings.ts';

const link = (page: Page, name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

test('the run continues during navigation to the Inspector and back, and the opened group remains', async () => {
  const { page, errors, close } = await openPage(SMALL);
  await untilStep(page, 1);
  await link(page, 'Inspector').focus();
  await page.keyboard.press('Enter');
  await heading(page, 'Inspector').waitFor();
  await eventually(() => page.title()).toBe('Inspector · Turnwise');
  await eventually(() => page.locator('tw-page-header, tw-curves').locator('visible=true').count()).toBe(0);
  const { step } = await readRun(page, 'step');
  await untilStep(page, step + 2);
  // Keys control the run only in the Playground.
  await page.keyboard.press('2');
  await page.getByRole('button', { name: 'Open the group of the run' }).click();
  await page.getByText(/^the run, update \d+, group \d+/).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await untilStatus(page, 'paused');
  const initial = await readRun(page);
  expect(initial.controls.rule).toBe('mt-grpo');

  await link(page, 'Playground').click();
  await page.locator('tw-rule-switch').waitFor();
  await eventually(() => page.locator('tw-inspector').isVisible()).toBe(false);
  await eventually(async () => (await readRun(page, 'step')).step).toBe(initial.step);
  await page.goBack();
  await page.getByText(/^the run, update \d+, group \d+/).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('if the Inspector opens first, it shows its panels, and no training starts', async () => {
  const { page, errors, close } = await openPage(`${SMALL}#inspect`);
  await untilStatus(page, 'paused');
  await eventually(() => page.title()).toBe('Inspector · Turnwise');
  const regions = await readUntil(page, 'region Measured turn values');
  expect(regions).toEqual(expect.arrayContaining(['region Groups', 'region Measured turn values', 'navigation Pages']));
  expect(regions).not.toContain('region Python');
  // A rewrite of the address during Back can cancel Back, so the test waits for the last rewrite, which adds the
  // engine.
  await page.waitForURL((url) => url.searchParams.has('engine'));
  await page.getByRole('link', { name: 'Python sandbox' }).click();
  await eventually(() => page.title()).toBe('Python · Turnwise');
  await page.getByRole('heading', { name: 'Python', exact: true }).waitFor();
  await page.goBack();
  await eventually(() => page.title()).toBe('Inspector · Turnwise');
  await expectAccessible(page);
  await eventually(async () => (await readRun(page, 'step')).step).toBe(0);
  await link(page, 'Playground').click();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await untilStep(page, 1);
  expect(errors).toEqual([]);
  await close();
});

async function readUntil(page: Page, landmark: string): Promise<readonly string[]> {
  await eventually(() => landmarks(page)).toContain(landmark);
  return landmarks(page);
}

test('addresses of earlier versions open the same panels', async () => {
  const chosen = await openPage(`${SMALL}&panels=inspector`);
  await chosen.page.locator('tw-inspector').waitFor();
  await eventually(() => chosen.page.locator('tw-group, tw-curves, tw-truth').count()).toBe(0);
  await chosen.close();
  // An embedded page without a list of panels has all panels, and no navigation.
  const frame = await openPage(`${SMALL}&embed=1`);
  for (const panel of ['tw-curves', 'tw-inspector', 'tw-truth', 'tw-python', 'tw-run-list']) {
    await frame.page.locator(panel).waitFor();
  }
  await eventually(() => frame.page.locator('tw-places').count()).toBe(0);
  await frame.close();
  // An embedded page with a fragment has the navigation.
  const named = await openPage(`${SMALL}&embed=1#inspect`);
  await named.page.locator('tw-inspector').waitFor();
  await link(named.page, 'Playground').click();
  await named.page.locator('tw-curves').waitFor();
  await eventually(() => named.page.locator('tw-inspector').isVisible()).toBe(false);
  await named.close();
});

test('the first screen shows rule switch, lanes of a group, main chart, sentence and tabs', async () => {
  const { page, close } = await openPage(SMALL, { viewport: { width: 1280, height: 800 } });
  await untilStep(page, 3);
  const { group } = await pause(page);
  const bottom = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => element.getBoundingClientRect().bottom);
  await eventually(() => page.locator('tw-picture .lane').count()).toBe(group?.rollouts.length);
  await eventually(() => bottom('tw-rule-switch')).toBeLessThan(100);
  await eventually(() => bottom('tw-line-chart[large]')).toBeLessThan(600);
  await eventually(() => bottom('tw-sentence')).toBeLessThan(660);
  await eventually(() => bottom('tw-picture')).toBeLessThan(680);
  await eventually(() => bottom('[role=tablist]')).toBeLessThan(760);
  await close();
});
