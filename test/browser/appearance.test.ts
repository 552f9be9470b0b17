import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../files.ts';
import { eventually, many, pause, readRun, SMALL, unfold, untilKept, untilStatus, untilStep } from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';
import { breakTraining } from './faults.ts';

const AXE = readFileSync(`${root}/node_modules/axe-core/axe.min.js`, 'utf8');

/** A page with something in each of its places: notices, a problem, events, a kept run, tables, everything unfolded. */
let full: OpenPage;

beforeAll(async () => {
  full = await openPage(`${SMALL}&at=1:rule=grpo-or&${'mood'.repeat(9)}=good`, { breakable: true });
  const { page } = full;
  await untilStep(page, 3);
  const { step } = await pause(page);
  await untilKept(page, step);
  await breakTraining(page, 'lose-device');
  await page.getByRole('alert', { name: 'Problems' }).getByText('The GPU device was lost').waitFor();
  await untilStatus(page, 'paused');
  await unfold(page);
  const charts = page.locator('tw-line-chart');
  await charts.nth(9).waitFor();
  for (let index = 0; index < (await many(charts)); index++) {
    await charts
      .nth(index)
      .getByRole('button', { name: /^Table: / })
      .click();
  }
  await page.getByRole('button', { name: /^What is Learning rate/ }).click();
  await page.locator('tw-chart-table table').nth(8).waitFor();
});

/** Opens the theme and the width that a test is about. */
async function show(page: Page, colorScheme: 'light' | 'dark', width: number): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Serious findings, each with the places where it was found. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<AxeResults> } };
    return axe.run();
  });
  const serious = violations.filter(
    // Landmarks that share their name are a moderate finding, and no help in a list of landmarks.
    ({ id, impact }) => impact === 'serious' || impact === 'critical' || id === 'landmark-unique',
  );
  return serious.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
  );
}

test.each([320, 390, 768, 1440])('nothing scrolls sideways at %i px, in light and in dark', async (width) => {
  const { page } = full;
  for (const scheme of ['light', 'dark'] as const) {
    await show(page, scheme, width);
    const wide = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
    await eventually(() => page.evaluate(wide), `pixels too wide in ${scheme}`).toBeLessThanOrEqual(0);
    await eventually(async () => (await page.locator('tw-rule-switch').boundingBox())?.width).toBeGreaterThan(150);
  }
});

test.each([
  ['light', 360],
  ['dark', 360],
  ['light', 1280],
  ['dark', 1280],
] as const)('contrast, names and structure hold in %s at %i px', async (scheme, width) => {
  const { page } = full;
  await show(page, scheme, width);
  await eventually(() => findings(page)).toEqual([]);
});

test('contrast, names and structure hold while it trains and where WebGPU is missing', async () => {
  const training = await openPage(SMALL);
  await untilStep(training.page, 2);
  await eventually(() => findings(training.page)).toEqual([]);
  await training.close();
  const missing = await openPage('', { before: 'delete Navigator.prototype.gpu;', colorScheme: 'dark' });
  await missing.page.getByText('WebGPU is missing').waitFor();
  await eventually(() => findings(missing.page)).toEqual([]);
  await missing.close();
});

test('the rule switch stays in view, and each theme is its own', async () => {
  const { page } = full;
  const grounds = new Set<string>();
  for (const scheme of ['light', 'dark'] as const) {
    await show(page, scheme, 390);
    grounds.add(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor));
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const top = async () => (await page.locator('tw-rule-switch').boundingBox())?.y ?? -1;
    await eventually(async () => [await top()].filter((y) => y >= 0 && y < 160)).toHaveLength(1);
  }
  expect(grounds.size).toBe(2);
  await eventually(async () => (await readRun(page)).controls.rule).toBe('grpo-or');
});

test('where less motion is wanted, nothing moves by itself', async () => {
  const { page, close } = await openPage(SMALL, { reducedMotion: 'reduce' });
  await untilStep(page, 2);
  await page.getByRole('button', { name: 'Pause' }).hover();
  await page.getByRole('radio', { name: 'GRPO-OR' }).check({ force: true });
  const moving = await page.evaluate(() => {
    const found: string[] = [];
    const visit = (place: Document | ShadowRoot) => {
      for (const animation of place.getAnimations()) found.push(`runs: ${animation.id}`);
      for (const element of place.querySelectorAll('*')) {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
        const still = animationName === 'none' && /^[0s, ]+$/.test(transitionDuration) && scrollBehavior === 'auto';
        if (!still) found.push(`${element.localName}.${element.className}`);
        if (element.shadowRoot) visit(element.shadowRoot);
      }
    };
    visit(document);
    return found;
  });
  expect(moving).toEqual([]);
  await close();
});
