import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesUnder, root } from '../../files.ts';
import { readsOnce } from './readsOnce.ts';

/** Returns the problems in a body of a test, without the place. */
function listProblems(body: string): string[] {
  const source = `test('of the page', async () => {\n${body}\n});`;
  return readsOnce('made-up.ts', source).map(
    (problem) => problem.replace(/^made-up\.ts:\d+: /, '').split(': ')[0] ?? '',
  );
}

describe('tests of the page', () => {
  test.each(filesUnder('test/browser', '.ts'))('%s waits for what it expects', (path) => {
    expect(readsOnce(path, readFileSync(join(root, path), 'utf8'))).toEqual([]);
  });
});

describe('browser tests of the gate', () => {
  const gate = filesUnder('test/browser', '.test.ts').filter((path) => !path.endsWith('.long.test.ts'));
  const source = (path: string) => readFileSync(join(root, path), 'utf8');

  test('open real runs only in journeys.test.ts and where the worker refuses a device', () => {
    const real = gate.filter((path) => source(path).includes('real: true'));
    expect(real).toEqual(['test/browser/engine.test.ts', 'test/browser/journeys.test.ts']);
    expect(source('test/browser/engine.test.ts').match(/real: true/g)).toHaveLength(1);
  });

  test('have at most twelve journeys with real runs', () => {
    const journeys = source('test/browser/journeys.test.ts').match(/^test\(/gm) ?? [];
    expect(journeys.length).toBeGreaterThan(0);
    expect(journeys.length).toBeLessThanOrEqual(12);
  });
});

describe('the checker', () => {
  test.each([
    ['a count', 'expect(await rows.count()).toBe(4);', '`expect(await …)`'],
    ['the model', 'expect((await readRun(page)).step).toBe(4);', '`expect(await …)`'],
    ['a part of what is expected', 'expect([await a.b(), 1]).toEqual([2, 1]);', '`expect(await …)`'],
    ['a text read once', 'const text = await head.innerText();\nexpect(text).toBe("x");', '`await …innerText()`'],
    ['an expected value that is read once', 'await eventually(read).toBe(await rows.count());', '`await …count()`'],
    [
      'a helper that only reads',
      'const names = () => rows.allInnerTexts();\nconst all = await names();',
      '`await …names()`',
    ],
    ['all current rows', 'for (const row of await rows.all()) await row.click();', '`await …all()`'],
    ['a time', 'await page.waitForTimeout(100);', '`waitForTimeout`'],
    ['a separate poll', 'await expect.poll(read).toBe(1);', '`expect.poll`'],
    ['a separate limit', 'await row.waitFor({ timeout: 500 });', '`timeout`'],
    ['a limit for all', 'page.setDefaultTimeout(1000);', '`setDefaultTimeout`'],
  ])('refuses %s', (_description, body, problem) => {
    expect(listProblems(body)).toEqual([problem]);
  });

  test.each([
    ['an expectation that waits', 'await eventually(() => rows.count()).toBe(4);'],
    ['several steps', 'await eventually(async () => { const n = await rows.count(); return n + 1; }).toBe(5);'],
    [
      'a function that it reads',
      'const text = async () => (await head.innerText()).trim();\nawait eventually(text).toBe("x");',
    ],
    ['a value that is read until it fits', 'const text = await readWhen(() => head.innerText(), (now) => now !== "");'],
    ['a wait', 'await rows.first().waitFor();\nawait page.waitForFunction(() => document.title);'],
    ['a value without a page', 'const verdicts = await run();\nexpect(verdicts).toEqual([]);'],
    ['a count inside the page', 'await page.evaluate(async () => { const n = await thing.count(); return n; });'],
    ['the limit of all', 'await row.waitFor({ timeout: STATE_MS });'],
  ])('accepts %s', (_description, body) => {
    expect(listProblems(body)).toEqual([]);
  });

  test('names the position and the alternative', () => {
    const source = "test('it', async () => {\n  expect(await rows.count()).toBe(4);\n});";
    expect(readsOnce('test/browser/it.test.ts', source)).toEqual([
      'test/browser/it.test.ts:2: `expect(await …)`: the page may not be there yet: ' +
        'write `await eventually(() => …).toBe(…)`, or `readWhen(() => …, fits)`',
    ]);
  });
});
