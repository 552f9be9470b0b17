import { chromium, type Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { type Recording, writeRecording } from '../../src/storage/recordingFile.ts';
import type { Metrics } from '../../src/training/data/protocol.ts';
import { STATE_MS } from '../limits.ts';
import { eventually, pause, readRun, readWhen, SMALL, send, untilStatus, untilStep } from './app.ts';
import { openPage, type PageOptions } from './chromium.ts';
import { findings } from './findings.ts';

const WITHOUT = `delete Navigator.prototype.gpu;`;

/** What a page would have heard of a short live run in which the rule was switched. */
async function record(): Promise<Recording> {
  const { page, close } = await openPage(`${SMALL}&at=3:rule=grpo-or`);
  await untilStep(page, 5);
  const { metrics, events, group, configuration } = await pause(page);
  await close();
  const device = { name: 'the device of then', software: false };
  return { configuration, device, metrics, events, groups: group ? [group] : [] };
}

/** Opens the page without WebGPU. @param answer what every file of a recording holds in place of its own */
async function openWithout(path: string, answer?: { status?: number; body: string }, options: PageOptions = {}) {
  const { context } = await openPage('/blank.html', options);
  if (answer) await context.route('**/recordings/*', (route) => route.fulfill(answer));
  const opened = await openPage(path, { context, before: WITHOUT });
  return { ...opened, close: () => context.close() };
}

const adviceOf = (page: Page) => page.getByRole('region', { name: 'This browser cannot train: WebGPU is missing' });

/** The screen that says why nothing can be trained, and what to do. */
async function expectAdvice(page: Page): Promise<void> {
  const advice = adviceOf(page);
  await advice.waitFor();
  await advice.getByText('What to do').click();
  await advice.locator('dd').first().waitFor({ state: 'visible' });
  const browsers = ['Chrome, Edge', 'Safari', 'Firefox', 'Everywhere'];
  await eventually(() => advice.locator('dt').allInnerTexts()).toEqual(browsers);
  const says = expect.stringMatching(/version \d+|driver/);
  await eventually(() => advice.locator('dd').allInnerTexts()).toEqual(browsers.map(() => says));
}

/** Waits until the recording of a preset plays or stands, and can be gone about in. */
async function untilRecording(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { name: `Recording: ${title}`, exact: true }).waitFor();
}

const sliderOf = (page: Page) => page.getByRole('slider', { name: 'Step of the recording' });

test('without WebGPU the page says what to do and plays a recorded run', async () => {
  const recording = await record();
  const { page, errors, close } = await openWithout('', { body: writeRecording(recording) });
  await expectAdvice(page);
  const rules = page.getByRole('group', { name: 'Credit rule' }).getByRole('radio');
  const states = () =>
    rules.evaluateAll((all) =>
      all.map((radio) => [(radio as HTMLInputElement).disabled, radio.closest('label')?.title]),
    );
  const refused = [true, expect.stringContaining('cannot change its rule')];
  await eventually(async () => (await states()).length).toBeGreaterThan(1);
  await eventually(async () => [...new Map((await states()).map((state) => [String(state), state])).values()]).toEqual([
    refused,
  ]);
  // The end is said to be the end, to everybody.
  await page.getByText(/^Recording ended · step \d+$/).waitFor();
  await page
    .getByRole('status')
    .getByText(/^The recording has ended after \d+ steps\.$/)
    .waitFor({ state: 'attached' });
  const played = await readRun(page);
  const digits = (value: unknown) => JSON.parse(writeRecording({ ...recording, metrics: value as Metrics[] })).columns;
  expect(digits(played.metrics)).toEqual(digits(recording.metrics));
  expect(played.events).toHaveLength(1);
  await eventually(() => page.locator('tw-line-chart[large] .marks .rule').count()).toBe(1);
  await eventually(() => page.locator('tw-group-table tbody tr').count()).toBe(4);
  await page.getByText('the device of then').waitFor();
  // It can be read again, step by step, and nothing of its end is left.
  await page.getByRole('button', { name: 'Reset' }).click();
  await eventually(async () => (await readRun(page)).step).toBe(0);
  await page.getByText('The first group appears with the first update.').waitFor();
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await eventually(async () => (await readRun(page)).step).toBe(1);
  expect(errors).toEqual([]);
  await close();
});

