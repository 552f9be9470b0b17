import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, many } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, exact: true });

/** Number of claims of the paper with T claims that were not run, by the committed results. */
const notRun = readdirSync('docs/reference/lab').filter(
  (file) =>
    /^t\d+\.json$/.test(file) && JSON.parse(readFileSync(`docs/reference/lab/${file}`, 'utf8')).seeds.there === 0,
).length;

test('the Lab shows a summary, a table and figures, and filters claims by paper and conclusion', async () => {
  const { page, errors, close } = await openPage('#lab');
  await heading(page, 'Which claims reproduce?').waitFor();
  await page.getByText(/^Of 34 claims of four papers, /).waitFor();
  const rows = page.locator('tw-lab-overview tbody tr:has(td)');
  await eventually(() => rows.count()).toBe(34);
  await page.locator('tw-lab-figure').getByRole('img', { name: /^T1: / }).waitFor();
  await expectAccessible(page);

  const cards = page.locator('tw-claim-card');
  await page.getByRole('link', { name: /^All \d+ claims and questions$/ }).click();
  await page.getByText(/^\d+ claims$/).waitFor();
  const all = await many(cards);
  await page.getByRole('combobox', { name: 'Paper' }).selectOption({ label: 'Turn-level rewards' });
  await page.getByText(`11 of ${all} claims`).waitFor();
  await page.getByRole('combobox', { name: 'Conclusion' }).selectOption('not run');
  await eventually(() => new URL(page.url()).hash).toBe('#lab/paper=t/conclusion=not-run');
  await eventually(() => cards.count()).toBe(notRun);
  await page.reload();
  await eventually(() => cards.count()).toBe(notRun);

  // A claim opens, and Back returns to the filtered list.
  await page.getByRole('combobox', { name: 'Conclusion' }).selectOption('');
  await cards.getByRole('link', { name: /^The gain of turn-level rewards/ }).click();
  await heading(page, 'The gain of turn-level rewards grows with the hops that a question needs.').waitFor();
  await eventually(() => page.title()).toBe('T9 · Turnwise');
  await page.getByText('Conclusion', { exact: true }).first().waitFor();
  await heading(page, 'What differs from the paper').waitFor();
  await expectAccessible(page);
  await page.goBack();
  await eventually(() => cards.count()).toBe(11);

  // The page of a partially tested claim states the part that was not run, and the reason.
  await page.goto(`${page.url().split('#')[0]}#lab/r5`);
  await page.getByText(/How often each is right by measured advantages is not counted/).waitFor();
  // An arm without a credit rule runs only in a terminal.
  await page.goto(`${page.url().split('#')[0]}#lab/m10`);
  await page.getByText('One arm is expert iteration, which runs in a terminal.').waitFor();
  await page.goto(`${page.url().split('#')[0]}#lab/nowhere`);
  await page.getByText('Claim nowhere not found.').waitFor();
  expect(errors).toEqual([]);
  await close();
});
