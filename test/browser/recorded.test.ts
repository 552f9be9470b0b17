import { chromium, type Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import type { Recording } from '../../src/app/session/recordedSession.ts';
import { curveOf, eventually, pause, readRun, SMALL, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';
import { SITE_PATH } from './siteServer.ts';

const WITHOUT = `delete Navigator.prototype.gpu;`;

/** What a page would have heard of a short live run in which the rule was switched. */
async function record(): Promise<Recording> {
  const { page, close } = await openPage(`${SMALL}&at=3:rule=grpo-or`);
  await untilStep(page, 5);
  const { metrics, events, group, configuration } = await pause(page);
  await close();
  const device = { name: 'the device of then', software: false };
  const steps = metrics.flatMap((row) => [
    ...events.filter(({ step }) => step === row.step).map((event) => ({ type: 'event', event }) as const),
    { type: 'metrics', metrics: row } as const,
  ]);
  const last = group ? [{ type: 'group', group } as const] : [];
  return { configuration, messages: [{ type: 'ready', configuration, device, step: 0 }, ...steps, ...last] };
}

async function openWithout(path: string, recording: { status?: number; body: string } | undefined) {
  const { context } = await openPage('/blank.html');
  if (recording) await context.route('**/recorded-run.json', (route) => route.fulfill(recording));
  const opened = await openPage(path, { context, before: WITHOUT });
  return { ...opened, close: () => context.close() };
}

/** The screen that says why nothing can be trained, and what to do. */
async function expectAdvice(page: Page): Promise<void> {
  const advice = page.getByRole('region', { name: 'This browser cannot train: WebGPU is missing' });
  await advice.waitFor();
  const browsers = await advice.locator('dt').allInnerTexts();
  expect(browsers).toEqual(['Chrome, Edge', 'Safari', 'Firefox', 'Everywhere']);
  for (const text of await advice.locator('dd').allInnerTexts()) expect(text).toMatch(/version \d+|driver/);
}

test('without WebGPU the page says what to do and plays a recorded run', async () => {
  const recording = await record();
  const { page, errors, close } = await openWithout(SMALL, { body: JSON.stringify(recording) });
  await expectAdvice(page);
  await untilStatus(page, 'playing');
  await page.getByText(/^Playing the recording · step \d+$/).waitFor();
  const rules = page.getByRole('group', { name: 'Credit rule' }).getByRole('radio');
  expect(await rules.evaluateAll((all) => all.map((radio) => (radio as HTMLInputElement).disabled))).not.toContain(
    false,
  );
  await untilStatus(page, 'paused');
  const metrics = recording.messages.flatMap((message) => (message.type === 'metrics' ? message.metrics : []));
  const played = await readRun(page);
  expect(curveOf(played.metrics)).toEqual(curveOf(metrics));
  expect(played.events).toHaveLength(1);
  expect(await page.locator('tw-line-chart[large] .marks .rule').count()).toBe(1);
  expect(await page.locator('tw-group-table tbody tr').count()).toBe(4);
  await page.getByText('the device of then').waitFor();
  // It can be read again, step by step.
  await page.getByRole('button', { name: 'Reset' }).click();
  await eventually(async () => (await readRun(page)).step).toBe(0);
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await eventually(async () => (await readRun(page)).step).toBe(1);
  expect(errors).toEqual([]);
  await close();
});

test.each([
  ['is missing', { status: 404, body: '' }, 'recorded-run.json: 404'],
  ['is no recording', { body: '[1, 2' }, 'recorded-run.json is not a recording'],
])('where the recorded run %s, the page says that too', async (_what, answer, reason) => {
  const { page, close } = await openWithout('', answer);
  await expectAdvice(page);
  await page.getByText(`The recorded run could not be loaded: ${reason}`).waitFor();
  await close();
});

test('a real Chromium without WebGPU gets the same screen', async () => {
  const browser = await chromium.launch({
    executablePath: inject('chromium'),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const { page } = await openPage('', { context: await browser.newContext() });
  await expectAdvice(page);
  await browser.close();
});

test('where WebGPU offers no adapter the page says the same', async () => {
  const { context, close } = await openPage('/blank.html');
  await context.route(/\/assets\/training-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    const refuse = `Object.defineProperty(GPU.prototype, 'requestAdapter', { value: async () => null });`;
    await route.fulfill({ response, body: `${refuse}${await response.text()}` });
  });
  const { page } = await openPage('', { context });
  await expectAdvice(page);
  await close();
});

test('the recorded run that ships loads and plays to where it shows something', async () => {
  const file = await fetch(new URL(`${SITE_PATH}recorded-run.json`, inject('origin')));
  expect(file.status, 'public/recorded-run.json').toBe(200);
  const { messages } = (await file.json()) as Recording;
  expect(messages.filter(({ type }) => type === 'metrics').length).toBeGreaterThanOrEqual(60);
  const { page, errors, close } = await openPage('?recorded=1');
  await untilStep(page, 3);
  expect(await readRun(page)).toMatchObject({ status: 'playing', notices: [] });
  await page.getByRole('button', { name: 'Pause' }).click();
  await untilStatus(page, 'paused');
  const { step, metrics, group } = await readRun(page);
  expect(metrics.map((row) => row.step)).toEqual(metrics.map((_, index) => index));
  expect(metrics).toHaveLength(step);
  expect(group?.rollouts.length).toBeGreaterThan(1);
  expect(await page.locator('tw-no-webgpu').count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});
