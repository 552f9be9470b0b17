import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type RecordedRun, writeRecording } from '../../src/storage/recordingFile.ts';
import type { Metrics } from '../../src/training/data/protocol.ts';
import {
  type App,
  chartInSight,
  eventually,
  pause,
  readRun,
  readWhen,
  SMALL,
  send,
  untilStatus,
  untilStep,
} from './app.ts';
import { fetched, openPage, type PageOptions } from './chromium.ts';
import { findings } from './findings.ts';

const WITHOUT = `delete Navigator.prototype.gpu;`;
/** What plays where nothing in particular was asked for. */
const FIRST = 'MT-GRPO beside GRPO-OR';

/** What a page would have heard of a short live run in which the rule was switched. */
async function record(): Promise<RecordedRun> {
  const { page, close } = await openPage(`${SMALL}&at=3:rule=grpo-or`);
  await untilStep(page, 5);
  const { metrics, events, group, configuration } = await pause(page);
  await close();
  const device = { engine: 'wgsl' as const, name: 'the device of then', software: false };
  return { configuration, device, metrics, events, groups: group ? [group] : [] };
}

/** Opens the page with a worker that has no engine. @param answer replaces the response for every file of a recording */
async function openWithout(path: string, answer?: { status?: number; body: string }, options: PageOptions = {}) {
  const { context } = await openPage('/blank.html', options);
  if (answer) await context.route('**/recordings/*', (route) => route.fulfill(answer));
  const opened = await openPage(path, { context, before: WITHOUT });
  return { ...opened, close: () => context.close() };
}

const adviceOf = (page: Page) => page.getByRole('region', { name: 'This browser cannot train' });

/** The screen that says why nothing can be trained, and what to do. */
async function expectAdvice(page: Page): Promise<void> {
  const advice = adviceOf(page);
  await advice.waitFor();
  await advice.getByText('Browsers that can train').click();
  await advice.locator('dd').first().waitFor({ state: 'visible' });
  const browsers = ['Chrome, Edge', 'Firefox', 'Safari'];
  await eventually(() => advice.locator('dt').allInnerTexts()).toEqual(browsers);
  const says = expect.stringMatching(/^version \d+/);
  await eventually(() => advice.locator('dd').allInnerTexts()).toEqual(browsers.map(() => says));
}

/** Waits until the recording of a preset plays or stands, and can be gone about in. */
async function untilRecording(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { name: `Recording: ${title}`, exact: true }).waitFor();
}

const sliderOf = (page: Page) => page.getByRole('slider', { name: 'Step of the recording' });

test('without an engine the page names the browsers that can train and plays a recorded run', async () => {
  const recording = await record();
  const { page, errors, close } = await openWithout('', { body: writeRecording([recording]) });
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
  const digits = (value: unknown) =>
    JSON.parse(writeRecording([{ ...recording, metrics: value as Metrics[] }])).columns;
  expect(digits(played.metrics)).toEqual(digits(recording.metrics));
  expect(played.events).toHaveLength(1);
  await eventually(async () => (await chartInSight(page)).locator('.marks .rule').count()).toBe(1);
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
  ['is missing', { status: 404, body: '' }, 'recordings/mt-grpo-grpo-or.recording: 404'],
  ['is no recording', { body: '[1, 2' }, 'recordings/mt-grpo-grpo-or.recording: it is not JSON'],
])('where the recorded run %s, the page says that too', async (_what, answer, reason) => {
  const { page, close } = await openWithout('', answer);
  await expectAdvice(page);
  await page.getByText(`The recorded run could not be loaded: ${reason}`).waitFor();
  await close();
});

