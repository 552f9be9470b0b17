import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  curveOf,
  eventually,
  pause,
  readRun,
  SMALL,
  scrollToChart,
  send,
  untilAnswered,
  untilStatus,
  untilStep,
  waitUntilSaved,
} from './app.ts';
import { openPage } from './chromium.ts';

/** Returns the curve of a run without a reload or a pause. */
async function undisturbed(query: string, steps: number): Promise<object[]> {
  const { page, close } = await openPage(query);
  await untilStep(page, steps);
  const { metrics } = await pause(page);
  await close();
  return curveOf(metrics.slice(0, steps));
}

/** Simulates that the tab becomes hidden or visible. */
async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    const visibilityState = value ? 'hidden' : 'visible';
    Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

test('after a reload, a run has its curve and events and continues as without the reload', async () => {
  const { page, context, errors, close } = await openPage(SMALL);
  await untilStep(page, 2);
  await page.getByRole('radio', { name: 'GRPO-OR' }).check({ force: true });
  await eventually(async () => (await readRun(page, 'events')).events.length).toBe(1);
  await untilStep(page, 4);
  const before = await pause(page);
  await waitUntilSaved(page, before.step);
  await page.waitForURL(/at=/);
  const query = new URL(page.url()).search;
  await page.reload();
  await page.getByText(`Your run was resumed, paused at step ${before.step}.`).waitFor();
  await untilStatus(page, 'paused');
  await eventually(() => readRun(page)).toMatchObject({
    step: before.step,
    metrics: before.metrics,
    events: before.events,
    controls: before.controls,
  });
  await eventually(() => page.getByRole('radio', { name: 'GRPO-OR' }).isChecked()).toBe(true);
  await eventually(async () => (await scrollToChart(page)).locator('.marks .rule').count()).toBe(1);
  await page.getByRole('button', { name: 'Play' }).click();
  await untilStep(page, before.step + 3);
  const after = await pause(page);
  expect(curveOf(after.metrics.slice(0, before.step + 3))).toEqual(await undisturbed(query, before.step + 3));
  expect(errors).toEqual([]);
  // Another link in the same browser starts another run.
  const second = await openPage(`${SMALL}&seed=7`, { context });
  await untilStep(second.page, 1);
  await eventually(() => readRun(second.page)).toMatchObject({
    status: 'playing',
    configuration: { seed: 7 },
    notices: [],
  });
  await close();
});

test('a page that is reloaded during training resumes the last saved state', async () => {
  const { page, close } = await openPage(SMALL);
  await untilStep(page, 2);
  await send(page, { type: 'save' });
  await eventually(async () => (await readRun(page, 'checkpoint')).checkpoint).toBeGreaterThan(0);
  await waitUntilSaved(page, 1);
  await page.reload();
  await page.getByText(/^Your run was resumed, paused at step [1-9]\d*\.$/).waitFor();
  await untilStatus(page, 'paused');
  const { step, metrics } = await readRun(page, 'step', 'metrics');
  expect(metrics).toHaveLength(step);
  await close();
});

test('a run pauses while its tab is hidden, and then continues exactly', async () => {
  const { page, close } = await openPage(SMALL);
  await untilStep(page, 2);
  await hide(page, true);
  await untilStatus(page, 'hidden');
  const resting = await readRun(page);
  await page.getByText(`Paused: tab hidden · update ${resting.step}`).waitFor();
  // The worker handles requests while it is paused. Steps of training arrive before its response.
  await send(page, { type: 'save' });
  await waitUntilSaved(page, resting.step);
  await eventually(() => readRun(page)).toMatchObject({
    status: 'hidden',
    step: resting.step,
    checkpoint: resting.step,
  });
  await hide(page, false);
  await untilStatus(page, 'playing');
  await untilStep(page, resting.step + 3);
  // A run that the user paused remains paused when the tab becomes visible.
  const { metrics, step } = await pause(page);
  await hide(page, true);
  await hide(page, false);
  // Steps of training arrive before the response of the worker.
  await untilAnswered(page);
  const left = await readRun(page);
  expect(left).toMatchObject({ status: 'paused', step, checkpoint: step });
  expect(curveOf(metrics)).toEqual(await undisturbed(SMALL, step));
  await close();
});
