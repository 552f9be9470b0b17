import { expect, test } from 'vitest';
import { type App, curveOf, eventually, openSeveral, readRun, STACKED, scrollToChart, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test('several seeds train sequentially, and the chart shows their curves and their mean', async () => {
  const { page, errors, close } = await openPage(`${STACKED}&rule=mt-grpo&seed=2`);
  await untilStep(page, 2);
  await openSeveral(page);
  const panel = page.locator('tw-several-runs');
  await panel.getByRole('combobox', { name: 'Seeds' }).selectOption('3');
  await panel.getByRole('combobox', { name: 'updates each' }).selectOption('30');
  await page.getByRole('button', { name: 'Train 3 seeds' }).click();
  const seeds = page.locator('tw-seeds');
  await seeds.getByText(/[12] of 3 seeds done/).waitFor();
  await seeds.getByRole('button', { name: 'Stop' }).click();
  await seeds.getByRole('button', { name: 'Resume' }).click();
  await seeds.getByText('3 of 3 seeds done').waitFor();
  await seeds.locator('.legend').getByText('Mean of 3 seeds').waitFor();
  await scrollToChart(page, 'tw-seeds tw-line-chart');
  await eventually(() => seeds.locator('.band path').count()).toBe(1);
  await eventually(() => seeds.locator('.lines path.thin').count()).toBe(3);
  // The run of the page was paused. Its seed is one of the seeds, so the curves are equal.
  const { metrics, status } = await readRun(page, 'metrics', 'status');
  expect(status).toBe('paused');
  const second = await page.evaluate(
    () => (document.querySelector('tw-app') as App).run.series?.seeds.find(({ seed }) => seed === 2)?.metrics,
  );
  const both = Math.min(metrics.length, 30);
  expect(curveOf((second ?? []).slice(0, both))).toEqual(curveOf(metrics.slice(0, both)));
  expect(errors).toEqual([]);
  await close();
});