test('a real worker without an adapter and without WebAssembly SIMD: the page shows the advice and plays both runs', async () => {
  const { context, close } = await openPage('/blank.html');
  await context.route(/\/assets\/training-[^/]*\.js$/, async (route) => {
    const response = await fetched(route);
    const refuse =
      `Object.defineProperty(GPU.prototype, 'requestAdapter', { value: async () => null });` +
      'WebAssembly.validate = () => false;';
    await route.fulfill({ response, body: `${refuse}${await response.text()}` });
  });
  const { page, errors } = await openPage('?v=1&world=shortcut&runs=rule=grpo-or', { context, real: true });
  await expectAdvice(page);
  // The runs that could not begin are those that play, and each alone has nothing to say of it.
  await untilRecording(page, FIRST);
  await untilStep(page, 2);
  await eventually(async () => (await readRuns(page)).map(({ rule }) => rule)).toEqual(['mt-grpo', 'grpo-or']);
  const { notices } = await readRun(page);
  expect([notices, errors]).toEqual([[], []]);
  await close();
});

test('a recording shows collapse and recovery; it is gone about in by slider, keys and buttons', async () => {
  const { page, errors, close } = await openWithout('?v=1&world=shortcut&at=40:rule=grpo-or;90:rule=mt-grpo');
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

/** Step, rule and tool use of every run, the first one first. */
const readRuns = (page: Page) =>
  page.evaluate(() =>
    (document.querySelector('tw-app') as App).run.lanes.all.map(({ model }) => {
      const { step, status, metrics, controls, group, configuration } = model;
      const { seed } = configuration;
      return { step, status, rule: controls.rule, seed, group: group?.step, toolUse: metrics.at(-1)?.toolUse };
    }),
  );

test('the first recording shows two rules beside one another: one chart, the panels of the chosen run, one slider', async () => {
  const { page, errors, close } = await openWithout('');
  await untilRecording(page, FIRST);
  await page.getByText('credit per turn keeps the tool').waitFor();
  await untilStep(page, 2);
  await page.getByRole('button', { name: 'Pause' }).click();
  await untilStatus(page, 'paused');
  const runs = page.locator('tw-lanes');
  await eventually(() => runs.getByRole('radio').count()).toBe(2);
  // Nothing of a recording can be closed, or trained beside it.
  await eventually(() => runs.getByRole('button').count()).toBe(0);
  await eventually(() => page.locator('tw-several-runs').count()).toBe(0);
  const slider = sliderOf(page);
  const at = async (step: number) => {
    await eventually(async () => (await readRuns(page)).map((run) => run.step)).toEqual([step, step]);
    await eventually(() => slider.inputValue()).toBe(String(step));
    return readRuns(page);
  };
  await slider.focus();
  await page.keyboard.press('End');
  const end = await at(120);
  expect(end.map(({ rule, toolUse = 0 }) => [rule, Math.round(toolUse ?? Number.NaN)])).toEqual([
    ['mt-grpo', 1],
    ['grpo-or', 0],
  ]);
  const chart = await chartInSight(page);
  await eventually(() => chart.locator('.legend li').count()).toBe(2);
  await chart.locator('.ends').getByText('2 GRPO-OR').waitFor();
  await page.getByText('Recording ended · step 120').waitFor();
  await slider.fill('60');
  await at(60);
  // A group is taken in some frames after the update that it belongs to.
  await eventually(async () => (await readRuns(page)).map(({ group }) => group)).toEqual([55, 55]);

  // The panels show the run that is chosen.
  const rule = (name: string) =>
    page.locator('tw-page-header').getByRole('radio', { name, exact: true, checked: true }).waitFor();
  await rule('MT-GRPO');
  const collapse = page.locator('tw-event-log').getByText('Collapse: tool use fell from');
  await eventually(() => collapse.count()).toBe(0);
  await runs.getByRole('radio').nth(1).check();
  await rule('GRPO-OR');
  await collapse.waitFor();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await at(59);
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await at(60);
  await page.getByRole('button', { name: 'Reset' }).click();
  await at(0);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await untilStep(page, 2);
  await eventually(async () => new Set((await readRuns(page)).map(({ step }) => step)).size).toBe(1);
  await page.getByRole('button', { name: 'Pause' }).click();
  await eventually(() => findings(page, 'dark', 320)).toEqual([]);
  await eventually(() => findings(page, 'light', 1280)).toEqual([]);

  // An element that was away stands at the beginning of both.
  await page.evaluate(async () => {
    const app = document.querySelector('tw-app') as App;
    app.remove();
    await new Promise((resolve) => setTimeout(resolve));
    document.body.prepend(app);
  });
  await at(0);
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await at(1);
  await eventually(async () => (await readRuns(page)).map(({ group, status }) => [group, status])).toEqual(
    Array(2).fill([0, 'paused']),
  );

  // Another recording takes the place of both; chosen again, the address has both runs.
  const presets = page.getByRole('group', { name: 'Presets' });
  await presets.getByRole('button', { name: 'The toggle' }).click();
  await untilRecording(page, 'The toggle');
  await eventually(() => runs.count()).toBe(0);
  await presets.getByRole('button', { name: FIRST }).click();
  await untilRecording(page, FIRST);
  await presets.getByRole('button', { name: FIRST, pressed: true }).waitFor();
  await page.waitForURL((url) => url.searchParams.get('runs') === 'rule=grpo-or');
  expect(errors).toEqual([]);
  await close();
});

test('the curves of several recorded runs are taken along as one file, which tells them apart', async () => {
  const { page, close } = await openWithout('');
  await untilRecording(page, FIRST);
  await untilStep(page, 1);
  await sliderOf(page).fill('40');
  await eventually(async () => (await readRuns(page)).map(({ step }) => step >= 40)).toEqual([true, true]);
  await send(page, { type: 'pause' });
  await untilStatus(page, 'paused');
  const [{ step } = { step: 0 }] = await readRuns(page);
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Curves (CSV)' }).click();
  const file = readFileSync(await (await waiting).path(), 'utf8').split('\n');
  const rows = file.filter((line) => /^[12],/.test(line));
  expect(rows.map((row) => row.split(',').slice(0, 2).join())).toEqual(
    [1, 2].flatMap((run) => Array.from({ length: step }, (_, index) => `${run},${index}`)),
  );
  await close();
});

test('a link of several runs plays the recording that has them, in its order; else it says which are not played', async () => {
  const link = '?v=1&world=shortcut&rule=grpo-or&seed=3&runs=rule=mt-grpo';
  const { page, errors, close } = await openWithout(link);
  await untilRecording(page, FIRST);
  await eventually(async () => (await readRuns(page)).map(({ rule, seed }) => [rule, seed])).toEqual([
    ['grpo-or', 1],
    ['mt-grpo', 1],
  ]);
  await page.getByText(`this recording of “${FIRST}”. Not played: seed 3.`).waitFor();
  expect(errors).toEqual([]);
  await close();
  const lacking = await openWithout('?v=1&world=shortcut&rule=grpo-or&runs=rule=rtmc|seed=2');
  await untilRecording(lacking.page, 'GRPO-OR: collapse');
  await lacking.page.getByText('Not played: run 2 (the rule RTMC); run 3 (seed 2).').waitFor();
  await eventually(() => lacking.page.locator('tw-lanes').count()).toBe(0);
  await lacking.close();
});

test('where the device could train, several recorded runs lead to the runs themselves', async () => {
  const { page, errors, close } = await openPage('?v=1&world=shortcut&recorded=1&runs=rule=grpo-or');
  await untilRecording(page, FIRST);
  const train = page.getByRole('link', { name: 'Train it yourself' });
  await eventually(() => train.getAttribute('href')).toBe('?v=1&world=shortcut&rule=mt-grpo&seed=1&runs=rule=grpo-or');
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
  await untilRecording(page, FIRST);
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
  expect(loaded).toEqual(['mt-grpo-grpo-or', 'grpo-or', 'grpo-mt', 'verpo']);
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
  // Said to the session: its 50 steps take 8 seconds, and may have ended meanwhile.
  await send(page, { type: 'pause' });
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
  await untilRecording(page, FIRST);
  await untilStep(page, 3);
  const chart = page.locator('tw-line-chart[large] svg').first();
  await eventually(async () => ((await chart.boundingBox())?.y ?? Infinity) + 120).toBeLessThan(viewport.height);
  await adviceOf(page).getByText('Browsers that can train').waitFor();
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
