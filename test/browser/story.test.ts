import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, readRun, readWhen, SMALL, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

const caption = (page: Page) => page.locator('tw-story').getByRole('status');
const next = (page: Page) => page.locator('tw-story').getByRole('button', { name: 'Next' }).click();
const rule = async (page: Page) => (await readRun(page, 'controls')).controls.rule;

test('the tour explains the group of the run, selects rules, and ends with a task for the user', async () => {
  const { page, errors, close } = await openPage(SMALL, { reducedMotion: 'no-preference' });
  await untilStep(page, 1);
  const showMe = page.getByRole('button', { name: 'Start tour (60 s)' });
  await showMe.click();
  await caption(page).getByText('An agent gets a question. It may search before it answers.').waitFor();
  const picture = page.locator('tw-picture');
  const lanes = await readWhen(
    () => picture.locator('.lane').count(),
    (count) => count > 0,
  );
  const question = await readWhen(
    () => picture.locator('q').innerText(),
    (text) => text !== '',
  );
  for (let scene = 0; scene < 4; scene++) await next(page);
  await caption(page).getByText('GRPO-OR gives all turns of an attempt one number.').waitFor();
  // The group remains while training continues.
  await eventually(() => picture.locator('q').innerText()).toBe(question);
  await eventually(() => picture.locator('.bar').count()).toBe(lanes);
  await eventually(() => rule(page)).toBe('mt-grpo');
  await next(page);
  await eventually(() => picture.locator('.bar').count()).toBe(2 * lanes);
  await next(page);
  await eventually(() => rule(page)).toBe('grpo-or');
  await next(page);
  await next(page);
  // The scene with MT-GRPO ends when tool use is above 50 %, or after 20 s.
  await caption(page).getByText('Your turn: GRPO-OR is pressed again. Save the tool.').waitFor();
  await eventually(() => rule(page)).toBe('grpo-or');
  await next(page);
  await eventually(() => page.locator('tw-story').count()).toBe(0);
  await eventually(() => showMe.evaluate((button) => button.matches(':focus'))).toBe(true);
  expect(errors).toEqual([]);
  await close();
});
