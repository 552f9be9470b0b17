import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { readResultFile, writeResultFile } from '../../src/lessons/results/resultFile.ts';
import { STATE_MS } from '../limits.ts';
import { eventually, SMALL } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Does the first lesson: selects a curve, trains, and answers the first question of the exercise incorrectly. */
async function goThrough(page: Page): Promise<void> {
  await button(page, 'It learns slowly').click();
  await button(page, 'Train').click();
  await heading(page, 'Your prediction and the result').waitFor({ timeout: 2 * STATE_MS });
  const first = page.locator('tw-lesson-exercise form').first();
  for (const answer of ['17', '18']) {
    await first.getByRole('textbox').fill(answer);
    await first.getByRole('button', { name: 'Check' }).click();
    await first.getByText('Not correct yet.').waitFor();
  }
}

async function saved(page: Page) {
  const download = page.waitForEvent('download');
  await button(page, 'Save the result file').click();
  const file = await download;
  return { name: file.suggestedFilename(), result: readResultFile(readFileSync(await file.path(), 'utf8')) };
}

test('the results of a student are saved, exported with the training, and removed on request', async () => {
  const { page, errors, close } = await openPage(`${SMALL}&seed=3#learn`);
  await page.getByText('After a lesson, your prediction').waitFor();
  await link(page, 'One reward for everything').click();
  await goThrough(page);
  const displayed = await page
    .locator('tw-lesson-result')
    .evaluate((element) =>
      (element as unknown as { runs: { answer: number }[][] }).runs[0]?.map(({ answer }) => answer),
    );

  await link(page, 'Lessons').click();
  await page.getByText('One reward for everything: one experiment, one answer to an exercise.').waitFor();
  await page.getByLabel('Your name').fill('Ada L.');
  await page.keyboard.press('Tab');
  await expectAccessible(page);
  const { name, result } = await saved(page);
  expect(name).toBe('turnwise-result-Ada-L.json');
  expect(result.name).toBe('Ada L.');
  expect(result.lessons).toHaveLength(1);
  const [attempt] = result.lessons[0]?.attempts ?? [];
  const [run] = attempt?.runs ?? [];
  expect(attempt).toMatchObject({ exercises: [{ number: 1, kind: 'advantages', rule: 'grpo-or' }] });
  expect(attempt?.prediction.at(-1)).toBeCloseTo(0.6);
  expect(run).toMatchObject({ name: 'end', steps: 40, configuration: { seed: 3, controls: { questions: 1 } } });
  expect(run?.curves.answer).toEqual(displayed);
  expect(run?.device).not.toBe('');
  expect(attempt?.exercises[0]?.answers).toMatchObject([{ text: '18', check: 'wrong', tries: 2 }]);

  // The page for teachers reads the file.
  await page.goto(new URL(`${SMALL}#learn/teach`, page.url()).href);
  const submitted = [{ name: 'ada.json', mimeType: 'application/json', buffer: Buffer.from(writeResultFile(result)) }];
  await page.locator('tw-class input[type=file]').setInputFiles(submitted);
  await page.locator('tw-class').getByRole('table').first().waitFor();

  // The results are available after a reload, and a reset removes them for the next student.
  await link(page, 'All lessons').click();
  await page.reload();
  await button(page, 'Reset my progress').click();
  await button(page, 'Cancel').click();
  const stored = await saved(page);
  expect(stored.result).toEqual(result);
  await button(page, 'Reset my progress').click();
  await button(page, 'Remove all').click();
  await page.getByText('After a lesson, your prediction').waitFor();
  await eventually(() =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => /lesson-|result/.test(key))),
  ).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});
