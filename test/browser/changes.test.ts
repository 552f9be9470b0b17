import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { CHARTS, filterChartLines, showValue } from '../../src/app/curves/chartDefinitions.ts';
import { metricOf } from '../../src/app/curves/series.ts';
import { readRunFile } from '../../src/storage/runFile.ts';
import { curveOf, eventually, pause, readRun, STACKED, scrollToChart, untilStatus, untilStep } from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';

/** Clicks a button of the page and reads the downloaded file. */
async function exported(page: Page, button: string): Promise<{ name: string; path: string; text: string }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  const path = await file.path();
  return { name: file.suggestedFilename(), path, text: await readFile(path, 'utf8') };
}

test('a switch of the rule by keyboard during training appears in the log, the chart and the address', async () => {
  const { page, errors, close } = await openPage(STACKED);
  await untilStep(page, 2);
  const first = page.getByRole('radio', { name: 'MT-GRPO' });
  for (let presses = 0; presses < 9 && !(await first.evaluate((radio) => radio.matches(':focus'))); presses++) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await eventually(async () => (await readRun(page, 'events')).events.length).toBe(1);
  const [event] = (await readRun(page, 'events')).events;
  expect(event).toMatchObject({ kind: 'change', changes: { rule: 'grpo-or' } });
  const at = event?.step ?? 0;
  await untilStep(page, at + 3);
  await eventually(async () => (await readRun(page, 'status')).status).toBe('playing');
  await page.getByRole('row', { name: `${at} Credit rule: MT-GRPO → GRPO-OR` }).waitFor();
  const mark = (await scrollToChart(page)).locator('.marks .rule');
  await eventually(() => mark.locator('text').textContent()).toBe('rule → GRPO-OR');
  await eventually(() => mark.locator('title').textContent()).toBe('Credit rule: MT-GRPO → GRPO-OR');

  await page.waitForURL((url) => url.searchParams.get('at') === `${at}:rule=grpo-or`);
  const { metrics } = await pause(page);
  expect(metrics.map(({ rule }) => rule)).toEqual(metrics.map(({ step }) => (step < at ? 'mt-grpo' : 'grpo-or')));
  expect(errors).toEqual([]);
  await close();
});

test('an exported run continues in another browser exactly as in the first browser', async () => {
  const { page, close } = await openPage(STACKED);
  await untilStep(page, 3);
  const { step, metrics } = await pause(page);
  const file = await exported(page, 'Export run');
  expect(readRunFile(file.text)).toMatchObject({ step, metrics });
  const second = await openPage('?v=1&questions=1&groupSize=2&minibatches=1&seed=9&panels=runs');
  await untilStep(second.page, 1);
  const choose = second.page.getByLabel('Import run');
  await choose.setInputFiles({ name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{"step":') });
  await second.page.getByText('broken.json was not opened: it is not JSON, or it was cut off.').waitFor();
  await eventually(() => readRun(second.page)).toMatchObject({ configuration: { seed: 9 } });
  await choose.setInputFiles(file.path);
  await eventually(() => readRun(second.page)).toMatchObject({
    status: 'paused',
    step,
    metrics,
    configuration: { seed: 1 },
  });
  for (const opened of [page, second.page]) {
    await opened.getByRole('button', { name: 'Step', exact: true }).click();
    await untilStep(opened, step + 1);
    await untilStatus(opened, 'paused');
  }
  await eventually(async () => curveOf((await readRun(second.page, 'metrics')).metrics)).toEqual(
    curveOf((await readRun(page, 'metrics')).metrics),
  );
  await second.close();
  await close();
});

describe('page with a curve', () => {
  let still: OpenPage;
  beforeAll(async () => {
    still = await openPage(STACKED);
    await untilStep(still.page, 3);
    await pause(still.page);
  });

  test('the table of a chart and the legend at its cursor have the numbers of the curve', async () => {
    const { page } = still;
    const { metrics, configuration } = await readRun(page, 'metrics', 'configuration');
    const chart = filterChartLines(CHARTS.search.main, { metrics, configuration });
    const formatRow = (row: (typeof metrics)[number]) =>
      chart.series.map(({ key }) => showValue(chart, metricOf(row, key)));
    await page.getByRole('button', { name: `Table: ${chart.title}` }).click();
    const rows = page.getByRole('table', { name: chart.title }).locator('tbody tr');
    const cells = () => rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    await eventually(cells).toEqual(metrics.map((row) => [String(row.step + 1), ...formatRow(row), '']));

    const cursor = page.getByRole('slider', { name: new RegExp(`^${chart.title.replace('?', '\\?')}`) });
    await cursor.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await eventually(() => cursor.getAttribute('aria-valuenow')).toBe('2');
    const legend = async () => (await scrollToChart(page)).locator('.legend b').allInnerTexts();
    // A metric of held-out tasks shows its last measured value.
    const known = metrics.slice(0, 2);
    const latest = chart.series.map(({ key }) =>
      known.map((row) => metricOf(row, key)).findLast((value) => !Number.isNaN(value)),
    );
    await eventually(legend).toEqual(latest.map((value) => showValue(chart, value ?? Number.NaN)));
  });

  test('exported curves (CSV) and an exported group (JSON Lines) have the numbers of the run', async () => {
    const { page } = still;
    const { metrics, group } = await readRun(page, 'metrics', 'group');
    const curves = await exported(page, 'Curves (CSV)');
    expect(curves.name).toMatch(/\.csv$/);
    const lines = curves.text.trimEnd().split('\n');
    const notes = lines.filter((line) => line.startsWith('# '));
    expect(notes[1]).toBe('# Run: Search: MT-GRPO; seed 1');
    const [header = [], ...rows] = lines.slice(notes.length).map((line) => line.split(','));
    const column = (name: string) => rows.map((row) => Number(row[header.indexOf(name)]));
    expect(column('step')).toEqual(metrics.map(({ step }) => step));
    expect(column('toolUse')).toEqual(metrics.map(({ toolUse }) => toolUse));
    expect(column('component:skip')).toEqual(metrics.map(({ components }) => components.skip));
    const { turns } = JSON.parse((await exported(page, 'Group (JSON Lines)')).text);
    expect(turns.map(({ advantage }: { advantage: number }) => advantage)).toEqual(
      group?.rollouts.flatMap((rollout) => rollout.turns.map((turn) => turn.advantage)),
    );
  });

  test('a reward slider changes its control, and the log names the step and the reward', async () => {
    const { page } = still;
    await page.getByRole('button', { name: 'Play' }).click();
    await untilStatus(page, 'playing');
    const slider = page.getByRole('slider', { name: 'Tool skipped' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await eventually(async () => (await readRun(page, 'controls')).controls.rewardSkip).toBe(-0.3);
    await eventually(() => slider.getAttribute('aria-valuetext')).toBe('-0.3');
    await eventually(async () => (await readRun(page, 'events')).events.at(-1)?.text).toMatch(
      /^rewardSkip: .* → -0.3$/,
    );
    const event = (await readRun(page, 'events')).events.at(-1);
    await page.getByRole('row', { name: new RegExp(`^${event?.step} Tool skipped: .* → −0.3$`) }).waitFor();
  });
});
