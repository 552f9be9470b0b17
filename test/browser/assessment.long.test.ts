import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

/** Number of questions with choices. */
const CLOSED = 6;

/** Selects the choice at an index in every question with choices, and answers question 7. */
async function pick(page: Page, time: string, index: number): Promise<void> {
  const groups = page.getByRole('radiogroup');
  await eventually(() => groups.count()).toBe(CLOSED);
  for (let question = 0; question < CLOSED; question++) {
    await groups.nth(question).getByRole('radio').nth(index).check();
  }
  await page.getByRole('region', { name: 'Question 7' }).getByRole('textbox').fill(`So it seems to me ${time}.`);
  await page.keyboard.press('Tab');
}

test('answers to the eight questions are saved before and after the lessons, then checked and compared', async () => {
  const { page, errors, close } = await openPage('#learn');
  await page.getByRole('link', { name: 'Eight questions' }).click();
  await page.getByRole('heading', { name: 'Eight questions' }).waitFor();
  await eventually(() => page.title()).toBe('Eight questions · Turnwise');
  await pick(page, 'before', 0);
  await page.getByRole('radio', { name: 'Comparison', exact: true }).check();
  await page.getByText('First answer the questions after the lessons').waitFor();

  await page.reload();
  await page.getByRole('radio', { name: 'After the lessons' }).check();
  await pick(page, 'after', 1);
  // Answers before the lessons can no longer change.
  await page.getByRole('radio', { name: 'Before the lessons' }).check();
  await page.getByText('They can no longer be changed.').waitFor();
  await eventually(() => page.getByRole('radiogroup').getByRole('radio', { disabled: false }).count()).toBe(0);
  await eventually(() => page.getByRole('region', { name: 'Question 7' }).getByRole('textbox').inputValue()).toBe(
    'So it seems to me before.',
  );
  await page.getByRole('radio', { name: 'After the lessons' }).check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Check and compare' }).click();
  // The first choice is never correct; the second choice is correct in three questions.
  await page.getByText('Correct before the lessons: 0 of 6. Correct after them: 3 of 6.').waitFor();
  await page.getByText('So it seems to me after.').waitFor();
  await page.getByText('A good answer says three things').waitFor();
  await expectAccessible(page);
  expect(errors).toEqual([]);
  await close();
});
