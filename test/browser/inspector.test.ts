import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signed } from '../../src/app/drawing/numbers.ts';
import { withTotals } from '../../src/credit/arithmetic/chains.ts';
import { findRule } from '../../src/credit/rules.ts';
import type { Group } from '../../src/rollouts/forest.ts';
import { readGroups, writeGroups } from '../../src/rollouts/jsonLines.ts';
import { root } from '../files.ts';
import { IS_LONG } from '../isLong.ts';
import { type CreditCase, creditCases } from '../vectorFile.ts';
import { eventually, many, readWhen, untilStep } from './app.ts';
import { type OpenPage, openPage, type PageOptions } from './chromium.ts';
import { expectAccessible } from './findings.ts';

const INSPECTOR = '?panels=inspector';

/** Opens the page and waits for an update, because content above the Inspector moves it before the first update. */
async function opened(options: PageOptions = {}): Promise<OpenPage> {
  const open = await openPage(INSPECTOR, options);
  await untilStep(open.page, 1);
  return open;
}

/**
 * Returns a test vector.
 * @throws {Error} if the vector does not exist
 */
function caseOf(rule: string, id: string, parameters: Readonly<Record<string, unknown>>): CreditCase {
  const expected = JSON.stringify(parameters);
  const match = creditCases(rule).find(
    (candidate) => candidate.group.id === id && JSON.stringify(candidate.parameters) === expected,
  );
  if (!match) throw new Error(`credit.json has no ${rule} of ${id} with ${expected}`);
  return match;
}

const TREE = caseOf('murphy-mars', 'tree-1', {}).group;
const TESTS = caseOf('verpo', 'tests-2', {}).group;
const STATES = caseOf('rtmc', 'repo-2', { gamma: 0.99, kappa: 2 }).group;

/** Groups of test vectors with programs and tool calls in the format of the environments. */
const FILE: readonly Group[] = [
  {
    ...TREE,
    turns: TREE.turns.map((turn, index) => ({ ...turn, detail: programOf(index), tokenTexts: ['return', 'a'] })),
  },
  TESTS,
  { ...STATES, turns: STATES.turns.map((turn) => ({ ...turn, tool: toolOf(String(turn.action)) })) },
];

function programOf(index: number) {
  const test0 = { args: '([5],)', expected: '0', got: String(index), passed: index === 0, visible: true };
  return { program: `def f(a):\n    return ${index}`, tests: [test0], feedback: `For ([5],) it gives ${index}.` };
}

function toolOf(call: string) {
  return { call, answer: [[{ text: 'm = ' }, { text: 'min', mark: 'wrong' }, { text: '(x)' }]] };
}

const fileOf = (text: string, name = 'rollouts.jsonl') => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

async function choose(page: Page, text: string, name?: string): Promise<void> {
  await page.getByLabel('Choose files').setInputFiles(fileOf(text, name));
}

async function group(page: Page, number: number): Promise<void> {
  await page.getByLabel('Group', { exact: true }).fill(String(number));
  await page.getByLabel('Group', { exact: true }).press('Enter');
}

/** Returns a column of a table of the page by its heading. The table can be hidden. */
async function column(page: Page, table: string, head: string): Promise<string[]> {
  return page.locator(table).evaluate((element, heading) => {
    const heads = [...element.querySelectorAll('thead th')].map((cell) => cell.textContent?.trim());
    const rows = [...element.querySelectorAll('tbody tr')];
    return rows.map((row) => row.children[heads.indexOf(heading)]?.textContent?.trim() ?? 'missing');
  }, head);
}

const four = (values: unknown) =>
  (values as (number | null)[]).map((value) => (value === null ? 'pruned' : signed(value, 4)));
const two = (values: unknown) => (values as number[]).map((value) => signed(value));

