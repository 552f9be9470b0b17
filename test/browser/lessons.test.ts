import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Exercise } from '../../src/app/lessons/exercises/exercise.ts';
import type { LessonTraining } from '../../src/app/lessons/lessonTraining.ts';
import { STATE_MS } from '../limits.ts';
import { type App, eventually, readRun, readWhen, SMALL, scrollToChart, untilStep } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible, landmarks } from './findings.ts';

/** Experiment of a lesson, with the training that tests read. */
type Experiment = Element & { readonly training: LessonTraining };

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Returns the value of each point of the drawn curve. */
const drawn = (page: Page) =>
  page.locator('tw-predict-chart [role=slider]').evaluateAll((points) => points.map((point) => point.ariaValueText));

test('a lesson requires a prediction, compares it with its run, explains the run, and checks an exercise', async () => {
  const { page, errors, close } = await openPage(`${SMALL}#learn/tool-dies/five-year-old`);
  await heading(page, 'The search reward ends').waitFor();
  await page.getByText('The tiny robot has learned something good.').waitFor();

  // Training requires a prediction.
  await button(page, 'Train').click();
  await page.getByText('Draw a curve or pick one first.').waitFor();

  // A key draws a complete curve, and keys move every point.
  await page.locator('tw-predict-chart [tabindex="0"]').focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  await page.keyboard.press('PageDown');
  await eventually(() => drawn(page)).toEqual(['55 %', ...Array(9).fill('50 %'), '25 %']);

  // The pointer draws a descending line across the chart.
  const box = await page.locator('tw-predict-chart svg').evaluate((svg) => {
    svg.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = svg.getBoundingClientRect();
    return { left, top, width, height };
  });
  await page.mouse.move(box.left + 50, box.top + 30);
  await page.mouse.down();
  await page.mouse.move(box.left + box.width - 20, box.top + box.height - 30, { steps: 5 });
  await page.mouse.up();
  const shares = (texts: readonly (string | null)[]) => texts.map((text) => Number.parseInt(text ?? '', 10));
  await eventually(async () =>
    shares(await drawn(page)).every((share, at, all) => at === 0 || share < (all[at - 1] ?? 0)),
  ).toBe(true);
  await expectAccessible(page);

  await button(page, 'Train').click();
  await heading(page, 'Run').waitFor();
  await heading(page, 'Your prediction and the result').waitFor({ timeout: 2 * STATE_MS });
  await page.getByText(/^At step 70 you predicted \d+ %; the run reached \d+ %\.$/).waitFor();
  await page.getByText('At step 70 it searches in fewer than 10 %. Here:').waitFor();
  await page.getByText(/^Updates \d+ to 70 under GRPO-OR: executed searches had a mean advantage of /).waitFor();
  const rows = () =>
    page
      .locator('tw-experiment')
      .evaluate((element) => (element as unknown as Experiment).training.metrics.map(({ length }) => length));
  await eventually(rows).toEqual([70]);
  await eventually(async () => (await scrollToChart(page)).locator('.legend li').count()).toBe(2);

  // Another level has another text and another address, and the same experiment.
  await page.getByRole('radio', { name: 'PhD student' }).check({ force: true });
  await page.getByText('This hardly slows the effect, because of the normalisation.').waitFor();
  await eventually(() => new URL(page.url()).hash).toBe('#learn/tool-dies/phd');
  await eventually(rows).toEqual([70]);

  // The exercise uses a group of this run.
  const first = page.locator('tw-lesson-exercise form').first();
  const label = await readWhen(
    () => first.locator('label').textContent(),
    (text) => text !== null,
  );
  const [, attempt] = /Advantage of attempt (\d+), turn 1/.exec(label ?? '') ?? [];
  const answer = await page.locator('tw-lesson-exercise').evaluate((element, index) => {
    const { group } = (element as unknown as { readonly exercise: Exercise }).exercise;
    const all = (group?.rollouts ?? []).map(({ outcome }) => outcome);
    const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
    const deviation = Math.sqrt(all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (all.length - 1));
    return ((all[index] ?? Number.NaN) - mean) / deviation;
  }, Number(attempt) - 1);
  await first.getByRole('textbox').fill('17');
  await first.getByRole('button', { name: 'Check' }).click();
  await first.getByText('Not correct yet.').waitFor();
  await first.getByRole('textbox').fill(answer.toFixed(2).replace('-', '−'));
  await first.getByRole('button', { name: 'Check' }).click();
  await first.getByText('Correct.').waitFor();
  await page.getByText('Show the computation').first().click();
  await page.locator('tw-lesson-exercise tw-worked').getByText('GRPO-OR').first().waitFor();
  await expectAccessible(page);

  // After a visit of the Playground, the prediction is saved.
  await link(page, 'Playground').click();
  await untilStep(page, 1);
  await link(page, 'Lessons').click();
  await heading(page, 'Lessons').waitFor();
  await link(page, 'The search reward ends').click();
  await heading(page, 'Predict').waitFor();
  await eventually(async () => shares(await drawn(page))[10]).toBeLessThan(20);
  expect(errors).toEqual([]);
  await close();
});

test('the run and the address of the Playground are unchanged after navigation to the lessons and back', async () => {
  const { page, errors, close } = await openPage(SMALL);
  await untilStep(page, 2);
  await eventually(() => new URL(page.url()).searchParams.get('engine')).toBe('wgsl');
  const run = () => page.evaluate(() => (document.querySelector('tw-app') as App).run.session.id);
  const before = await run();
  const { search } = new URL(page.url());
  await link(page, 'Lessons').focus();
  await page.keyboard.press('Enter');
  await heading(page, 'Lessons').waitFor();
  await eventually(() => page.title()).toBe('Lessons · Turnwise');
  await eventually(() => page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
  // Space and digits have no effect while the Playground is hidden.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press(' ');
  await page.keyboard.press('2');
  const { step, events } = await readRun(page, 'step', 'events');
  expect(events).toEqual([]);
  await untilStep(page, step + 2);
  await page.goBack();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await eventually(run).toEqual(before);
  expect(new URL(page.url()).search).toBe(search);
  await page.goForward();
  await heading(page, 'Lessons').waitFor();
  await eventually(run).toEqual(before);
  expect(errors).toEqual([]);
  await close();
});

test('an embedded lesson opens by its address at the width of a phone, without a run', async () => {
  const phone = await openPage('?embed=1#learn/one-reward/peer', { viewport: { width: 360, height: 740 } });
  await heading(phone.page, 'One reward for everything').waitFor();
  await eventually(() => phone.page.locator('tw-app').count()).toBe(0);
  await phone.page.getByText('This is the outcome-only arm').waitFor();
  const wide = () => phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await eventually(wide).toBeLessThanOrEqual(0);
  await eventually(() => landmarks(phone.page)).toEqual(
    expect.arrayContaining(['navigation Pages', 'main ', 'region Predict']),
  );
  // A term opens its definition, and Escape closes it.
  await button(phone.page, 'warm start').first().click();
  await phone.page.getByText('Supervised training before any reward').waitFor();
  await phone.page.keyboard.press('Escape');
  await eventually(() => phone.page.getByText('Supervised training before any reward').isVisible()).toBe(false);
  expect(phone.errors).toEqual([]);
  await phone.close();

  const lost = await openPage('#learn/nowhere');
  await lost.page.getByText('Lesson “nowhere” not found.').waitFor();
  expect(lost.errors).toEqual([]);
  await lost.close();
});
