import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type App, eventually, pause, readRun, STACKED, untilStatus, untilStep, waitUntilSaved } from './app.ts';
import { openPage } from './chromium.ts';

/** Returns the saved runs in the list of a page; `current` is true for the run of the page. */
function listed(page: Page): Promise<{ readonly id: string; readonly step: number; readonly current: boolean }[]> {
  return page.evaluate(() => {
    const { run } = document.querySelector('tw-app') as App;
    return run.storage.runs.map(({ id, step }) => ({ id, step, current: id === run.session.id }));
  });
}

async function step(page: Page): Promise<number> {
  const before = (await readRun(page, 'step')).step;
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, before + 1);
  await untilStatus(page, 'paused');
  return before + 1;
}

test('if two tabs open one run, the second tab trains a copy and never overwrites the run of the first', async () => {
  const first = await openPage(STACKED);
  await untilStep(first.page, 2);
  const { step: opened } = await pause(first.page);
  await waitUntilSaved(first.page, opened);
  const second = await openPage(STACKED, { context: first.context });
  await second.page.getByText(`In this tab, the run is paused at step ${opened}.`).waitFor();
  await eventually(async () => (await readRun(second.page, 'step')).step).toBe(opened);
  // The first tab continues, and the list of the other tab follows.
  await step(first.page);
  const further = await step(first.page);
  await eventually(() => listed(second.page)).toEqual([expect.objectContaining({ step: further, current: true })]);
  const trained = await step(second.page);
  await second.page.getByText(`From step ${opened} on you train a copy, which is saved separately.`).waitFor();
  for (const { page } of [first, second]) {
    await eventually(async () => (await listed(page)).map((run) => run.step).sort()).toEqual([trained, further].sort());
  }
  await eventually(async () => (await listed(first.page)).find(({ current }) => current)?.step).toBe(further);
  await eventually(async () => (await listed(second.page)).find(({ current }) => current)?.step).toBe(trained);
  // If a run is deleted in one tab, the other tab does not save it again.
  await first.page.evaluate((at) => {
    const { run } = document.querySelector('tw-app') as App;
    const entry = run.storage.runs.find((candidate) => candidate.step === at && candidate.id !== run.session.id);
    return entry && run.removeSaved(entry);
  }, trained);
  await second.page.getByText(/was deleted in another tab/).waitFor();
  await step(second.page);
  await second.page.getByRole('button', { name: 'Save this run' }).waitFor();
  await eventually(async () => (await listed(second.page)).map((run) => run.step)).toEqual([further]);
  await first.page.reload();
  await first.page.getByText(`Your run was resumed, paused at step ${further}.`).waitFor();
  await eventually(async () => (await readRun(first.page, 'metrics')).metrics).toHaveLength(further);
  // The button saves the run again. The button is then removed, and the focus moves next to it.
  await second.page.getByRole('button', { name: 'Save this run' }).click();
  await second.page.getByText('The run is saved again.').waitFor();
  await second.page.locator('tw-run-list input:focus').waitFor();
  expect([...first.errors, ...second.errors]).toEqual([]);
  await first.close();
});

test('the second tab continues the run when the first tab is closed', async () => {
  const first = await openPage(STACKED);
  await untilStep(first.page, 2);
  const { step: opened } = await pause(first.page);
  await waitUntilSaved(first.page, opened);
  const second = await openPage(STACKED, { context: first.context });
  await second.page.getByText(`In this tab, the run is paused at step ${opened}.`).waitFor();
  const further = await step(first.page);
  await waitUntilSaved(first.page, further);
  await first.page.close();
  await second.page.getByText(`This tab continues the run at step ${further}.`).waitFor();
  await untilStatus(second.page, 'paused');
  await eventually(async () => (await readRun(second.page, 'metrics')).metrics).toHaveLength(further);
  const last = await step(second.page);
  await waitUntilSaved(second.page, last);
  await eventually(() => listed(second.page)).toEqual([expect.objectContaining({ step: last, current: true })]);
  expect(second.errors).toEqual([]);
  await second.context.close();
});
