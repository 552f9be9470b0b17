import { many, pause, STACKED, unfold, untilStatus, untilStep, waitUntilSaved } from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';
import { breakTraining } from './faults.ts';

/** Opens a page with notices, a problem, events, a saved run and tables, and opens all closed elements. */
export async function openFullPage(): Promise<OpenPage> {
  const full = await openPage(`${STACKED}&at=1:rule=grpo-or&${'mood'.repeat(9)}=good`, { breakable: true });
  const { page } = full;
  await untilStep(page, 3);
  const { step } = await pause(page);
  await waitUntilSaved(page, step);
  await breakTraining(page, 'lose-device');
  await page.getByRole('alert', { name: 'Problems' }).getByText('The GPU device was lost').waitFor();
  await untilStatus(page, 'paused');
  await unfold(page);
  const charts = page.locator('tw-line-chart');
  await charts.nth(9).waitFor();
  for (let index = 0; index < (await many(charts)); index++) {
    await charts
      .nth(index)
      .getByRole('button', { name: /^Table: / })
      .click();
  }
  await page.getByRole('button', { name: /^What is Learning rate/ }).click();
  await page.locator('tw-chart-table table').nth(8).waitFor();
  return full;
}
