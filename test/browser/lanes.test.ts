import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRunFile } from '../../src/storage/runFile.ts';
import {
  type App,
  curveOf,
  eventually,
  lanesAt,
  openSeveral,
  pause,
  readLanes,
  STACKED,
  scrollToChart,
  untilStep,
} from './app.ts';
import { openPage } from './chromium.ts';

test('a fork shares its past with the run, appears in the same chart, and is part of the link', async () => {
  const { page, errors, close } = await openPage(`${STACKED}&rule=mt-grpo&seed=2`);
  await untilStep(page, 3);
  const { step: forked } = await pause(page);
  const end = forked + 4;
  await openSeveral(page);
  await page.getByRole('button', { name: 'Fork here' }).click();
  await page.locator('tw-lanes').getByText('2 MT-GRPO, from step').waitFor();
  await page.getByRole('button', { name: 'Play' }).click();
  await lanesAt(page, end);
  await pause(page);
  const [first, second] = await readLanes(page);
  if (!first || !second) throw new Error('a run is missing');
  expect([first.rule, second.rule]).toEqual(['mt-grpo', 'grpo-or']);
  const at = second.metrics.findIndex(({ rule }) => rule === 'grpo-or');
  expect(curveOf(second.metrics.slice(0, at))).toEqual(curveOf(first.metrics.slice(0, at)));
  expect(curveOf(second.metrics.slice(at + 1, end))).not.toEqual(curveOf(first.metrics.slice(at + 1, end)));

  // Both runs are in one chart, and the legend lists both.
  const chart = await scrollToChart(page);
  await chart
    .locator('.legend')
    .getByText(/GRPO-OR/)
    .waitFor();
  await eventually(() => chart.locator('.legend li').count()).toBe(2);
  await page.locator('tw-lanes').getByRole('radio').nth(1).check();
  await page.locator('tw-page-header').getByRole('radio', { name: 'GRPO-OR', exact: true, checked: true }).waitFor();

  // The address reproduces both runs.
  await page.waitForURL((url) => url.searchParams.get('runs') === `at=${at}:rule=grpo-or`);
  const again = await openPage(page.url());
  await lanesAt(again.page, end);
  const both = await readLanes(again.page);
  expect(both.map(({ metrics }) => curveOf(metrics.slice(0, end)))).toEqual(
    [first, second].map(({ metrics }) => curveOf(metrics.slice(0, end))),
  );
  await again.close();

  // A closed run remains in the list of saved runs.
  await page.getByRole('button', { name: /^Close run 2/ }).click();
  await eventually(async () => (await readLanes(page)).length).toBe(1);
  await page.locator('tw-run-list').getByText('MT-GRPO → GRPO-OR, seed 2').waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('runs under three rules start with the same batch, and a reopened page continues all of them', async () => {
  const { page, context, errors, close } = await openPage(`${STACKED}&rule=mt-grpo&seed=2`);
  await untilStep(page, 2);
  await openSeveral(page);
  await page.getByRole('button', { name: 'Train 3 rules' }).click();
  await eventually(async () => (await readLanes(page)).length).toBe(3);
  await lanesAt(page, 4);
  await pause(page);
  await eventually(async () => (await readLanes(page)).map(({ status }) => status)).toEqual(Array(3).fill('paused'));
  const before = await readLanes(page);
  expect(before.map(({ rule }) => rule)).toEqual(['mt-grpo', 'grpo-or', 'grpo-mr']);
  // The exported file has the selected run.
  await page.locator('tw-lanes').getByRole('radio').nth(1).check();
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export run' }).click();
  const given = await waiting;
  expect(given.suggestedFilename()).toMatch(/^turnwise-grpo-or-seed-2-step-\d+\.json$/);
  const { configuration, metrics } = readRunFile(readFileSync(await given.path(), 'utf8'));
  expect([configuration.controls.rule, curveOf(metrics)]).toEqual(['grpo-or', curveOf(before[1]?.metrics ?? [])]);
  // The first batch is sampled from the same policy under all rules.
  expect(new Set(before.map(({ metrics }) => metrics[0]?.entropy)).size).toBe(1);
  await page.waitForURL((url) => url.searchParams.get('runs') === 'rule=grpo-or|rule=grpo-mr');
  await page.evaluate(() => (document.querySelector('tw-app') as App).run.storage.written);
  const address = page.url();
  await page.close();
  const again = await openPage(address, { context });
  await eventually(async () => (await readLanes(again.page)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  await eventually(async () => (await readLanes(again.page)).map(({ metrics }) => curveOf(metrics))).toEqual(
    before.map(({ metrics }) => curveOf(metrics)),
  );
  expect([...errors, ...again.errors]).toEqual([]);
  await close();
});
