import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { IS_LONG } from '../isLong.ts';
import { eventually, readRun, SMALL, untilStep } from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';
import { openFullPage } from './fullPage.ts';

/** Widths of windows [px]. */
const WIDTHS = [320, 390, 768, 1440];

let full: OpenPage;

beforeAll(async () => {
  full = await openFullPage();
});

/** Sets the theme and the width [px] of the page. */
async function show(page: Page, colorScheme: 'light' | 'dark', width: number): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// The gate checks two widths, `npm run test:all` checks all widths.
test.each(IS_LONG ? WIDTHS : [320, 1440])(
  'the page does not scroll horizontally at %i px in either theme',
  async (width) => {
    const { page } = full;
    for (const scheme of ['light', 'dark'] as const) {
      await show(page, scheme, width);
      const wide = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
      await eventually(() => page.evaluate(wide), `pixels too wide in ${scheme}`).toBeLessThanOrEqual(0);
      await eventually(async () => (await page.locator('tw-rule-switch').boundingBox())?.width).toBeGreaterThan(150);
    }
  },
);

test.each([320, 390])('all six links of the navigation are visible at %i px', async (width) => {
  const { page, close } = await openPage('#python', { viewport: { width, height: 800 } });
  const links = page.locator('tw-places').getByRole('link');
  await eventually(() => links.count()).toBe(6);
  const right = () => links.evaluateAll((all) => Math.max(...all.map((link) => link.getBoundingClientRect().right)));
  await eventually(right).toBeLessThanOrEqual(width);
  await close();
});

test('the tabs Compare runs, Glossary and Rewards show their content when they open', async () => {
  const { page, close } = await openPage(SMALL);
  const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
  await tab('Compare runs');
  await page.getByRole('button', { name: 'Fork here' }).waitFor();
  await tab('Glossary');
  await page.locator('tw-words').getByText('Masked from the loss').waitFor();
  await tab('Rewards');
  // The longest word of a label fits into its column.
  const label = page.locator('tw-parameter').getByText('Missing turns', { exact: true });
  await eventually(async () => (await label.boundingBox())?.width).toBeGreaterThan(50);
  await close();
});

test('axe has no findings on a page with all panels, notices and tables', async () => {
  await expectAccessible(full.page);
});

test('the rule switch remains visible after scrolling, and the themes have different backgrounds', async () => {
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
  await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('grpo-or');
});

test('with reduced motion, the page has no animations and transitions', async () => {
  const { page, close } = await openPage(SMALL, { reducedMotion: 'reduce' });
  await untilStep(page, 2);
  await page.getByRole('button', { name: 'Pause' }).hover();
  await page.getByRole('radio', { name: 'GRPO-OR' }).check({ force: true });
  const moving = await page.evaluate(() => {
    const entries: string[] = [];
    const visit = (root: Document | ShadowRoot) => {
      for (const animation of root.getAnimations()) entries.push(`runs: ${animation.id}`);
      for (const element of root.querySelectorAll('*')) {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
        const still = animationName === 'none' && /^[0s, ]+$/.test(transitionDuration) && scrollBehavior === 'auto';
        if (!still) entries.push(`${element.localName}.${element.className}`);
        if (element.shadowRoot) visit(element.shadowRoot);
      }
    };
    visit(document);
    return entries;
  });
  expect(moving).toEqual([]);
  await close();
});
