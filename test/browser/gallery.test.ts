import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../files.ts';
import { ELSEWHERE, FOLDERS } from '../gallery/specimens/index.ts';
import { eventually, readWhen } from './app.ts';
import { buildSite } from './buildSite.ts';
import { type OpenPage, openPage } from './chromium.ts';
import { SITE_PATH, serveSite } from './siteServer.ts';

const AXE = readFileSync(`${root}/node_modules/axe-core/axe.min.js`, 'utf8');

/** Of a page as a whole, which shows each of its parts once: the tests of the page hold them. */
const OF_PAGES = ['region', 'heading-order', 'page-has-heading-one', 'landmark-*', 'skip-link', 'bypass'];

/** Elements that draw. */
const DRAWINGS = [
  ...[
    'tw-claim-figure',
    'tw-class-chart',
    'tw-line-chart',
    'tw-predict-chart',
    'tw-print-sheet',
    'tw-program-tree',
    'tw-rollout-tree',
    'tw-spread',
    'tw-test-weights',
    'tw-truth-scatter',
    'tw-why-moves',
  ],
];

const folder = mkdtempSync(join(tmpdir(), 'turnwise-gallery-'));
let server: Server;
let gallery: OpenPage;

beforeAll(async () => {
  await buildSite('gallery.html', folder);
  const served = await serveSite(folder);
  server = served.server;
  gallery = await openPage(new URL(`${SITE_PATH}gallery.html`, served.origin).href);
});

afterAll(async () => {
  await gallery?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** Shows the gallery in a theme at a width, with every drawing drawn anew. */
async function show(colorScheme: 'light' | 'dark', width: number): Promise<void> {
  const { page } = gallery;
  await page.emulateMedia({ colorScheme });
  // High: the fewer stretches of it are seen, the sooner all of it was.
  await page.setViewportSize({ width, height: 3000 });
  await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
  await page.evaluate(() => globalThis.gallery.settled());
}

/** What axe finds wrong with the elements as they stand, each with its place. */
async function violations(): Promise<string[]> {
  const { page } = gallery;
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

test('opens without an error and shows every specimen', async () => {
  const specimens = Object.values(FOLDERS).flatMap((own) => Object.values(own).flat());
  await eventually(() => gallery.page.locator('.stage').count()).toBe(specimens.length);
  await eventually(() => gallery.page.locator('section.kind').count()).toBe(
    Object.values(FOLDERS).flatMap((own) => Object.keys(own)).length + Object.keys(ELSEWHERE).length,
  );
  expect(gallery.errors).toEqual([]);
});

test('its drawings are as they were', async () => {
  await show('light', 1000);
  const { page } = gallery;
  let before = '';
  const pictures = await readWhen(
    () => page.evaluate(() => globalThis.gallery.pictures()),
    (now) => {
      const [last, text] = [before, JSON.stringify(now)];
      before = text;
      return text === last;
    },
  );
  expect(Object.keys(pictures).sort()).toEqual(DRAWINGS);
  for (const [name, picture] of Object.entries(pictures)) {
    await expect(picture).toMatchFileSnapshot(`../fixtures/gallery/${name}.txt`);
  }
});

test.each([
  ['light', 1000],
  ['dark', 1000],
  ['light', 320],
] as const)('nothing is wrong with it in %s at %i px', async (scheme, width) => {
  await show(scheme, width);
  const wide = () =>
    gallery.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.stage, html')].flatMap(({ scrollWidth, clientWidth, dataset }) =>
        scrollWidth > clientWidth ? `${dataset.picture ?? 'page'}: ${scrollWidth - clientWidth} pixels too wide` : [],
      ),
    );
  await eventually(wide).toEqual([]);
  await eventually(violations).toEqual([]);
});