test('an opened file has the credit of the test vectors under each selected rule and parameter', async () => {
  const { page, errors, close } = await opened();
  await choose(page, writeGroups(FILE));
  await group(page, 1);
  await page
    .getByText(`rollouts.jsonl: 3 groups, ${TREE.turns.length + TESTS.turns.length + STATES.turns.length} turns`)
    .waitFor();

  // The tree: MaRS, then MeRS with two discounts.
  const forest = 'tw-program-tree table';
  await page.getByRole('button', { name: 'Table: Attempts and their continuations' }).click();
  await eventually(() => column(page, forest, 'A')).toEqual(
    four(caseOf('murphy-mars', 'tree-1', {}).expected.advantage),
  );
  await page.getByRole('radio', { name: 'Murphy-MeRS' }).check({ force: true });
  for (const gamma of [0.9, 0.5]) {
    await page.getByRole('spinbutton', { name: 'Weight of continuations' }).fill(String(gamma));
    await page.getByRole('spinbutton', { name: 'Weight of continuations' }).press('Enter');
    const { expected } = caseOf('murphy-mers', 'tree-1', { gamma });
    await eventually(() => column(page, forest, 'A')).toEqual(four(expected.advantage));
    await eventually(() => column(page, 'tw-credit-columns table', 'Murphy-MeRS')).toEqual(two(expected.advantage));
  }

  // The chains of programs: the selected rule remains selected, then VeRPO and its weights.
  await group(page, 2);
  await eventually(() => page.getByRole('radio', { name: 'Murphy-MeRS' }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: 'VeRPO' }).check({ force: true });
  const { expected } = caseOf('verpo', 'tests-2', {});
  await eventually(() => column(page, forest, 'A')).toEqual(four(expected.advantage));
  await page.getByRole('button', { name: 'Table: Unit test weights' }).click();
  const weights = (expected.weights as number[]).map((weight) => String(Number(weight.toPrecision(3))));
  await eventually(() => column(page, 'tw-test-weights table', 'final weight')).toEqual(weights);
  const slider = page.locator('tw-test-weights').getByRole('slider', { name: 'Weight of difficulty' });
  await slider.press('ArrowRight');
  await eventually(() => column(page, 'tw-test-weights table', 'final weight')).not.toEqual(weights);
  // Weights by failure rate sum to 1 and use no density.
  const select = page.locator('tw-test-weights').getByRole('combobox', { name: 'Weight of a test' });
  await select.selectOption('failure-rate');
  await eventually(() => page.locator('tw-test-weights thead').innerText()).toContain('(1 − ρ)^α');
  const shares = async () => (await column(page, 'tw-test-weights table', 'final weight')).map(Number);
  await eventually(async () => (await shares()).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 2);
  await eventually(() => column(page, 'tw-test-weights table', 'test density d')).toContain('missing');
  await eventually(() => page.locator('tw-test-weights .densityLine').count()).toBe(0);

  // A boolean parameter is a checkbox, and the reset button restores its default.
  const rewarded = page.getByRole('checkbox', { name: 'Reward for a solved task' });
  const back = page.getByRole('button', { name: /^Reset Reward for a solved task/ });
  await eventually(() => rewarded.isChecked()).toBe(true);
  await eventually(() => back.count()).toBe(0);
  await rewarded.uncheck();
  await back.click();
  await eventually(() => rewarded.isChecked()).toBe(true);
  await eventually(() => back.count()).toBe(0);

  // The states: RTMC with and without its prior.
  await group(page, 3);
  await page.getByRole('radio', { name: 'RTMC' }).check({ force: true });
  await page.getByRole('heading', { name: 'Shared states' }).waitFor();
  for (const kappa of [2, 0]) {
    await page.getByRole('spinbutton', { name: 'Weight of the prior' }).fill(String(kappa));
    await page.getByRole('spinbutton', { name: 'Weight of the prior' }).press('Enter');
    const { advantage } = caseOf('rtmc', 'repo-2', { gamma: 0.99, kappa }).expected;
    await eventually(() => column(page, 'tw-credit-columns table', 'RTMC')).toEqual(two(advantage));
    const strips = page.locator('tw-rollout-strips tbody tr td:nth-child(4)');
    await eventually(async () => (await strips.allInnerTexts()).sort()).toEqual(two(advantage).sort());
  }
  expect(errors).toEqual([]);
  await close();
});

