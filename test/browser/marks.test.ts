import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  eventually,
  pause,
  readRun,
  readWhen,
  STACKED,
  scrollToChart,
  untilAnswered,
  untilStep,
  waitUntilSaved,
} from './app.ts';
import { openPage } from './chromium.ts';

const DROPPED = 'The scheduled changes were cancelled';

const at = (page: Page) => new URL(page.url()).searchParams.get('at');
const log = (page: Page) => page.locator('tw-event-log tbody td:last-child');
const labels = async (page: Page, chart?: string) =>
  (await scrollToChart(page, chart))
    .locator('.marks text')
    .evaluateAll((all) => all.map((text) => text.textContent).filter(Boolean));

/** Returns the number of overlapping pairs of labels in the large chart. */
async function overprinted(page: Page): Promise<number> {
  return (await scrollToChart(page)).locator('.marks text').evaluateAll((all) => {
    const boxes = all.filter((text) => text.textContent).map((text) => text.getBoundingClientRect());
    const meet = (a: DOMRect, b: DOMRect) =>
      a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
    return boxes.flatMap((a, index) => boxes.slice(index + 1).filter((b) => meet(a, b))).length;
  });
}

test('charts, log and link omit undone changes and merge repeated changes', async () => {
  const { page, errors, close } = await openPage(STACKED);
  await untilStep(page, 2);
  const { step } = await pause(page);
  for (const name of ['GRPO-OR', 'MT-GRPO', 'GRPO-OR', 'MT-GRPO', 'GRPO-OR', 'MT-GRPO']) {
    await page.getByRole('radio', { name, exact: true }).check({ force: true });
  }
  await eventually(async () => (await readRun(page, 'events')).events.length).toBe(6);
  await page.getByText('No events yet.').waitFor();
  await eventually(() => labels(page)).toEqual([]);

  const slider = page.getByRole('slider', { name: 'Tool skipped' });
  await slider.focus();
  for (let press = 0; press < 12; press += 1) await page.keyboard.press('ArrowLeft');
  await eventually(async () => (await readRun(page, 'events')).events.at(-1)?.changes).toEqual({ rewardSkip: -0.8 });
  await page.getByRole('radio', { name: 'GRPO-OR', exact: true }).check({ force: true });
  await eventually(() => log(page).allInnerTexts()).toEqual([
    'Credit rule: MT-GRPO → GRPO-OR, Tool skipped: −0.2 → −0.8',
  ]);
  await eventually(() => labels(page)).toEqual(['rule → GRPO-OR', 'Tool skipped → −0.8']);
  await eventually(() => labels(page, 'tw-line-chart:not([large])')).toEqual(['→ GRPO-OR']);
  await eventually(() => overprinted(page)).toBe(0);
  await eventually(() => at(page)).toBe(`${step}:rewardSkip=-0.8,rule=grpo-or`);

  // The saved run shows the same changes.
  await page.getByRole('button', { name: 'Play' }).click();
  await untilStep(page, step + 2);
  const { metrics } = await pause(page);
  expect(metrics[step]?.rule).toBe('grpo-or');
  await waitUntilSaved(page, step + 2);
  await page.reload();
  await page.getByText(/^Your run was resumed, paused at step/).waitFor();
  await eventually(() => log(page).allInnerTexts()).toEqual([
    'Credit rule: MT-GRPO → GRPO-OR, Tool skipped: −0.2 → −0.8',
  ]);
  await eventually(() => labels(page)).toEqual(['rule → GRPO-OR', 'Tool skipped → −0.8']);
  expect(errors).toEqual([]);
  await close();
});

test('a scheduled rule appears in chart and header, and the user can override and cancel it', async () => {
  const { page, errors, close } = await openPage(`${STACKED}&rule=grpo-or&at=80:rule=mt-grpo`);
  await page.getByText('Scheduled: MT-GRPO from step 80.').waitFor();
  await untilStep(page, 2);
  await eventually(() => labels(page)).toEqual(['scheduled: rule → MT-GRPO']);
  const { step } = await pause(page);
  const first = page.getByRole('radio', { name: 'MT-GRPO', exact: true });
  const position = await readWhen(
    () => first.boundingBox(),
    (box) => box !== null,
  );
  await page.keyboard.press('3');
  await page.getByText('Manual rule until step 80, then MT-GRPO as scheduled.').waitFor();
  await eventually(() => first.boundingBox()).toEqual(position);
  // On a phone, the header remains small with a schedule.
  await page.setViewportSize({ width: 360, height: 640 });
  await page.evaluate(() => scrollTo(0, 1000));
  const measureHeader = () =>
    page.locator('tw-page-header').evaluate((header) => header.getBoundingClientRect().bottom);
  await eventually(measureHeader).toBeLessThan(95);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Cancel schedule' }).click();
  await eventually(() => page.locator('tw-rule-plan p').count()).toBe(0);
  // The pressed button is removed, so the focus moves to the active rule.
  await page.locator('tw-rule-switch input[value="grpo-mr"]:focus').waitFor();
  await eventually(() => at(page)).toBe(`${step}:rule=grpo-mr`);
  await eventually(() => labels(page)).toEqual(['rule → GRPO-MR']);
  await eventually(() => log(page).allInnerTexts()).toContain(DROPPED);
  // The schedule remains cancelled after a reload.
  await untilAnswered(page);
  await waitUntilSaved(page, step);
  await page.reload();
  await page.getByText(/^Your run was resumed, paused at step/).waitFor();
  await eventually(() => log(page).allInnerTexts()).toContain(DROPPED);
  await eventually(() => page.locator('tw-rule-plan p').count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('an SVG file of a chart contains its title, run and legend, and is small', async () => {
  const { page, close } = await openPage(`${STACKED}&at=1:rule=grpo-or`);
  await untilStep(page, 3);
  await pause(page);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'SVG: Tool use and accuracy' }).click(),
  ]);
  const text = await readFile(await file.path(), 'utf8');
  const rendered = await page.evaluate((source) => {
    const svg = new DOMParser().parseFromString(source, 'image/svg+xml').documentElement as unknown as SVGSVGElement;
    document.body.append(svg);
    const { top, left, right, bottom } = svg.getBoundingClientRect();
    const outside = [...svg.querySelectorAll('text')].filter((element) => {
      const box = element.getBoundingClientRect();
      return box.top < top - 1 || box.left < left - 1 || box.right > right + 1 || box.bottom > bottom + 1;
    });
    const texts = [...svg.querySelectorAll('text')].map((element) => element.textContent);
    const stroke = getComputedStyle(svg.querySelector('path[d*="L"]') as Element).stroke;
    svg.remove();
    return { texts, stroke, outside: outside.map((element) => element.textContent) };
  }, text);
  expect(rendered.texts).toEqual(
    expect.arrayContaining([
      'Tool use and accuracy',
      'Search: MT-GRPO, from step 1 GRPO-OR; seed 1',
      'update',
      'tool use',
    ]),
  );
  expect(rendered.outside).toEqual([]);
  expect(rendered.stroke).toMatch(/^rgb/);
  expect(text).not.toContain('style="fill');
  expect(text.length).toBeLessThan(10_000);
  await close();
});
