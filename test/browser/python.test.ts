import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, pause, readWhen, untilStep } from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

const VIEW = '?v=1&panels=group,python';
/** Files that only the Python panel uses: interpreter, library, editor and worker. */
const HEAVY = /pyodide|python-image|\/bench-|\/page-/;

let opened: OpenPage;
let page: Page;
const requests: string[] = [];

beforeAll(async () => {
  opened = await openPage(VIEW);
  page = opened.page;
  page.on('request', (request) => requests.push(request.url()));
  await page.getByRole('heading', { name: 'Python' }).waitFor();
  await page.locator('tw-group').waitFor();
});

afterAll(() => opened?.close());

const editor = () => page.getByRole('textbox', { name: 'Program in Python' });
const tests = () => page.getByRole('textbox', { name: 'Tests in Python' });
const choose = (label: string) => page.getByRole('combobox', { name: 'Program' }).selectOption({ label });
const readResults = () => page.locator('tw-python-test .result').allInnerTexts();
const summary = () => page.locator('tw-python-bench .summary').innerText();

/** Returns the errors of a page, except requests that a reload or the removal of a frame aborted. */
function findErrors({ errors }: OpenPage): string[] {
  return errors.filter((error) => !/^request: .*ERR_ABORTED$/.test(error));
}

async function write(program: string): Promise<void> {
  await editor().fill(program);
}

/** Runs the current program by keyboard and returns the results of its tests. */
async function run(): Promise<string[]> {
  await page.keyboard.press('Control+Enter');
  await eventually(summary).toMatch(/passed, in [\d,]+ steps?\.$/);
  return readResults();
}

test('the page loads Python only after the user opens the panel', async () => {
  // The page has requested its standard files by now.
  await page.waitForLoadState('networkidle');
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  expect(loaded.filter((url) => url.endsWith('.js')).length).toBeGreaterThan(0);
  expect([...loaded, ...requests].filter((url) => HEAVY.test(url))).toEqual([]);
  await page.getByRole('button', { name: 'Open the Python panel' }).click();
  await editor().waitFor();
  await page.getByText(/^Python was ready after \d+\.\d s\.$/).waitFor();
  for (const name of ['pyodide-marked', 'python-image', 'pythonEditor-'])
    await eventually(() => requests.some((url) => url.includes(name)), name).toBe(true);
  // All requests go to the folder of the page.
  const baseUrl = new URL('.', page.url()).href;
  expect(requests.filter((url) => !url.startsWith(baseUrl) && !/^(blob|data|about):/.test(url))).toEqual([]);
});

test('a correct program passes all tests', async () => {
  await page.getByRole('button', { name: 'Run the tests' }).click();
  await eventually(summary).toMatch(/^All 3 tests passed, in [\d,]+ steps?\.$/);
  await eventually(readResults).toEqual([
    expect.stringMatching(/^Passed\. \d+ steps$/),
    expect.stringMatching(/^Passed\. \d+ steps$/),
    expect.stringMatching(/^Passed\. \d+ steps$/),
  ]);
});

