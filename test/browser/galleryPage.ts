import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll } from 'vitest';
import { root } from '../files.ts';
import { eventually } from './app.ts';
import { buildSite } from './buildSite.ts';
import { type OpenPage, openPage } from './chromium.ts';
import { SITE_PATH, serveSite } from './siteServer.ts';

const AXE = readFileSync(`${root}/node_modules/axe-core/axe.min.js`, 'utf8');

/** Rules of axe for complete pages. They do not apply to the gallery, and tests of the page check them. */
const OF_PAGES = ['region', 'heading-order', 'page-has-heading-one', 'landmark-*', 'skip-link', 'bypass'];

let opened: OpenPage;

/** Returns the gallery of the test file. */
export const gallery = (): OpenPage => opened;

/** Builds and opens the gallery before the tests of a file, and closes it after them. */
export function openGallery(): void {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-gallery-'));
  let server: Server;

  beforeAll(async () => {
    await buildSite('gallery.html', folder);
    const served = await serveSite(folder);
    server = served.server;
    opened = await openPage(new URL(`${SITE_PATH}gallery.html`, served.origin).href);
  });

  afterAll(async () => {
    await opened?.close();
    server?.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });
}

/** Shows the gallery in a theme at a width [px], and waits until all drawings are complete. */
export async function show(colorScheme: 'light' | 'dark', width: number): Promise<void> {
  const { page } = gallery();
  await page.emulateMedia({ colorScheme });
  // With a high window, the gallery needs fewer scroll positions until every part was visible.
  await page.setViewportSize({ width, height: 3000 });
  await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
  await page.evaluate(() => globalThis.gallery.settled());
}

/** Returns findings of axe in the elements of the gallery, each with its element. */
async function violations(): Promise<string[]> {
  const { page } = gallery();
  await page.evaluate(AXE);
  return page.evaluate(async (ofPages) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<AxeResults>; getRules(): { ruleId: string }[] };
    };
    const left = axe
      .getRules()
      .filter(({ ruleId }) =>
        ofPages.some((rule) => ruleId === rule || (rule.endsWith('*') && ruleId.startsWith(rule.slice(0, -1)))),
      );
    const rules = Object.fromEntries(left.map(({ ruleId }) => [ruleId, { enabled: false }]));
    const { violations } = await axe.run({ rules, resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
    );
  }, OF_PAGES);
}

/** Expects that no specimen is too wide and that axe has no findings. */
export async function expectNoFindings(colorScheme: 'light' | 'dark', width: number): Promise<void> {
  await show(colorScheme, width);
  const wide = () =>
    gallery().page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.stage, html')].flatMap(({ scrollWidth, clientWidth, dataset }) =>
        scrollWidth > clientWidth ? `${dataset.picture ?? 'page'}: ${scrollWidth - clientWidth} pixels too wide` : [],
      ),
    );
  await eventually(wide).toEqual([]);
  await eventually(violations).toEqual([]);
}