test('pruned turns are marked, a drawing is saved as SVG, and a dragged slider redraws the tree', async () => {
  const { page, close } = await opened();
  await choose(page, writeGroups(FILE));
  await group(page, 1);
  await page.getByRole('textbox', { name: 'Members kept (IntraP)' }).fill('2');
  await page.getByRole('textbox', { name: 'Members kept (IntraP)' }).press('Enter');
  // Of the rewards 0.6, 0 and 1, the first is nearest to their mean. It is pruned with its three continuations.
  await eventually(() => page.getByRole('treeitem', { name: /pruned$/ }).count()).toBe(4);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'SVG: Attempts and their continuations' }).click();
  const svg = readFileSync(await (await saving).path(), 'utf8');
  expect(svg.match(/>pruned</g)).toHaveLength(4);
  expect(svg).toMatch(/fill: rgb/);
  expect(svg).not.toContain('color(');

  const names = () => page.getByRole('treeitem').evaluateAll((nodes) => nodes.map((node) => node.ariaLabel));
  await page.getByRole('radio', { name: 'Murphy-MeRS' }).check({ force: true });
  const slider = page.getByRole('slider', { name: 'Weight of continuations' });
  // The drag starts after the slider has its final position and the other rule is drawn.
  await slider.hover();
  const before = await readWhen(names, (all) => !all.some((name) => name?.endsWith('pruned')));
  const position = await readWhen(
    () => slider.boundingBox(),
    (box) => box !== null,
  );
  const { x, y, width, height } = position ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + 0.9 * width, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 0.3 * width, y + height / 2, { steps: 4 });
  await eventually(names).not.toEqual(before);
  await page.mouse.up();
  await close();
});

test('an invalid file, selected or dropped, is rejected with its line, and the open file remains', async () => {
  const { page, close } = await opened();
  await choose(page, writeGroups(FILE));
  await group(page, 1);
  // The first file must be drawn before the next file is selected, because a newer file replaces a pending file.
  await eventually(() => page.locator('tw-program-tree [role=treeitem]').count()).toBe(TREE.turns.length);
  const alert = page.getByRole('alert').filter({ hasText: 'was not opened' });
  await choose(
    page,
    `${writeGroups([TESTS])}{"id":"odd","turns":[{"parent":-1,"reward":1},{"parent":4,"reward":0}]}\n`,
    'odd.jsonl',
  );
  await alert.waitFor();
  await eventually(() => alert.innerText()).toBe(
    'odd.jsonl was not opened: line 2, group "odd", turn 1, field "parent": 4 is not -1 or an earlier turn (0 to 0) ' +
      'Still shown: rollouts.jsonl.',
  );
  await eventually(() => page.locator('tw-program-tree [role=treeitem]').count()).toBe(TREE.turns.length);
  const drop = (text: string) =>
    page.locator('tw-rollout-file .drop').evaluate((zone, content) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], 'dropped.jsonl'));
      zone.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, text);
  await drop('{"id": 1, "turns": []}');
  await eventually(() => alert.innerText()).toContain(
    'dropped.jsonl was not opened: line 1, field "id": 1 is not a text',
  );
  await drop(writeGroups([TESTS]));
  await page.getByText('dropped.jsonl: 1 group, 6 turns').waitFor();
  await eventually(() => alert.count()).toBe(0);
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByText(/^examples of the rules: \d+ groups/).waitFor();
  // The group of the run is from the search environment and has the credit of its rule.
  await page.getByRole('button', { name: 'Open the group of the run' }).click();
  await page.getByText(/^the run, update \d+, group \d+: 1 group, \d+ turns$/).waitFor();
  await page.getByRole('button', { name: 'Turn 1', exact: true }).click();
  await page.locator('tw-turn').getByText('Tokens, shaded by advantage').waitFor();
  await close();
});

test('the button Ten groups loads the recorded groups, with their notes and every rule', async () => {
  const { page, errors, close } = await opened();
  const recorded = readGroups(readFileSync(join(root, 'src/app/inspector/same-groups.jsonl'), 'utf8'));
  await page.getByRole('button', { name: 'Ten groups' }).click();
  await page.getByText(/^ten recorded groups: 10 groups, \d+ turns$/).waitFor();
  for (const group of recorded.slice(0, 2)) {
    await page.getByText(String(group.note)).waitFor();
    for (const rule of ['GRPO-OR', 'MT-GRPO', 'GiGPO']) {
      const creditRule = findRule(rule.toLowerCase());
      const { advantage } = creditRule.credit(withTotals(creditRule, group), {});
      await eventually(() => column(page, 'tw-credit-columns table', rule)).toEqual(two([...advantage]));
    }
    await page.getByRole('button', { name: 'Next group' }).click();
  }
  await expectAccessible(page);
  expect(errors).toEqual([]);
  await close();
});

