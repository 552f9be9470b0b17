import { chromium, type Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import type { Recording } from '../../src/app/session/recordedSession.ts';
import { STATE_MS } from '../limits.ts';
import { curveOf, eventually, pause, readRun, SMALL, send, untilStatus, untilStep } from './app.ts';
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
  const browsers = ['Chrome, Edge', 'Safari', 'Firefox', 'Everywhere'];
  await eventually(() => advice.locator('dt').allInnerTexts()).toEqual(browsers);
  const says = expect.stringMatching(/version \d+|driver/);
  await eventually(() => advice.locator('dd').allInnerTexts()).toEqual(browsers.map(() => says));
}

/** The recording with its last update again and again: it plays for longer than anybody waits for what is there meanwhile. */
function endless(recording: Recording): Recording {
  const last = recording.messages.flatMap((message) => (message.type === 'metrics' ? message.metrics : [])).at(-1);
  if (!last) throw new Error('a recording without updates');
  const more = Array.from({ length: 5000 }, (_, index) => ({
    type: 'metrics' as const,
    metrics: { ...last, step: last.step + 1 + index },
  }));
  return { ...recording, messages: [...recording.messages, ...more] };
}

test('without WebGPU the page says what to do and plays a recorded run', async () => {
  const recording = await record();
  const long = await openWithout(SMALL, { body: JSON.stringify(endless(recording)) });
  await expectAdvice(long.page);
  await untilStatus(long.page, 'playing');
  await long.page.getByText(/^Playing the recording · step \d+$/).waitFor();
  const rules = long.page.getByRole('group', { name: 'Credit rule' }).getByRole('radio');
  const enabled = () => rules.evaluateAll((all) => all.map((radio) => !(radio as HTMLInputElement).disabled));
  await eventually(async () => [...new Set(await enabled())]).toEqual([false]);
  await long.page.getByRole('button', { name: 'Pause' }).click();
  await untilStatus(long.page, 'paused');
  expect(long.errors).toEqual([]);
  await long.close();

  const { page, errors, close } = await openWithout(SMALL, { body: JSON.stringify(recording) });
  // It ends by itself.
  await untilStep(page, 5);
  await untilStatus(page, 'paused');
  const metrics = recording.messages.flatMap((message) => (message.type === 'metrics' ? message.metrics : []));
  const played = await readRun(page);
  expect(curveOf(played.metrics)).toEqual(curveOf(metrics));
  expect(played.events).toHaveLength(1);
  await eventually(() => page.locator('tw-line-chart[large] .marks .rule').count()).toBe(1);
  await eventually(() => page.locator('tw-group-table tbody tr').count()).toBe(4);
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
    timeout: STATE_MS,
  });
  try {
    const { page } = await openPage('', { context: await browser.newContext() });
    await expectAdvice(page);
  } finally {
    await browser.close();
  }
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
  // By itself it came that far. Said to the session, which stands as well where it has come to its end meanwhile.
  await send(page, { type: 'pause' });
  await untilStatus(page, 'paused');
  const { step, metrics, notices } = await readRun(page);
  expect(notices).toEqual([]);
  expect(metrics.map((row) => row.step)).toEqual(metrics.map((_, index) => index));
  expect(metrics).toHaveLength(step);
  // A group is taken in some frames after the update that it belongs to.
  await eventually(async () => (await readRun(page)).group?.rollouts.length).toBeGreaterThan(1);
  await eventually(() => page.locator('tw-no-webgpu').count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});
