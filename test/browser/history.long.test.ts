import { test } from 'vitest';
import { eventually, openSettings, pause, readRun, STACKED, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test('opening a saved run adds a history entry, and a run started after Back replaces later entries', async () => {
  const { page, close } = await openPage(STACKED);
  await untilStep(page, 2);
  const first = await pause(page);
  await (await openSettings(page)).getByRole('button', { name: 'GRPO-OR: collapse' }).click();
  await page.waitForURL(/rule=grpo-or/);
  await page.getByRole('button', { name: /^Open MT-GRPO, seed 1 at step \d+$/ }).click();
  await eventually(() => readRun(page)).toMatchObject({ step: first.step, controls: { rule: 'mt-grpo' } });
  await page.goBack();
  await eventually(() => readRun(page)).toMatchObject({ step: 0, controls: { rule: 'grpo-or' } });
  await page.goBack();
  await eventually(() => readRun(page)).toMatchObject({ step: first.step, controls: { rule: 'mt-grpo' } });
  await (await openSettings(page)).getByRole('button', { name: 'GRPO-MR (merged rewards): collapse' }).click();
  await page.waitForURL(/rule=grpo-mr/);
  await page.goBack();
  await eventually(() => readRun(page)).toMatchObject({ step: first.step, controls: { rule: 'mt-grpo' } });
  await page.reload();
  await page.getByText(`Your run was resumed, paused at step ${first.step}.`).waitFor();
  await page.goForward();
  await eventually(() => readRun(page)).toMatchObject({ step: 0, controls: { rule: 'grpo-mr' } });
  await close();
});