test('the panel shows a wrong value, an exception with its line, and printed output', async () => {
  await choose('An answer with a bug');
  await tests().focus();
  const [right, wrong, raised] = await run();
  expect(right).toMatch(/^Passed/);
  expect(wrong).toMatch(/^Failed: returned 3\./);
  expect(raised).toMatch(/^Exception: IndexError: list index out of range, line 6/);
  await eventually(() => page.getByRole('group', { name: 'Printed in test 2' }).innerText()).toBe(
    'sorted: [1, 2, 3, 4]\n',
  );
  await page.getByRole('button', { name: 'Go to line 6 of the program' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' # here');
  await eventually(() => editor().innerText()).toContain('return numbers[middle] # here');
  await eventually(summary).toContain('before your last change');
});

test('a syntax error is shown with its line', async () => {
  await choose('Your own');
  await write('def f(x):\n    y = x\n    if y\n        return y\n');
  const [result] = await run();
  expect(result).toMatch(/^Exception: SyntaxError: expected ':', line 3/);
});

test('fuel stops an endless loop, and printed output is truncated', async () => {
  await write('def f(x):\n    print("x" * 10_000)\n    while True:\n        pass\n');
  const [result] = await run();
  expect(result).toBe('Stopped: the budget of 1,000,000 steps is used up. Check for an endless loop. 1,000,000 steps');
  await eventually(async () => (await page.getByRole('group', { name: 'Printed in test 1' }).innerText()).length).toBe(
    4000,
  );
  await page.getByText('Only the first 4,000 characters are stored.').waitFor();
});

test('a sandbox violation is reported, and the next program has correct results', async () => {
  await choose('A sandbox violation');
  for (const result of await run())
    expect(result).toMatch(
      /^Violation: the program called the host function “_emscripten_system”, which the sandbox blocks/,
    );
  await choose('An endless loop');
  const looped = await run();
  expect(looped.map((result) => result.slice(0, 7))).toEqual(['Passed.', 'Passed.', 'Stopped']);
});

test('a line of the tests that is not an assert statement is reported, and both texts remain', async () => {
  await choose('Your own');
  await write('def f(a, b):\n    return (a, b)\n');
  await tests().fill('assert f(1, 2) == (1, 2)\nf(1, 2)');
  await page.keyboard.press('Control+Enter');
  await eventually(summary).toBe('Not run: a line of the tests is not an assert statement.');
  await page.getByText('Line 2 of the tests is not an assert statement.').waitFor();
  await eventually(() => tests().innerText()).toContain('f(1, 2)');
  await eventually(() => editor().innerText()).toContain('return (a, b)');
  await tests().fill('assert f([1, 2], {"a": None}) == ([1, 2], {"a": None})\nassert f(1, 2) == 3');
  const [passed, failed] = await run();
  expect(passed).toMatch(/^Passed/);
  expect(failed).toMatch(/^Failed: returned \(1, 2\)\. \d+ steps$/);
});

test('Tab indents in the editor, and leaves the editor after Escape', async () => {
  await editor().focus();
  await page.keyboard.press('Control+End');
  // The text is inserted in one step, because undo removes slowly typed text letter by letter.
  await page.keyboard.insertText('if');
  await page.keyboard.press('Tab');
  const focused = () =>
    page.evaluate(() => {
      let active = document.activeElement;
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      return active?.getAttribute('aria-label') ?? active?.textContent?.trim();
    });
  await eventually(focused).toBe('Program in Python');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await eventually(focused).toBe('Run the tests');
});

test('a program can be cancelled, and the next program runs in a new worker', async () => {
  // Fuel ends the program soon, so code in the page clicks Cancel when the worker has received the program.
  await write('def f(a, b):\n    while True:\n        pass\n');
  await page.locator('tw-python-bench').evaluate(async ({ shadowRoot }) => {
    const press = (label: string) =>
      [...(shadowRoot?.querySelectorAll('button') ?? [])]
        .find(({ textContent }) => textContent?.trim() === label)
        ?.click();
    press('Run the tests');
    await new Promise((sent) => setTimeout(sent));
    press('Cancel');
  });
  await page.getByText('Cancelled. Nothing was lost.').waitFor();
  await write('def f(a, b):\n    return [a, b]\n');
  await tests().fill('assert f(3, 4) == [3, 4]');
  const [fresh] = await run();
  expect(fresh).toMatch(/^Passed/);
});

test('program and tests remain after the panel is closed or hidden and after a reload', async () => {
  const program = await readWhen(
    () => editor().innerText(),
    (text) => text.includes('return [a, b]'),
  );
  await page.getByRole('button', { name: 'Close the Python panel' }).click();
  await editor().waitFor({ state: 'detached' });
  // A worker that was still starting is also ended.
  await eventually(() => page.locator('iframe').count()).toBe(0);
  await page.getByRole('button', { name: 'Open the Python panel' }).click();
  await editor().waitFor();
  await eventually(() => editor().innerText()).toBe(program);
  await eventually(async () => (await readResults())[0]).toMatch(/^Passed/);
  await page.getByRole('checkbox', { name: 'Python' }).uncheck();
  await page.locator('tw-python').waitFor({ state: 'detached' });
  await eventually(() => page.evaluate(() => location.search)).not.toContain('python');
  await page.getByRole('checkbox', { name: 'Python' }).check();
  // The address is updated within 0.5 s.
  await eventually(() => page.evaluate(() => location.search)).toContain('panels=group,python');
  await page.reload();
  await page.getByRole('button', { name: 'Open the Python panel' }).click();
  await eventually(() => editor().innerText()).toBe(program);
  await eventually(() => tests().innerText()).toContain('assert f(3, 4) == [3, 4]');
  const reset = page.getByRole('button', { name: /^Reset “Your own”/ });
  await reset.click();
  await page.getByRole('button', { name: 'Really reset?' }).click();
  await eventually(() => editor().innerText()).toMatch(/^def f\(x\):\n {4}return x\n/);
});

test('axe has no findings in the Python panel', async () => {
  await choose('An answer with a bug');
  await tests().fill('assert median([4, 1, 3, 2]) == 2.5');
  await run();
  await tests().fill('[3, x]');
  await page.keyboard.press('Control+Enter');
  await eventually(summary).toBe('Not run: a line of the tests is not an assert statement.');
  await expectAccessible(page);
});

test('an embedded page with only the Python panel opens the panel', async () => {
  const embedded = await openPage('?v=1&embed=1&panels=python');
  await embedded.page.getByRole('textbox', { name: 'Program in Python' }).waitFor();
  await embedded.page.getByText(/^Python was ready after/).waitFor();
  expect(findErrors(embedded)).toEqual([]);
  await embedded.close();
});

test('if Python cannot be loaded, the panel reports the error, and a second attempt succeeds', async () => {
  const offline = await openPage('?v=1&panels=group,python');
  await untilStep(offline.page, 1);
  await pause(offline.page);
  await offline.page.route(/python-image/, (route) => route.fulfill({ status: 503, body: '' }));
  await offline.page.getByRole('button', { name: 'Open the Python panel' }).click();
  await offline.page.getByRole('alert').getByText('Python does not run: Python could not be loaded: 503').waitFor();
  await offline.page.unroute(/python-image/);
  await offline.page.getByRole('button', { name: 'Try again' }).click();
  await offline.page.getByText(/^Python was ready after/).waitFor();
  await offline.close();
});

test('the tests above cause no page errors', () => {
  expect(findErrors(opened)).toEqual([]);
});
