import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { STATE_MS } from '../limits.ts';
import { eventually } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

/**
 * Trains a lesson on the exact engine. Expects that its statements are true and that each exercise checks an answer.
 * @param questions kind of the first question of each exercise
 */
export async function expectTrainedLesson(name: string, questions: readonly ('write' | 'pick')[]): Promise<void> {
  const { page, errors, close } = await openPage(`#learn/${name}`, { real: true });
  await page.locator('.choices button').last().click();
  await button(page, 'Train').click();
  await heading(page, 'Your prediction and the result').waitFor({ timeout: 2 * STATE_MS });
  await eventually(() => page.locator('tw-lesson-result .unmet').count()).toBe(0);
  const exercises = page.locator('tw-lesson-exercise');
  await eventually(() => exercises.count()).toBe(questions.length);
  for (const [index, question] of questions.entries()) {
    const exercise = exercises.nth(index);
    await exercise.getByText('Hint').click();
    const form = exercise.locator('form').first();
    const check = form.getByRole('button', { name: 'Check' });
    if (question === 'pick') {
      await check.click();
      await form.getByText('Pick one first.').waitFor();
      await form.locator('select').selectOption({ label: 'more likely' });
      await check.click();
      await form.getByText(/^(Correct|Not correct yet)\.$/).waitFor();
    } else {
      await form.getByRole('textbox').fill('17');
      await check.click();
      await form.getByText('Not correct yet.').waitFor();
    }
    await exercise.getByText('Show the computation').first().click();
    await exercise.locator('tw-worked li').first().waitFor();
  }
  await expectAccessible(page);
  expect(errors).toEqual([]);
  await close();
}
