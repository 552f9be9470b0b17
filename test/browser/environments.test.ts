import { expect, test } from 'vitest';
import { eventually, openSettings, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test('a change of environment starts a new run and closes the Python frames, and a preset starts another run', async () => {
  const { page, errors, close } = await openPage(
    '?v=1&environment=repo&questions=1&groupSize=2&minibatches=1&panels=chart,controls,runs',
  );
  const frames = page.locator('iframe[title="Python"]');
  await untilStep(page, 1);
  await eventually(() => frames.count()).toBeGreaterThan(0);
  const rules = page.locator('tw-rule-switch').getByRole('radio');
  await eventually(() => rules.evaluateAll((all) => all.map((radio) => (radio as HTMLInputElement).value))).toEqual([
    'rtmc',
    'grpo-or',
  ]);
  await eventually(() => page.getByLabel(/^States$/).isVisible()).toBe(true);
  const settings = await openSettings(page);
  await settings.getByRole('radio', { name: 'Search' }).click({ force: true });
  await page.waitForURL(
    (url) => url.search === '?v=1&world=shortcut&rule=mt-grpo&seed=1&engine=wgsl&panels=chart,controls,runs',
  );
  await untilStep(page, 1);
  await eventually(() => frames.count()).toBe(0);
  await openSettings(page);
  const preset = settings.getByRole('button', { name: 'GRPO-OR: collapse' });
  await eventually(() => preset.getAttribute('aria-pressed')).toBe('false');
  await preset.click();
  await page.waitForURL(
    (url) => url.search === '?v=1&world=shortcut&rule=grpo-or&seed=1&engine=wgsl&panels=chart,controls,runs',
  );
  await openSettings(page);
  await eventually(() => preset.getAttribute('aria-pressed')).toBe('true');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Open Repository: RTMC, seed 1 at step \d+$/ }).waitFor();
  expect(errors).toEqual([]);
  await close();
});
