import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ruleFragment } from '../../src/app/customRule/ruleLink.ts';
import { eventually, pause, readGroup, readRun, SMALL, untilStep } from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';

let opened: OpenPage;
let page: Page;

beforeAll(async () => {
  opened = await openPage(`${SMALL}&panels=group,rule,log`);
  page = opened.page;
  await untilStep(page, 1);
  await pause(page);
});
afterAll(() => opened?.close());

const editor = () => page.getByRole('textbox', { name: 'Your rule in Python' });
const numbers = (column: number) =>
  page
    .locator('tw-own-rule-credit tbody tr')
    .evaluateAll((rows, at) => rows.map((row) => row.children[at].textContent?.trim()), column);
const problem = () => page.locator('tw-own-rule-credit .alert').innerText();
const train = () => page.getByRole('button', { name: 'Train with it' });

/** Returns a promise that `open` resolves. */
function gate() {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

const CONSTANT = 'def credit(group):\n    return [0.25] * len(group.turns)\n';

test('the menu opens the editor with the active rule after it has loaded, and its credit is computed', async () => {
  const text = gate();
  await page.route(/mt_grpo/, (route) => text.promise.then(() => route.continue()));
  await page.getByRole('button', { name: 'More credit rules' }).click();
  await page.getByRole('menuitemradio', { name: /^Your rule/ }).click();
  await train().waitFor();
  // The loaded text replaces the content of the editor, so the editor appears only after the text has loaded.
  await eventually(() => editor().count()).toBe(0);
  text.open();
  await eventually(() => editor().innerText()).toContain('MT-GRPO');
  await eventually(() => numbers(3).then((all) => all.length)).toBeGreaterThan(1);
  await eventually(async () => new Set(await numbers(5))).toEqual(new Set(['0']));
});

test('the credit of a rule text is computed after each change, and a syntax error reports its line', async () => {
  await editor().fill(CONSTANT);
  await eventually(async () => new Set(await numbers(3))).toEqual(new Set(['+0.25']));
  await editor().fill('def credit(group):\n    return [0.25] * len(group.turns');
  await eventually(problem).toMatch(/my_rule\.py, line 2: does not parse/);
  await editor().fill(CONSTANT.replace('0.25', '0.5'));
  await eventually(async () => new Set(await numbers(3))).toEqual(new Set(['+0.50']));
});

test('a rule with worked() shows how the advantage of each turn is computed', async () => {
  await editor().fill(
    "def credit(group):\n    return [turn.reward for turn in group.turns]\ndef worked(group, turn, advantage):\n    return [f'turn {turn} has R = {advantage:.2f}']\n",
  );
  const lines = () => page.locator('tw-own-rule-credit tw-worked li').allInnerTexts();
  await eventually(async () => (await lines()).join()).toMatch(/^turn 0 has R = /);
  await page.getByRole('button', { name: 'How the advantage of turn 1 is computed' }).click();
  await eventually(async () => (await lines()).join()).toMatch(/^turn 1 has R = /);
  await editor().fill(CONSTANT.replace('0.25', '0.5'));
  await page.getByText('A function worked(group, turn, advantage)').waitFor();
});

test('a run trains with the custom rule, and the button is disabled for a text that fails', async () => {
  await train().click();
  const { step } = await readRun(page, 'step');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, step + 1);
  const run = await readGroup(page);
  expect(run.metrics.at(-1)?.rule).toMatch(/^my_rule\.py#[0-9a-f]{8}$/);
  expect(run.group.rollouts.flatMap(({ turns }) => turns.map(({ advantage }) => advantage))).toContain(0.5);
  await editor().fill(
    'def credit(group):\n    for turn in range(9):\n        if turn == 1:\n            raise ValueError("no")\n    return [0.0] * len(group.turns)\n',
  );
  await eventually(problem).toContain('line 4');
  await eventually(() => train().isDisabled()).toBe(true);
});

test('a rule of a link is displayed, and its code runs only after the user allows it', async () => {
  const source = 'raise ValueError("it ran")\ndef credit(group):\n    return [0.0] * len(group.turns)\n';
  const hash = await ruleFragment({ file: 'theirs.py', values: {}, source });
  const link = await openPage(`?v=1&panels=group,rule${hash}`);
  const ruleText = link.page.getByRole('textbox', { name: 'Your rule in Python' });
  await eventually(() => ruleText.innerText()).toContain('it ran');
  await eventually(() =>
    link.page
      .getByRole('alert')
      .allInnerTexts()
      .then((all) => all.join()),
  ).toContain('theirs.py');
  await eventually(() => link.page.frames().length).toBe(1);
  await link.page.getByRole('button', { name: 'Run this rule' }).click();
  await eventually(() => link.page.locator('tw-own-rule-credit .alert').innerText()).toContain(
    'theirs.py, line 1: ValueError: it ran',
  );
  await link.close();
});

test('if the text of the active rule cannot be loaded, the editor opens empty and keeps what the user types', async () => {
  const offline = await openPage(`${SMALL}&panels=group,rule,log`);
  await offline.page.route(/mt_grpo/, (route) => route.abort());
  await offline.page.getByRole('button', { name: 'More credit rules' }).click();
  await offline.page.getByRole('menuitemradio', { name: /^Your rule/ }).click();
  await offline.page.getByText('The editor could not be loaded').waitFor();
  const field = offline.page.getByRole('textbox', { name: 'Your rule in Python' });
  await field.fill(CONSTANT);
  await eventually(() => field.innerText()).toContain('[0.25]');
  await offline.close();
});

test('the editor shows the rule that was selected last, regardless of loading times', async () => {
  const files = ['gigpo', 'tempo', 'igpo'] as const;
  const gates = files.map((name) => ({ name, ...gate() }));
  for (const { name, promise } of gates) {
    await page.route(new RegExp(`/${name}-[^/]*\\.js$`), (route) => promise.then(() => route.continue()));
  }
  const start = (rule: string) => page.getByRole('combobox', { name: 'Start from' }).selectOption(rule);
  const load = async (rule: (typeof files)[number]) => {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes(`/${rule}-`)),
      gates.find(({ name }) => name === rule)?.open(),
    ]);
    // A text, because Vitest rewrites imports in functions. The page awaits the same module and receives it first.
    await page.evaluate(`import(${JSON.stringify(answer.url())}).then(() => undefined)`);
  };
  await start('gigpo');
  await start('tempo');
  await load('gigpo');
  await load('tempo');
  await eventually(() => editor().innerText()).toContain('TEMPO:');
  await start('igpo');
  await editor().fill(CONSTANT);
  await load('igpo');
  await eventually(() => editor().innerText()).toContain('0.25');
});

