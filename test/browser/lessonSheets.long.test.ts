import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { STATE_MS } from '../limits.ts';
import { openPage } from './chromium.ts';

/** Query of a run with small updates in which some rollouts search twice. */
const SIZES = '?v=1&questions=4&minibatches=1';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('an exercise checks corrected reward amounts, and rejects an amount that is not a number', async () => {
  const { page, errors, close } = await openPage(`${SIZES}#learn/rewards-lie/high-school`, { real: true });
  await button(page, 'It never learns to answer').click();
  await button(page, 'Train').click();
  await page.getByRole('heading', { name: 'Your prediction and the result' }).waitFor({ timeout: 2 * STATE_MS });
  const repairExercise = page.locator('tw-lesson-exercise').nth(1);
  const cost = repairExercise.getByRole('textbox', { name: 'Search cost' });
  for (const [amount, text] of [
    ['much', 'Search cost has to be a number from 0 to 1.'],
    ['0.1', 'These amounts do not meet the goal.'],
    ['0.3', 'Correct: these amounts meet the goal.'],
  ] as const) {
    await cost.fill(amount);
    await repairExercise.getByRole('button', { name: 'Try these amounts' }).click();
    await repairExercise.getByText(text).waitFor();
  }
  await repairExercise.getByText('A first search that finds the answer earns +0.10.').first().waitFor();
  expect(errors).toEqual([]);
  await close();
});