/** Returns the accessible name of the focused element, in all shadow trees. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active?.getAttribute('aria-label') ?? '';
  });
}

test('logs of a folder are imported in a worker with a report, and no data is sent', async () => {
  const { page, errors, close } = await opened();
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByText(/^examples of the rules: \d+ groups/).waitFor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).protocol}`));
  const workers = page.waitForEvent('worker');
  await page
    .getByLabel('Choose a folder')
    .setInputFiles(join(root, 'test/fixtures/field/06-step-in-the-path/rollouts'));
  const worker = await workers;
  await page.getByText('rollouts: 3 groups, 6 turns').waitFor();
  await page.getByText('step 0 is the number in the path rollouts/step_0/train_rollouts.jsonl').waitFor();
  await eventually(() => column(page, 'tw-credit-columns table', 'GRPO-OR')).toEqual(['−0.71', '+0.71']);
  expect(worker.url()).toMatch(/logs/);
  await page.getByLabel('Choose a folder').setInputFiles(join(root, 'test/fixtures/import/prime-rl'));
  await page.getByText(/^prime-rl: 1 group, \d+ turns$/).waitFor();
  await eventually(() => page.getByText(/rows read/).innerText()).toContain('4 rows read; 1 group');
  // The page requests only the scripts of the worker.
  expect(new Set(requests)).toEqual(new Set(['GET http:']));
  expect(errors).toEqual([]);
  await close();
});

test('an opened file shows its first suggested group and its findings; links contain order and group', async () => {
  // The Inspector has addresses for groups and needs no run.
  const { page, errors, close } = await openPage('#inspect');
  const rollouts = join(root, 'test/fixtures/field/11-the-tool-dies');
  const number = page.getByLabel('Group', { exact: true });
  const sort = page.getByRole('combobox', { name: 'Sort groups by' });
  const hash = () => new URL(page.url()).hash;
  await page.getByLabel('Choose a folder').setInputFiles(rollouts);
  const findings = page.locator('tw-log-findings');
  await findings.getByRole('heading', { name: 'The tool is given up: calc' }).waitFor();
  await findings.getByText('High confidence').waitFor();
  await findings.getByText('Next step:').waitFor();
  const opened = await readWhen(
    () => number.inputValue(),
    (value) => value !== '',
  );
  await sort.selectOption('disagreement');
  await page.getByText(`Position 1 of 10 in this order.`).waitFor();
  await eventually(() => number.inputValue()).toBe(opened);
  await page.getByRole('button', { name: 'Next group' }).click();
  await page.getByText(`Position 2 of 10 in this order.`).waitFor();
  await expectAccessible(page);

  // The link opens the group that the finding names.
  const link = findings.getByRole('link', { name: 'step-8/prompt-0' });
  await eventually(() => link.getAttribute('href')).toBe('#inspect/disagreement/8');
  await link.click();
  await eventually(() => number.inputValue()).toBe('8');
  await eventually(() => page.locator('tw-inspector .bar code').innerText()).toBe('step-8/prompt-0');
  await eventually(hash).toBe('#inspect/disagreement/8');

  // A page that is opened with this address shows the group when the file is opened.
  await page.reload();
  await page.getByLabel('Choose a folder').setInputFiles(rollouts);
  await eventually(() => number.inputValue()).toBe('8');
  await eventually(() => sort.inputValue()).toBe('disagreement');
  await page.evaluate(() => {
    location.hash = '#inspect/size/11';
  });
  await page.getByText('The link names group 11; the file has 10 groups.').waitFor();
  await page.getByText('The link names the order “size”').waitFor();
  await eventually(() => number.inputValue()).toBe(opened);
  await eventually(hash).toBe(`#inspect/file/${opened}`);
  expect(errors).toEqual([]);
  await close();
});

test('a log is imported again with other settings, and remains open after an error', async () => {
  const { page, errors, close } = await opened();
  await page.getByLabel('Choose files').setInputFiles(join(root, 'test/fixtures/field/01-verl-turn-scores/20.jsonl'));
  await page.getByText('20.jsonl: 1 group, 8 turns').waitFor();
  await page.getByText('column turn_scores could hold rewards of turns').waitFor();
  await page.getByText('Import settings of 20.jsonl').click();
  await page.getByLabel('Turn rewards', { exact: true }).fill('scores');
  await page.getByRole('button', { name: 'Import again' }).click();
  const alert = page.locator('tw-rollout-file [role=alert]');
  await eventually(() => alert.innerText()).toContain(
    '20.jsonl was not opened: column "scores": no row has a list of numbers there; lists of numbers are turn_scores',
  );
  await expectAccessible(page);
  await eventually(() => page.getByLabel('Turn rewards', { exact: true }).inputValue()).toBe('scores');
  await page.getByLabel('Turn rewards', { exact: true }).fill('turn_scores');
  await page.getByRole('button', { name: 'Import again' }).click();
  await page.getByText('turn rewards add up to the reward in 0 of 3 rollouts: added to it').waitFor();
  await eventually(() => alert.innerText()).toBe('');
  // MT-GRPO assigns 1.714894 and 0.866024 to the first rollout of case 01.
  await eventually(async () => (await column(page, 'tw-credit-columns table', 'MT-GRPO')).slice(0, 2)).toEqual([
    '+1.71',
    '+0.87',
  ]);
  expect(errors).toEqual([]);
  await close();
});

test('the keyboard moves through the turns of a tree and the states of a group', async () => {
  const { page, close } = await opened();
  await choose(page, writeGroups(FILE));
  await group(page, 1);
  await page.getByRole('treeitem').first().focus();
  await eventually(() => focused(page)).toBe('Turn 0: reward 0.6, reward under the rule 0.8, advantage −0.58');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await eventually(() => focused(page)).toBe(
    'Turn 5, continues turn 0: reward 0.8, reward under the rule 0.8, advantage +1.12',
  );
  const open = page.locator('tw-program-tree tw-turn');
  await eventually(() => open.getByRole('heading', { level: 3 }).innerText()).toBe('Turn 5');
  await eventually(() => open.getByRole('cell', { name: '✗ failed' }).count()).toBe(1);
  await page.getByText('A = (0.8 − 0.33333) / (0.41633 + 0.000001) = 1.1209').waitFor();
  await page.keyboard.press('ArrowLeft');
  await eventually(() => focused(page)).toContain('Turn 0:');

  await group(page, 3);
  await page.locator('tw-rollout-tree [role=option]').first().focus();
  await eventually(() => focused(page)).toMatch(/^In s0, /);
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await eventually(() => focused(page)).toMatch(
    /^In s[1-9]\d*, .*: N \d+, Q −?\d\.\d\d, A \S+, \d+ solved, \d+ failed$/,
  );
  await page
    .locator('tw-rollout-tree .formula')
    .getByText(/^V = \(/)
    .waitFor();
  await page
    .locator('tw-rollout-tree .formula')
    .getByRole('button', { name: /^rollout / })
    .first()
    .press('Enter');
  await page.locator('tw-rollout-strips tw-tool-call mark').filter({ hasText: 'min' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).press('Enter');
  await eventually(() => page.locator('tw-tool-call').count()).toBe(0);
  await close();
});

/** Groups with different views, and the element that opens a turn. Only `npm run test:all` checks all of them. */
const VIEWS = [
  [1, '[role=treeitem]'],
  [2, 'tw-test-weights [role=option]'],
  [3, 'tw-rollout-strips button'],
] as const;

test('axe has no findings in the views of the Inspector, and no view is too wide', async () => {
  const { page, close } = await opened();
  await choose(page, writeGroups(FILE));
  await group(page, 1);
  for (const [number, opened] of IS_LONG ? VIEWS : VIEWS.slice(0, 1)) {
    await group(page, number);
    await page.locator(opened).first().click();
    const tables = page.getByRole('button', { name: /^Table: / });
    await tables.first().waitFor();
    for (let index = 0; index < (await many(tables)); index++) await tables.nth(index).click();
    await expectAccessible(page, `group ${number}`);
  }
  await close();
});
