import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { BoundFormula } from '../../src/app/lessons/formulas/formula.ts';
import type { NumberAsk, PickAsk, Sheet } from '../../src/app/lessons/sheets/sheet.ts';
import { readRecord } from '../../src/lessons/results/readRecord.ts';
import { STATE_MS } from '../limits.ts';
import { eventually, readWhen } from './app.ts';
import { openPage } from './chromium.ts';
import { findings } from './findings.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const sheets = (page: Page) => page.locator('tw-lesson-sheet');
/** What the page worked out. */
const asksOf = (page: Page, at: number) =>
  sheets(page)
    .nth(at)
    .evaluate((element) => (element as unknown as { readonly made: Sheet }).made.asks);

test('a reader goes through a lesson with a picture, a bound formula and sheets', async () => {
  const { page, errors, close } = await openPage('#learn/true-worth/college');
  await page.getByRole('img', { name: /^A key, a door and a star/ }).waitFor();
  await button(page, 'It takes it in about a third of its tries').click();
  await button(page, 'Train it').click();
  await page.getByRole('heading', { name: '3. Reveal' }).waitFor({ timeout: 2 * STATE_MS });

  // A symbol that has the focus is told and lights up its numbers.
  const formula = page.locator('tw-lesson-formula');
  const lit = () => formula.locator('td.lit').count();
  await eventually(() => formula.locator('td').count()).toBeGreaterThan(0);
  await eventually(lit).toBe(0);
  await formula.locator('button[data-symbol=V1]').first().focus();
  await formula.getByText(/^V₁: the worth of the start, the mean over all tries\. Here [\d.]+\.$/).waitFor();
  await eventually(lit).toBe(8);
  await formula.locator('button[data-symbol=o]').first().focus();
  await eventually(lit).toBe(1);
  await page.keyboard.press('Tab');
  const numbers = () => formula.locator('.number').allTextContents();
  const before = await readWhen(numbers, (all) => all.length > 0);
  const other = await formula.evaluate((element) => {
    const { rows } = (element as unknown as { readonly formula: BoundFormula }).formula;
    return rows.find(({ values }) => values.A2 !== rows[0]?.values.A2)?.name;
  });
  await button(page, `Look at try ${other}`).click();
  await eventually(numbers).not.toEqual(before);
  // With the pointer as well.
  await formula.locator('button[data-symbol=V1]').first().hover();
  await eventually(lit).toBe(8);

  // The worth of a turn, worked out by hand.
  const [start] = (await asksOf(page, 0)) as readonly NumberAsk[];
  const first = sheets(page).nth(0).locator('form').first();
  await first.getByRole('textbox').fill('17');
  await first.getByRole('button', { name: 'Check' }).click();
  await first.getByText('Not yet.').waitFor();
  await first.getByRole('textbox').fill((start?.answer ?? Number.NaN).toFixed(3));
  await first.getByRole('button', { name: 'Check' }).click();
  await first.getByText('Right.').waitFor();

  // Groups that the rule is silent about.
  const [groups] = (await asksOf(page, 1)) as readonly PickAsk[];
  const second = sheets(page).nth(1);
  await second.getByRole('button', { name: 'Check' }).click();
  await second.getByText(/marks? (is|are) wrong\./).waitFor();
  for (const { label, right } of groups?.options ?? []) if (right) await second.getByLabel(label).check();
  await second.getByRole('button', { name: 'Check' }).click();
  await second.getByText('Right.').waitFor();

  // Both are in the results, each with a number of its own.
  const kept = await page.evaluate(() => localStorage.getItem('turnwise-result-1-true-worth'));
  const exercises = readRecord(JSON.parse(kept ?? ''), 'true-worth').attempts.at(-1)?.exercises;
  const right = (groups?.options ?? []).flatMap((one) => (one.right ? [one.label] : [])).join(', ');
  expect(exercises).toMatchObject([
    { number: 1, kind: 'worth', answers: [{ place: 1, check: 'right', tries: 2 }] },
    { number: 2, kind: 'silent', rule: 'grpo-or', answers: [{ text: right, check: 'right', tries: 2 }] },
  ]);
  for (const [scheme, width] of [
    ['dark', 360],
    ['light', 1280],
  ] as const) {
    await eventually(() => findings(page, scheme, width)).toEqual([]);
  }
  // A five-year-old is spared the formula.
  await page.getByRole('radio', { name: 'Five-year-old' }).check({ force: true });
  await eventually(() => formula.count()).toBe(0);

  // The next lesson begins at its top, and the way back leads to the list.
  await page.getByRole('link', { name: 'Next: When rewards lie' }).click();
  await page.getByRole('heading', { name: 'When rewards lie', exact: true }).waitFor();
  await eventually(() => page.evaluate(() => scrollY)).toBe(0);
  await page.getByRole('link', { name: 'Lessons', exact: true }).click();
  await page.getByRole('heading', { name: 'Lessons', exact: true }).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('a broken pay is mended, and one that is no amount is refused', async () => {
  const { page, errors, close } = await openPage('#learn/rewards-lie/high-school');
  await button(page, 'It never learns to answer').click();
  await button(page, 'Train it').click();
  await page.getByRole('heading', { name: '3. Reveal' }).waitFor({ timeout: 2 * STATE_MS });
  const mend = sheets(page).nth(1);
  const cost = mend.getByRole('textbox', { name: 'Search cost' });
  for (const [amount, text] of [
    ['much', 'Search cost has to be a number from 0 to 1.'],
    ['0.1', 'These amounts do not do it.'],
    ['0.3', 'Right: these amounts do it.'],
  ] as const) {
    await cost.fill(amount);
    await mend.getByRole('button', { name: 'Try these amounts' }).click();
    await mend.getByText(text).waitFor();
  }
  await mend.getByText('A first search that finds the answer earns +0.10.').first().waitFor();
  expect(errors).toEqual([]);
  await close();
});
