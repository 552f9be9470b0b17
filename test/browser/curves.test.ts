import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { CHARTS, type ChartDefinition, showValue } from '../../src/app/curves/chartDefinitions.ts';
import { metricOf } from '../../src/app/curves/series.ts';
import type { Metrics } from '../../src/training/data/protocol.ts';
import { eventually, pause, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

/** Query of a small Repair run that is measured on held-out tasks before its first and its third update. */
const REPAIR =
  '?v=1&environment=repair&groupSize=4&programs=8&minibatches=1&heldOutMode=on&heldOutEvery=2&heldOutTasks=4&panels=chart,curves';

const chartOf = (page: Page, title: string) =>
  page.locator('tw-line-chart').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

/** Scrolls to a chart, because the page draws only visible charts, and returns the texts of its legend. */
async function legendOf(page: Page, title: string): Promise<string[]> {
  await chartOf(page, title).scrollIntoViewIfNeeded();
  return chartOf(page, title).locator('.legend b').allInnerTexts();
}

const values = (chart: ChartDefinition, row: Metrics | undefined) =>
  chart.series.map(({ key }) => (row ? showValue(chart, metricOf(row, key)) : ''));

test('a Repair run has its main chart, charts of tests and held-out tasks, and no chart of searches', async () => {
  const { page, errors, close } = await openPage(REPAIR);
  await untilStep(page, 3);
  const { metrics } = await pause(page);
  const { main, small } = CHARTS.repair;
  const last = metrics.at(-1);
  await eventually(() => page.locator('tw-line-chart[large] h3').innerText()).toBe(main.title);
  await eventually(() => legendOf(page, main.title)).toEqual(values(main, last));
  const paths = chartOf(page, main.title).locator('.lines path');
  const drawn = () => paths.evaluateAll((all) => all.map((path) => (path.getAttribute('d') ?? '').length > 0));
  await eventually(drawn).toEqual(
    main.series.map(({ key }) => metrics.some((row) => Number.isFinite(metricOf(row, key)))),
  );

  const tested = small.find(({ id }) => id === 'tests') as ChartDefinition;
  await eventually(() => legendOf(page, tested.title)).toEqual(values(tested, last));
  const evaluationChart = small.find(({ id }) => id === 'held-out') as ChartDefinition;
  const measured = metrics.filter(({ heldOut }) => heldOut !== null);
  expect(measured.map(({ step }) => step).slice(0, 2)).toEqual([0, 2]);
  await eventually(() => legendOf(page, evaluationChart.title)).toEqual(values(evaluationChart, measured.at(-1)));
  const points = chartOf(page, evaluationChart.title).locator('.points circle');
  await eventually(() => points.count()).toBe(2 * measured.length);

  // If the adapter has timestamps, credit and optimisation are separate lines.
  const phases = last?.creditMs == null ? 3 : 4;
  await eventually(() => legendOf(page, 'Update time')).toHaveLength(phases);
  await eventually(() => page.getByRole('heading', { name: 'P(search)' }).count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});
