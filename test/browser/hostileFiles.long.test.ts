import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeCustomRule } from '../../src/credit/rules/custom/customRule.ts';
import { readRunFile, writeRunFile } from '../../src/storage/runFile.ts';
import { eventually, pause, readRun, readWhen, SMALL, untilAnswered, untilStatus, untilStep } from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';

// Untrusted files: each text of a file is replaced by markup that sets a global variable if the page renders it as
// HTML.

const MARKUP = '"><img src=x onerror="globalThis.injected=1"><script>globalThis.injected=1</script>\u202e\u001b[31m';
/** Unexpected values that replace the values of a file. */
const ODD: readonly unknown[] = [
  MARKUP,
  { __proto__: null, length: -1 },
  [[[[[]]]]],
  1e308,
  -1,
  null,
  'a'.repeat(200_000),
];

type Path = readonly (string | number)[];

/** Returns the paths of the texts and numbers of a JSON value, at most `per` for each field. */
function pathsOf(value: unknown, per = 1): Path[] {
  const paths: Path[] = [];
  const counts = new Map<string, number>();
  const visit = (part: unknown, path: Path) => {
    if (typeof part === 'object' && part !== null) {
      for (const [key, inner] of Object.entries(part)) visit(inner, [...path, Array.isArray(part) ? Number(key) : key]);
      return;
    }
    const field = path.filter((step) => typeof step === 'string').join('.');
    const count = counts.get(field) ?? 0;
    counts.set(field, count + 1);
    if (count < per) paths.push(path);
  };
  visit(value, []);
  return paths;
}

function replaced(value: unknown, path: Path, by: unknown): unknown {
  const copy = structuredClone(value);
  let parent = copy as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) parent = parent[step] as Record<string | number, unknown>;
  parent[path.at(-1) ?? ''] = by;
  return copy;
}

/** Creates files in which one value is replaced by markup or an unexpected value, and files that are not valid runs. */
function hostileFiles(text: string, maximum: number): string[] {
  const parsed: unknown = JSON.parse(text);
  const paths = pathsOf(parsed);
  const step = Math.max(1, Math.floor(paths.length / maximum));
  const changed = paths
    .filter((_, i) => i % step === 0)
    .flatMap((path, i) => [replaced(parsed, path, MARKUP), replaced(parsed, path, ODD[i % ODD.length])]);
  const broken = [
    '',
    '[]',
    'null',
    '{"__proto__":{"injected":1}}',
    '['.repeat(100_000),
    text.slice(0, -20),
    `${text}{`,
  ];
  return [...changed.map((file) => JSON.stringify(file)), ...broken];
}

/** Expects that no code of a file has run, and that no part of the file is an element. */
async function expectUntouched({ page, errors }: Pick<OpenPage, 'page' | 'errors'>): Promise<void> {
  await eventually(() => page.evaluate(() => Reflect.get(globalThis, 'injected'))).toBeUndefined();
  await eventually(() => page.locator('img[src=x]').count()).toBe(0);
  await eventually(() => page.evaluate(() => Reflect.get({}, 'injected'))).toBeUndefined();
  await eventually(() => errors).toEqual([]);
}

