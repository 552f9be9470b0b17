import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { ruleText } from '../pythonRules.ts';
import { eventually, many } from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';

let opened: OpenPage;
let page: Page;

beforeAll(async () => {
  opened = await openPage('#challenge');
  page = opened.page;
});
afterAll(() => opened?.close());

const editor = () => page.getByRole('textbox', { name: 'Your rule in Python' });
const scores = (row: string) =>
  page
    .locator('tw-challenge-scores tr', { has: page.getByRole('rowheader', { name: row, exact: true }) })
    .locator('td')
    .allInnerTexts();
/** Describes the difference between the user's row and another row; empty if the rows are equal. */
const differs = (row: string) =>
  Promise.all([scores('yours: my_rule.py'), scores(row)]).then(([custom, reference]) =>
    custom.length === 4 && custom.join() === reference.join() ? '' : `${custom.join()} is not ${reference.join()}`,
  );
const readRank = () => page.locator('tw-challenge-scores .rank').innerText();
const problem = () => page.locator('tw-own-rule-credit .alert').innerText();

test('the initial rule of the editor has the same scores as the built-in rule MT-GRPO', async () => {
  await eventually(() => scores('yours: my_rule.py').then((all) => all.length)).toBe(4);
  await eventually(() => differs('MT-GRPO')).toBe('');
  await eventually(readRank).toContain('gives the same results as MT-GRPO');
  await eventually(() => scores('GRPO-OR').then(([first]) => first)).toBe('none');
});

test('a valid rule text has scores in each task, and an invalid text shows its error', async () => {
  await editor().fill(ruleText('gigpo'));
  await eventually(() => differs('GiGPO')).toBe('');
  await editor().fill('def credit(group):\n    return [1.0] * len(group.turns)\n');
  await eventually(() => scores('yours: my_rule.py').then(([first]) => first)).toBe('none');
  await editor().fill('def credit(group):\n    return [turn.reward for turn in group.turns]\n');
  // All rows except the user's rule and the measured advantages.
  const builtIn = (await many(page.locator('tw-challenge-scores tbody tr'))) - 2;
  await eventually(readRank).toMatch(new RegExp(`higher correlation than \\d+ of ${builtIn} built-in rules`));
  await page.getByRole('link', { name: 'Repair tree' }).click();
  await editor().fill(ruleText('murphy-mers'));
  await eventually(() => differs('Murphy-MeRS')).toBe('');
  await editor().fill(ruleText('mt-grpo'));
  await eventually(readRank).toContain('needs trajectories');
  await editor().fill('def credit(group):\n    return [group.turns[0].nothing] * len(group.turns)\n');
  await eventually(problem).toContain('my_rule.py, line 2');
});

test('the error of a rule that fails in one task names the group', async () => {
  await page.getByRole('link', { name: 'Shared states' }).click();
  await editor().fill(
    'def credit(group):\n    if group.id == "ties-3":\n        raise ValueError("not here")\n    return [turn.reward for turn in group.turns]\n',
  );
  await eventually(problem).toMatch(/my_rule\.py, line 3, group "ties-3": ValueError: not here/);
  await eventually(() => opened.errors).toEqual([]);
});

const role = (name: string) => page.getByRole('button', { name, exact: true });

test('a custom rule races against two built-in rules, stops, and continues', async () => {
  await editor().fill(ruleText('gigpo'));
  await role('Start race').click();
  await eventually(() => page.locator('tw-challenge-race [role=status]').innerText()).toBe('0 of 9 runs');
  await eventually(() => page.locator('tw-challenge-race progress').getAttribute('max')).toBe('270');
  await eventually(() =>
    page.locator('tw-challenge-race progress').evaluate((bar: HTMLProgressElement) => bar.value),
  ).toBeGreaterThan(2);
  await role('Stop').click();
  await role('Resume').waitFor();
  await eventually(() => page.locator('tw-challenge-race .problem').count()).toBe(0);
  await eventually(() => opened.errors).toEqual([]);
});
