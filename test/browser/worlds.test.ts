import { expect, test } from 'vitest';
import { type App, eventually, pause, readRun, STACKED, scrollToChart, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test('a button opens a named world with its settings, controls and starting policy', async () => {
  const { page, errors, close } = await openPage(STACKED);
  await untilStep(page, 1);
  await pause(page);
  const controls = page.locator('tw-controls');
  await controls.getByText('Environment settings', { exact: true }).click();
  const button = (name: string) => controls.getByRole('button', { name, exact: true });
  await eventually(() => button('Reliable documents').getAttribute('aria-pressed')).toBe('true');
  await button('Memory shortcut').click();
  await page.getByText('Paused · update 0').waitFor();
  const { configuration } = await readRun(page, 'configuration');
  expect(configuration.settings).toMatchObject({ knownShare: 1, known: 'asked', stale: 0.3 });
  expect(configuration.controls).toMatchObject({ learningRate: 3e-4, klCoef: 0.02, groupSize: 4 });
  await page.waitForURL((url) => url.searchParams.get('world') === 'shortcut');
  await eventually(() => button('Memory shortcut').getAttribute('aria-pressed')).toBe('true');
  // The page includes the starting policy, so it trains no warm start.
  const warmed = await page.evaluate(() => (document.querySelector('tw-app') as App).run.session.model.warmStart);
  expect(warmed).toBeUndefined();
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, 1);
  await page.reload();
  await untilStep(page, 1);
  await eventually(async () => (await readRun(page, 'configuration')).configuration.settings.known).toBe('asked');
  expect(errors).toEqual([]);
  await close();
});

test('a page without a link opens the shortcut world, and shows accuracy on held-out questions', async () => {
  const { page, errors, close } = await openPage('');
  await eventually(async () => (await readRun(page, 'configuration')).configuration).toMatchObject({
    settings: { known: 'asked', stale: 0.3 },
    controls: { rule: 'mt-grpo', heldOutMode: 'on', heldOutEvery: 5 },
  });
  await untilStep(page, 1);
  await pause(page);
  const { metrics } = await readRun(page, 'metrics');
  expect(metrics[0]?.heldOut?.answer).toBeGreaterThanOrEqual(0);
  const chart = await scrollToChart(page);
  for (const line of ['training', 'held-out']) await chart.getByText(line).first().waitFor();
  expect(errors).toEqual([]);
  await close();
});