test('a rule is saved under its name and can be loaded again', async () => {
  await editor().fill(CONSTANT);
  await page.getByRole('textbox', { name: 'Name' }).fill('quarter.py');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await editor().fill('def credit(group):\n    return []\n');
  await page.getByRole('combobox', { name: 'Saved rules' }).selectOption('quarter.py');
  await eventually(() => editor().innerText()).toContain('0.25');
});

test('a saved rule is overwritten only after a second click on Save', async () => {
  const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem('turnwise.rules') ?? '{}')['quarter.py']);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await editor().fill(CONSTANT.replace('0.25', '0.75'));
  await save.click();
  await page.getByText('“quarter.py” is another saved rule').waitFor();
  await eventually(stored).toContain('0.25');
  await save.click();
  await eventually(stored).toContain('0.75');
  await editor().fill(CONSTANT);
  await save.click();
  await save.click();
  await eventually(stored).toContain('0.25');
});

test('a rule of a file runs only after the user allows it, also after it was saved', async () => {
  const source = 'raise ValueError("it ran")\ndef credit(group):\n    return [0.0] * len(group.turns)\n';
  const second = await openPage('?v=1&panels=group,rule');
  const allow = second.page.getByRole('button', { name: 'Run this rule' });
  await second.page.getByRole('button', { name: 'Open the editor of your rule' }).click();
  const buffer = Buffer.from(source);
  await second.page
    .locator('tw-own-rule-bench input[type=file]')
    .setInputFiles({ name: 'theirs.py', mimeType: 'text/x-python', buffer });
  await allow.waitFor();
  await second.page.getByRole('button', { name: 'Save', exact: true }).click();
  await second.page.getByText('Saved in this browser as “theirs.py”').waitFor();
  await second.page.getByRole('combobox', { name: 'Start from' }).selectOption('gigpo');
  await eventually(() => allow.count()).toBe(0);
  await second.page.getByRole('combobox', { name: 'Saved rules' }).selectOption('theirs.py');
  await allow.waitFor();
  await eventually(() => second.page.locator('tw-own-rule-credit .alert').count()).toBe(0);
  await allow.click();
  await eventually(() => second.page.locator('tw-own-rule-credit .alert').innerText()).toContain('ValueError: it ran');
  // After the user has allowed the rule, it runs when it is opened.
  await second.page.getByRole('combobox', { name: 'Start from' }).selectOption('gigpo');
  await second.page.getByRole('combobox', { name: 'Saved rules' }).selectOption('theirs.py');
  await eventually(() => second.page.locator('tw-own-rule-credit .alert').innerText()).toContain('ValueError: it ran');
  await eventually(() => allow.count()).toBe(0);
  await second.close();
});

test('a saved rule is offered for forks and comparisons, and the menu adds a missing editor', async () => {
  const second = await openPage(`${SMALL}&panels=chart,log`, { context: opened.context });
  await second.page.locator('tw-several-runs summary').click();
  const offered = () => second.page.locator('tw-several-runs select').first().locator('option').allInnerTexts();
  await eventually(offered).toContain('quarter.py');
  await eventually(() => second.page.locator('tw-several-runs fieldset label').allInnerTexts()).toContain('quarter.py');
  await second.page.getByRole('button', { name: 'More credit rules' }).click();
  await second.page.getByRole('menuitemradio', { name: /^Your rule/ }).click();
  await eventually(() => second.page.getByRole('textbox', { name: 'Your rule in Python' }).count()).toBe(1);
  await eventually(() => second.page.evaluate(() => location.search)).toContain('panels=chart,rule,log');
  await eventually(() => second.errors).toEqual([]);
  await second.page.close();
});
