import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { ruleText } from '../pythonRules.ts';
import { eventually } from './app.ts';
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
/** What the visitor's row has otherwise than another one; empty for nothing. */
const differs = (row: string) =>
  Promise.all([scores('yours: my_rule.py'), scores(row)]).then(([own, other]) =>
    own.length === 4 && own.join() === other.join() ? '' : `${own.join()} is not ${other.join()}`,
  );
const told = () => page.locator('tw-challenge-scores .rank').innerText();
const problem = () => page.locator('tw-own-rule-credit .alert').innerText();

test('the rule that the editor opens with stands in the table beside the same built-in one', async () => {
  await eventually(() => scores('yours: my_rule.py').then((all) => all.length)).toBe(4);
  await eventually(() => differs('MT-GRPO')).toBe('');
  await eventually(told).toContain('gives the figures of MT-GRPO');
  await eventually(() => scores('GRPO-OR').then(([first]) => first)).toBe('none');
});

test('every text that works has figures, in each task; one that does not says what is wrong', async () => {
  await editor().fill(ruleText('gigpo'));
  await eventually(() => differs('GiGPO')).toBe('');
  await editor().fill('def credit(group):\n    return [1.0] * len(group.turns)\n');
  await eventually(() => scores('yours: my_rule.py').then(([first]) => first)).toBe('none');
  await editor().fill('def credit(group):\n    return [turn.reward for turn in group.turns]\n');
  await eventually(told).toMatch(/higher correlation than \d+ of 13 built-in rules/);
  await page.getByRole('link', { name: 'A tree of repairs' }).click();
  await editor().fill(ruleText('murphy-mers'));
  await eventually(() => differs('Murphy-MeRS')).toBe('');
  await editor().fill(ruleText('mt-grpo'));
  await eventually(told).toContain('needs trajectories');
  await editor().fill('def credit(group):\n    return [group.turns[0].nothing] * len(group.turns)\n');
  await eventually(problem).toContain('my_rule.py, line 2');
});

test('a rule that fails in another task alone says which group', async () => {
  await page.getByRole('link', { name: 'Shared states' }).click();
  await editor().fill(
    'def credit(group):\n    if group.id == "ties-3":\n        raise ValueError("not here")\n    return [turn.reward for turn in group.turns]\n',
  );
  await eventually(problem).toMatch(/my_rule\.py, line 3, group "ties-3": ValueError: not here/);
  await eventually(() => opened.errors).toEqual([]);
});

const role = (name: string) => page.getByRole('button', { name, exact: true });
const board = () => page.locator('tw-challenge-board');

test('a rule races beside two built-in ones, stops, and goes on', async () => {
  await editor().fill(ruleText('gigpo'));
  await role('Race').click();
  await eventually(() => page.locator('tw-challenge-race [role=status]').innerText()).toBe('0 of 9 runs');
  await eventually(() => page.locator('tw-challenge-race progress').getAttribute('max')).toBe('270');
  await eventually(() =>
    page.locator('tw-challenge-race progress').evaluate((bar: HTMLProgressElement) => bar.value),
  ).toBeGreaterThan(2);
  await role('Stop').click();
  await role('Resume').waitFor();
  await eventually(() => page.locator('tw-challenge-race .problem').count()).toBe(0);
});

test('a result is kept on the board, saved as a file, and opened from it: nothing runs before leave is given', async () => {
  await role('Save on the board').click();
  await eventually(() => board().locator('tbody tr').count()).toBe(1);
  const download = page.waitForEvent('download');
  await role('Save file').click();
  const path = await (await download).path();
  const saved = JSON.parse(readFileSync(path, 'utf8')) as { rule: { source: string }; tasks: object[] };
  const opening = await openPage('#challenge');
  const theirs = (name: string) => opening.page.getByRole('button', { name, exact: true });
  const give = async (name: string, result: object) => {
    const buffer = Buffer.from(JSON.stringify(result));
    const file = { name, mimeType: 'application/json', buffer };
    await opening.page.locator('tw-challenge-board input[type=file]').setInputFiles(file);
  };
  const notice = () => opening.page.locator('tw-challenge-board .notice').innerText();
  await give('ada.json', saved);
  await eventually(notice).toContain('when you run the rule');
  await theirs('Run this rule').click();
  await eventually(notice).toContain('equal here, in all tasks');
  const [ties, ...others] = saved.tasks as { figures: Record<string, number[]> }[];
  const changed = { ...ties, figures: { ...ties.figures, correlation: [0.99, 0.98, 1] } };
  await give('eve.json', { ...saved, tasks: [changed, ...others] });
  await theirs('Run this rule').click();
  await eventually(notice).toMatch(/ties: correlation is 0\.99, and 0\.\d+ here/);
  const source = 'raise ValueError("it ran")\ndef credit(group):\n    return [0.0] * len(group.turns)\n';
  await give('mallory.json', { ...saved, rule: { ...saved.rule, source } });
  await eventually(() => opening.page.getByRole('textbox', { name: 'Your rule in Python' }).innerText()).toContain(
    'it ran',
  );
  await eventually(() => opening.page.locator('tw-own-rule-credit .alert').count()).toBe(0);
  await eventually(() => theirs('Race').isDisabled()).toBe(true);
  await give('none.json', { format: 'other' });
  await eventually(() => opening.page.locator('tw-challenge-board [role=status]').innerText()).toContain(
    'none.json: it is no result file of the challenge',
  );
  await eventually(() => opening.errors).toEqual([]);
  await opening.close();
});
