import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesUnder, root } from '../../files.ts';
import { readsOnce } from './readsOnce.ts';

/** Returns the problems in the body of a test, without their locations. */
function listProblems(body: string): string[] {
  const source = `test('of the page', async () => {\n${body}\n});`;
  return readsOnce('made-up.ts', source).map(
    (problem) => problem.replace(/^made-up\.ts:\d+: /, '').split(': ')[0] ?? '',
  );
}

describe('tests of the page', () => {
  test.each(filesUnder('test/browser', '.ts'))('%s waits for each state of the page that it expects', (path) => {
    expect(readsOnce(path, readFileSync(join(root, path), 'utf8'))).toEqual([]);
  });
});

describe('browser tests of the gate', () => {
  const gate = filesUnder('test/browser', '.test.ts').filter((path) => !path.endsWith('.long.test.ts'));
  const source = (path: string) => readFileSync(join(root, path), 'utf8');

  test('browser tests of the gate open real runs only in journeys.test.ts and once in engine.test.ts', () => {
    const real = gate.filter((path) => source(path).includes('real: true'));
    expect(real).toEqual(['test/browser/engine.test.ts', 'test/browser/journeys.test.ts']);
    expect(source('test/browser/engine.test.ts').match(/real: true/g)).toHaveLength(1);
  });

  test('journeys.test.ts has at most 12 journeys with real runs', () => {
    const journeys = source('test/browser/journeys.test.ts').match(/^test\(/gm) ?? [];
    expect(journeys.length).toBeGreaterThan(0);
    expect(journeys.length).toBeLessThanOrEqual(12);
  });
});

describe('readsOnce', () => {
  test.each([
    ['an awaited count in an expectation', 'expect(await rows.count()).toBe(4);', '`expect(await …)`'],
    ['an awaited run in an expectation', 'expect((await readRun(page)).step).toBe(4);', '`expect(await …)`'],
    [
      'a list with an awaited value in an expectation',
      'expect([await a.b(), 1]).toEqual([2, 1]);',
      '`expect(await …)`',
    ],
    [
      'a text that is read once',
      'const text = await head.innerText();\nexpect(text).toBe("x");',
      '`await …innerText()`',
    ],
    ['an expected value that is read once', 'await eventually(read).toBe(await rows.count());', '`await …count()`'],
    [
      'a helper that reads once',
      'const names = () => rows.allInnerTexts();\nconst all = await names();',
      '`await …names()`',
    ],
    ['a loop over the current rows', 'for (const row of await rows.all()) await row.click();', '`await …all()`'],
    ['a wait for a fixed time', 'await page.waitForTimeout(100);', '`waitForTimeout`'],
    ['a direct use of expect.poll', 'await expect.poll(read).toBe(1);', '`expect.poll`'],
    ['a separate time limit', 'await row.waitFor({ timeout: 500 });', '`timeout`'],
    ['a changed default time limit', 'page.setDefaultTimeout(1000);', '`setDefaultTimeout`'],
  ])('readsOnce reports %s', (_description, body, problem) => {
    expect(listProblems(body)).toEqual([problem]);
  });

  test.each([
    ['an expectation that waits for a count', 'await eventually(() => rows.count()).toBe(4);'],
    [
      'an expectation that waits in several steps',
      'await eventually(async () => { const n = await rows.count(); return n + 1; }).toBe(5);',
    ],
    [
      'an expectation that waits for the value of a function',
      'const text = async () => (await head.innerText()).trim();\nawait eventually(text).toBe("x");',
    ],
    [
      'a value that is read until it meets a condition',
      'const text = await readWhen(() => head.innerText(), (now) => now !== "");',
    ],
    [
      'a wait for an element or a condition',
      'await rows.first().waitFor();\nawait page.waitForFunction(() => document.title);',
    ],
    ['a value that does not come from the page', 'const results = await run();\nexpect(results).toEqual([]);'],
    [
      'a count in code that runs in the page',
      'await page.evaluate(async () => { const n = await thing.count(); return n; });',
    ],
    ['the shared time limit', 'await row.waitFor({ timeout: STATE_MS });'],
  ])('readsOnce accepts %s', (_description, body) => {
    expect(listProblems(body)).toEqual([]);
  });

  test('readsOnce reports the file, the line and the alternative', () => {
    const source = "test('it', async () => {\n  expect(await rows.count()).toBe(4);\n});";
    expect(readsOnce('test/browser/it.test.ts', source)).toEqual([
      'test/browser/it.test.ts:2: `expect(await …)`: the page may not be there yet: ' +
        'write `await eventually(() => …).toBe(…)`, or `readWhen(() => …, fits)`',
    ]);
  });
});
