import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { root } from '../files.ts';
import { IS_LONG } from '../isLong.ts';
import { eventually } from './app.ts';

const AXE = readFileSync(`${root}/node_modules/axe-core/axe.min.js`, 'utf8');

/** Themes and widths [px] in which pages are checked. The gate uses the first entry, `npm run test:all` uses all. */
const APPEARANCES = [
  ['dark', 360],
  ['dark', 1280],
  ['light', 320],
  ['light', 1280],
] as const;

/** Options of axe without the contrast rule, which takes longer than all others. `npm run test:all` includes it. */
const WITHOUT_CONTRAST = { 'color-contrast': { enabled: false } };

/**
 * Expects that axe has no serious findings on a page (contrast, names, roles), and that the page does not scroll
 * horizontally. Restores theme and size.
 * @param part description of the page, for the message of a failure
 */
export async function expectAccessible(page: Page, part = ''): Promise<void> {
  const viewport = page.viewportSize();
  for (const [scheme, width] of IS_LONG ? APPEARANCES : APPEARANCES.slice(0, 1)) {
    await eventually(() => findings(page, scheme, width), `${part} in ${scheme} at ${width} px`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
  if (viewport) await page.setViewportSize(viewport);
}

/** Returns serious findings of axe with their elements in a theme and width, and the excess width of the page. */
async function findings(page: Page, colorScheme: 'light' | 'dark', width: number): Promise<string[]> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.evaluate(AXE);
  const { violations, wide } = await page.evaluate(
    async (rules) => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
      const { scrollWidth, clientWidth } = document.documentElement;
      return { ...(await axe.run({ rules, resultTypes: ['violations'] })), wide: scrollWidth - clientWidth };
    },
    IS_LONG ? {} : WITHOUT_CONTRAST,
  );
  const serious = violations.filter(
    ({ id, impact }) => impact === 'serious' || impact === 'critical' || id === 'landmark-unique',
  );
  const descriptions = serious.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
  );
  return wide > 0 ? [...descriptions, `${wide} pixels too wide`] : descriptions;
}

const LANDMARKS = ['banner', 'complementary', 'contentinfo', 'form', 'main', 'navigation', 'region', 'search'];

/** Returns the landmarks of a page in the order of a screen reader, each as "role name". */
export async function landmarks(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes
    .filter(({ ignored, role }) => !ignored && LANDMARKS.includes(String(role?.value)))
    .map(({ role, name }) => `${role?.value} ${name?.value ?? ''}`);
}
