import { expect, test } from 'vitest';
import {
  curveOf,
  eventually,
  openSettings,
  pause,
  readLanes,
  readRun,
  SMALL,
  STACKED,
  untilStatus,
  untilStep,
  waitUntilSaved,
} from './app.ts';
import { fetched, openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';
import { TRAINING_SCRIPT } from './siteServer.ts';

test('the engine control continues the run on the other engine, which the link and the saved run name', async () => {
  const { page, errors, close } = await openPage(STACKED);
  await untilStep(page, 2);
  await page.waitForURL((url) => url.searchParams.get('engine') === 'wgsl');
  const { metrics, step } = await pause(page);
  const engine = page.getByRole('combobox', { name: 'Engine' });
  await openSettings(page);
  await eventually(() => engine.inputValue()).toBe('wgsl');
  await engine.selectOption('Processor');
  await page.getByText('exact, on the processor: the same numbers on every machine').waitFor();
  await untilStatus(page, 'paused');
  await eventually(async () => (await readRun(page, 'events')).events.map((event) => [event.step, event.kind])).toEqual(
    [[step, 'engine']],
  );
  await page.getByRole('row', { name: `${step} engine: wgsl → exact/1` }).waitFor();
  await page.waitForURL((url) => url.searchParams.get('engine') === 'exact/1');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await waitUntilSaved(page, step + 1);
  const after = await readRun(page);
  expect(curveOf(after.metrics.slice(0, step))).toEqual(curveOf(metrics));
  expect(after.notices).toEqual([]);
  await page.reload();
  await page.getByText(`Your run was resumed, paused at step ${step + 1}.`).waitFor();
  await eventually(async () => (await readRun(page, 'configuration')).configuration.engine).toBe('exact/1');
  await openSettings(page);
  await eventually(() => engine.inputValue()).toBe('exact');
  await expectAccessible(page);
  expect(errors).toEqual([]);
  await close();
});

test('a link selects the engine of all its runs, and an unknown engine is reported', async () => {
  const { page, close } = await openPage(`${SMALL}&engine=exact&runs=rule=grpo-or`);
  await (await openSettings(page)).getByText('exact, on the processor').waitFor();
  await eventually(async () => (await readLanes(page)).length).toBe(2);
  await page.waitForURL(
    (url) => url.searchParams.get('engine') === 'exact/1' && url.searchParams.get('runs') === 'rule=grpo-or',
  );
  await close();
  const unknown = await openPage(`${SMALL}&engine=cuda`);
  await unknown.page.getByText('engine: “cuda” is unknown').waitFor();
  await untilStep(unknown.page, 1);
  await unknown.close();
});

test('without WebGPU and WebAssembly SIMD, Playground, lessons and Lab list the browsers that can train', async () => {
  const { context, close } = await openPage('/blank.html');
  await context.route(TRAINING_SCRIPT, async (route) => {
    const response = await fetched(route);
    const refuse =
      `Object.defineProperty(GPU.prototype, 'requestAdapter', { value: async () => null });` +
      'WebAssembly.validate = () => false;';
    await route.fulfill({ response, body: `${refuse}${await response.text()}` });
  });
  const { page, errors } = await openPage(`${SMALL}&runs=rule=grpo-or`, { context, real: true });
  const advice = page.getByRole('region', { name: 'This browser cannot train' });
  await advice.getByText('Browsers that can train').click();
  const browsers = ['Chrome, Edge', 'Firefox', 'Safari'];
  await eventually(() => advice.locator('dt').allInnerTexts()).toEqual(browsers);
  const versionText = expect.stringMatching(/^version \d+/);
  await eventually(() => advice.locator('dd').allInnerTexts()).toEqual(browsers.map(() => versionText));
  const { notices } = await readRun(page, 'notices');
  expect(notices).toEqual([]);
  await expectAccessible(page);
  const go = (hash: string) =>
    page.evaluate((to) => {
      location.hash = to;
    }, hash);
  await go('#learn/one-reward');
  await page.locator('tw-experiment .choices button').first().click();
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await page.getByText(/^Training stopped: This browser has no WebAssembly SIMD.* Firefox/).waitFor();
  await go('#lab/t4');
  await page.getByRole('button', { name: /^Run this seed here/ }).click();
  await page
    .getByRole('alert')
    .getByText(/This browser has no WebAssembly SIMD.* Firefox/)
    .first()
    .waitFor();
  expect(errors).toEqual([]);
  await close();
});
