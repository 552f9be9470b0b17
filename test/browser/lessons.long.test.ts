import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { LessonTraining } from '../../src/app/lessons/lessonTraining.ts';
import { EXACT } from '../../src/engine/engineName.ts';
import { STATE_MS } from '../limits.ts';
import { eventually, SMALL } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

/** Query of a run with small updates in which some rollouts search twice. */
const TWO_SEARCHES = '?v=1&questions=4&minibatches=1';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

/**
 * Trains a lesson on the exact engine. Expects that its statements are true and that each exercise checks an answer.
 * @param questions kind of the first question of each exercise
 */
async function expectTrainedLesson(name: string, questions: readonly ('write' | 'pick')[]): Promise<void> {
  const { page, errors, close } = await openPage(`#learn/${name}`, { real: true });
  await page.locator('.choices button').last().click();
  await button(page, 'Train').click();
  await heading(page, 'Your prediction and the result').waitFor({ timeout: 2 * STATE_MS });
  await eventually(() => page.locator('tw-lesson-findings .unmet').count()).toBe(0);
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

// test/unit/lessons/lessons.long.test.ts checks the runs of every lesson on Node.
test.each([
  ['second-tries', ['write', 'write', 'pick']],
  ['tests-that-count', ['write', 'pick']],
] as const)('the statements of lesson %s are true for its runs, and its exercises check answers', expectTrainedLesson);

test('both arms of a lesson train on the exact engine in a browser without WebGPU', async () => {
  const before = 'delete Navigator.prototype.gpu;';
  const { page, errors, close } = await openPage(`${SMALL}#learn/pay-each-turn`, { before });
  await page.getByRole('button', { name: 'It soon searches in nearly every attempt', exact: true }).click();
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await page.getByRole('heading', { name: 'Your prediction and the result' }).waitFor({ timeout: 2 * STATE_MS });
  const runs = () =>
    page.locator('tw-experiment').evaluate((experiment) => {
      const { models, metrics } = (experiment as unknown as { readonly training: LessonTraining }).training;
      return models.map(({ configuration }, run) => [configuration.engine, metrics[run]?.length]);
    });
  await eventually(runs).toEqual(Array(2).fill([EXACT, 60]));
  expect(errors).toEqual([]);
  await close();
});

test('an exercise checks corrected reward amounts, and rejects an amount that is not a number', async () => {
  const { page, errors, close } = await openPage(`${TWO_SEARCHES}#learn/rewards-lie/high-school`, { real: true });
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
