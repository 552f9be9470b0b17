import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, readRun, SMALL, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

const caption = (page: Page) => page.locator('tw-story').getByRole('status');
const next = (page: Page) => page.locator('tw-story').getByRole('button', { name: 'Next' }).click();
const rule = async (page: Page) => (await readRun(page, 'controls')).controls.rule;

test('with reduced motion, the tour pauses the run and waits for Next, and Escape ends it', async () => {
  const { page, errors, close } = await openPage(SMALL);
  await untilStep(page, 1);
  await page.getByRole('button', { name: 'Start tour (60 s)' }).click();
  await untilStatus(page, 'paused');
  // Wait until the time of the first scene has passed.
  const done = page.locator('tw-story .progress i').first();
  await eventually(() => done.getAttribute('style')).toBe('--done: 1');
  await caption(page).getByText('An agent gets a question. It may search before it answers.').waitFor();
  await page.keyboard.press('Escape');
  await eventually(() => page.locator('tw-story').count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('the tour of Repair shows chains of programs, and selects Murphy-MaRS after GRPO-MT', async () => {
  const small = '?v=1&environment=repair&programs=16&groupSize=4&minibatches=1';
  const { page, errors, close } = await openPage(small);
  await untilStep(page, 1);
  await page.getByRole('button', { name: 'Start tour (60 s)' }).click();
  await caption(page).getByText('An agent writes a program. Unit tests check it.').waitFor();
  await eventually(() => rule(page)).toBe('grpo-mt');
  const picture = page.locator('tw-picture');
  for (let scene = 0; scene < 4; scene++) await next(page);
  await caption(page).getByText('GRPO-MT gives both programs of an attempt one number.').waitFor();
  const lanes = () => picture.locator('.lane').count();
  await eventually(async () => (await picture.locator('.bar').count()) === (await lanes())).toBe(true);
  await next(page);
  await caption(page)
    .getByText(/^Murphy-MaRS gives each program its own/)
    .waitFor();
  await eventually(async () => (await picture.locator('.bar').count()) >= (await lanes())).toBe(true);
  await next(page);
  await eventually(() => rule(page)).toBe('murphy-mars');
  await page.keyboard.press('Escape');
  await eventually(() => page.locator('tw-story').count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});