describe('run files', () => {
  let opened: OpenPage;
  let text: string;
  beforeAll(async () => {
    opened = await openPage(`${SMALL}&panels=chart,group,runs,log,inspector`);
    await untilStep(opened.page, 3);
    await pause(opened.page);
    const [file] = await Promise.all([
      opened.page.waitForEvent('download'),
      opened.page.getByRole('button', { name: 'Export run' }).click(),
    ]);
    text = await readFile(await file.path(), 'utf8');
  });
  afterAll(() => opened?.close());

  test('hostile content in run files is rejected or displayed as text', async () => {
    const { page } = opened;
    const files = hostileFiles(text, 6);
    expect(files.length).toBeGreaterThan(15);
    for (const [i, file] of files.entries()) {
      const name = `hostile${i}.json`;
      const answer = page.locator('tw-run-list').getByText(new RegExp(`${name} was (not )?opened`));
      await page
        .getByLabel('Import run')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(file) });
      await answer.first().waitFor();
    }
    await expectUntouched(opened);
  });

  test('the rule in a run file runs only after the user allows it', async () => {
    const { page } = opened;
    const source = 'raise ValueError("it ran")\ndef credit(group):\n    return [0.0] * len(group.turns)\n';
    const rule = encodeCustomRule({ file: 'theirs.py', values: {}, source });
    const saved = readRunFile(text);
    const controls = { ...saved.configuration.controls, rule };
    const file = writeRunFile({ ...saved, configuration: { ...saved.configuration, controls } });
    await page
      .getByLabel('Import run')
      .setInputFiles({ name: 'ruled.json', mimeType: 'application/json', buffer: Buffer.from(file) });
    await page.locator('tw-run-list').getByText('ruled.json was opened').first().waitFor();
    const ran = page.getByText('ValueError: it ran');
    const { step } = await readRun(page, 'step');
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await page.getByText('The rule theirs.py comes from a link or a file.').waitFor();
    await untilAnswered(page);
    await eventually(async () => [await ran.count(), (await readRun(page, 'step')).step]).toEqual([0, step]);
    await expectUntouched(opened);
    await page.getByRole('button', { name: 'Run this rule' }).click();
    await ran.first().waitFor();
  });
});

/** Code of rules that break or leave their interpreter, and the problem that the run reports, by attack. */
const RULES: Readonly<Record<string, readonly [code: string, problem: RegExp]>> = {
  'leaves the sandbox': ['import re\n    re.enum.sys.modules["posix"]._exit(0)', /tried to leave the sandbox/],
  'breaks the interpreter': [
    'from array import array\n    class E:\n        def __index__(self):\n            del self.a[:]\n            return -1\n' +
      '    for i in range(0, 160, 4):\n        e = E()\n        e.a = array("i", [0]) * ((id(int) + i) // 4 + 9)\n' +
      '        try: e.a[(id(int) + i) // 4] = e\n        except IndexError: pass',
    /tried to leave the sandbox/,
  ],
  'needs all memory': ['x = [bytearray(1 << 20) for _ in range(10 ** 6)]', /memory/],
  'names types of 50 MB': ['return [type("A" * 50_000_000, (), {})()] * len(group.turns)', /is a A+, not a number/],
};

test('a run pauses at a rule that breaks its worker, and continues with the next rule', async () => {
  const opened = await openPage(`${SMALL}&panels=group,rule,log`);
  const { page } = opened;
  await untilStep(page, 1);
  await pause(page);
  await page.getByRole('button', { name: 'More credit rules' }).click();
  await page.getByRole('menuitemradio', { name: /^Your rule/ }).click();
  const editor = page.getByRole('textbox', { name: 'Your rule in Python' });
  const alert = page.locator('tw-own-rule-credit .alert');
  const train = page.getByRole('button', { name: 'Train with it' });
  const step = page.getByRole('button', { name: 'Step', exact: true });
  const constant = (value: number) => `    return [${value}] * len(group.turns)\n`;
  for (const [i, [code, problem]] of Object.values(RULES).entries()) {
    // The rule is harmless for the rewards of the displayed group, and hostile in the next update.
    await editor.fill('def credit(group):\n    raise ValueError([t.reward for t in group.turns])\n');
    const [, rewards] = await readWhen(
      async () => /ValueError: (\[.*\])/.exec(await alert.innerText()) ?? [],
      (entries) => entries.length > 0,
    );
    const good = `if [t.reward for t in group.turns] == ${rewards}:\n        return [0.5] * len(group.turns)`;
    await editor.fill(`def credit(group):\n    ${good}\n    ${code}\n${constant(0.5)}`);
    await eventually(() => train.isEnabled()).toBe(true);
    await train.click();
    const before = (await readRun(page, 'step')).step;
    await step.click();
    await eventually(async () => JSON.stringify((await readRun(page, 'problems')).problems.at(-1) ?? '')).toMatch(
      problem,
    );
    await untilStatus(page, 'paused');
    await eventually(async () => (await readRun(page, 'step')).step).toBe(before);
    await editor.fill(`def credit(group):\n${constant(0.25 + i)}`);
    await eventually(() => train.isEnabled()).toBe(true);
    await train.click();
    await step.click();
    await untilStep(page, before + 1);
  }
  await eventually(() => opened.errors).toEqual([]);
  await opened.close();
});