test.each([
  ['is missing', { status: 404, body: '' }, 'recordings/toggle.recording: 404'],
  ['is no recording', { body: '[1, 2' }, 'recordings/toggle.recording: it is not JSON'],
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

test('the first recording shows collapse and recovery; it is gone about in by slider, keys and buttons', async () => {
  const { page, errors, close } = await openWithout('');
  await untilRecording(page, 'The toggle');
  // Its 130 steps take 21 seconds, so it is seen playing.
  await page.getByText(/^Playing the recording · step \d+$/).waitFor();
  await untilStep(page, 2);
  await page.getByRole('button', { name: 'Pause' }).click();
  await untilStatus(page, 'paused');
  const slider = sliderOf(page);
  const at = async (step: number) => {
    await eventually(async () => (await readRun(page)).step).toBe(step);
    await eventually(async () => (await readRun(page)).metrics.length).toBe(step);
    await eventually(() => slider.inputValue()).toBe(String(step));
    return readRun(page);
  };
  const toolUse = ({ metrics }: { metrics: readonly Metrics[] }) => metrics.at(-1)?.toolUse ?? Number.NaN;
  const last = await readWhen(
    async () => Number(await slider.getAttribute('max')),
    (max) => max > 80,
  );
  await slider.focus();
  await page.keyboard.press('End');
  const end = await at(last);
  expect(toolUse(end)).toBeGreaterThan(0.9);
  expect(end.controls.rule).toBe('mt-grpo');
  await page.getByText(`step ${last} of ${last}, the end`).waitFor();
  await page.locator('tw-curves .detected').getByText('Recovery: tool use is back at').waitFor();
  await slider.fill('90');
  const middle = await at(90);
  expect(toolUse(middle)).toBeLessThan(0.1);
  expect(middle.group?.step).toBeLessThan(90);
  await page.locator('tw-event-log').getByText('Collapse: tool use fell from').waitFor();
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  const before = await at(89);
  expect([before.controls.rule, before.events.map(({ step }) => step)]).toEqual(['grpo-or', [40]]);
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await at(88);
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await at(89);
  await page.keyboard.press('Tab');
  await slider.focus();
  await page.keyboard.press('Home');
  await at(0);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await untilStep(page, 2);
  expect(errors).toEqual([]);
  await close();
});

test('presets and environments choose recordings, which are loaded when they are wanted', async () => {
  const { context } = await openPage('/blank.html');
  const loaded: string[] = [];
  context.on('request', (request) => {
    const file = /recordings\/(.*)\.recording$/.exec(request.url())?.[1];
    if (file) loaded.push(file);
  });
  const { page, errors } = await openPage('', { context, before: WITHOUT });
  await untilRecording(page, 'The toggle');
  await page.getByRole('button', { name: 'GRPO-OR: collapse' }).click();
  await untilRecording(page, 'GRPO-OR: collapse');
  await untilStep(page, 2);
  await eventually(async () => (await readRun(page)).metrics[0]?.rule).toBe('grpo-or');
  await eventually(() => new URL(page.url()).searchParams.get('rule')).toBe('grpo-or');
  await page.getByRole('radio', { name: 'Repair', exact: true }).check({ force: true });
  await untilRecording(page, 'GRPO-MT: the baseline');
  await page.getByRole('button', { name: 'VeRPO: every test counts' }).click();
  await untilRecording(page, 'VeRPO: every test counts');
  await untilStep(page, 1);
  await page
    .getByRole('group', { name: 'Presets' })
    .getByRole('button', { pressed: true })
    .getByText('VeRPO')
    .waitFor();
  await page.locator('tw-program-tree').first().waitFor();
  expect(loaded).toEqual(['toggle', 'grpo-or', 'grpo-mt', 'verpo']);
  expect(errors).toEqual([]);
  await context.close();
});

test('a link gets the nearest recording, and is told what it asks for and does not get', async () => {
  const { page, close } = await openWithout('?v=1&environment=repair&rule=verpo&seed=7&questions=4');
  await untilRecording(page, 'VeRPO: every test counts');
  const { configuration } = await readRun(page);
  expect([configuration.environment, configuration.controls.rule]).toEqual(['repair', 'verpo']);
  await page
    .getByText(
      /^The link asks for another run than this recording of “VeRPO: every test counts”\. Not played: seed 7; .* 4\.$/,
    )
    .waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await untilStatus(page, 'paused');
  await eventually(() => findings(page, 'dark', 320)).toEqual([]);
  await eventually(() => findings(page, 'light', 1280)).toEqual([]);
  await close();
  const same = await openWithout('?v=1&environment=repo');
  await untilRecording(same.page, 'RTMC: where states meet');
  await eventually(() => same.page.getByText(/Not played/).count()).toBe(0);
  await same.close();
});

test('on a phone the curve is on the first screen', async () => {
  const viewport = { width: 390, height: 844 };
  const { page, close } = await openWithout('', undefined, { viewport });
  await untilRecording(page, 'The toggle');
  await untilStep(page, 3);
  const chart = page.locator('tw-line-chart[large] svg').first();
  await eventually(async () => ((await chart.boundingBox())?.y ?? Infinity) + 120).toBeLessThan(viewport.height);
  await adviceOf(page).getByText('What to do').waitFor();
  await eventually(() => adviceOf(page).locator('dd').first().isVisible()).toBe(false);
  await close();
});

test('where the device could train, a recording is asked for by its link, and leads to the run itself', async () => {
  const { page, errors, close } = await openPage('?recorded=1&rule=grpo-or');
  await untilRecording(page, 'GRPO-OR: collapse');
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
  const train = page.getByRole('link', { name: 'Train it yourself' });
  await eventually(() => train.getAttribute('href')).toMatch(/^\?v=1&world=shortcut&rule=grpo-or&seed=1$/);
  // And back again from the run.
  await train.click();
  await page.getByRole('link', { name: 'Watch the recording' }).click();
  await untilRecording(page, 'GRPO-OR: collapse');
  expect(errors).toEqual([]);
  await close();
});
