import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScoredTask } from '../../src/experiments/challenge/judgeRule.ts';
import { ruleText } from '../pythonRules.ts';
import { turnwise } from '../unit/cli/cliTerminal.ts';

// The `challenge` command runs without a GPU.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-challenge-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('a copy of a built-in rule has the score of the built-in rule in each task', async () => {
  const json = join(folder, 'scores.json');
  for (const name of ['tempo', 'murphy-mars']) {
    const { code, out, err } = await turnwise(['challenge', file(`${name}.py`, ruleText(name)), '--json', json]);
    expect([code, err]).toEqual([0, `written to ${json}\n`]);
    const results = JSON.parse(readFileSync(json, 'utf8')) as ScoredTask[];
    let same = 0;
    for (const { task, rules } of results) {
      const [custom] = rules;
      const built = rules.find(({ rule }) => rule === name);
      expect(custom.rule).toMatch(/\.py#[0-9a-f]{8}$/);
      expect(out).toContain(`${task}: 1`);
      if (built?.rejection !== undefined) expect(custom.rejection).toBe(built.rejection);
      else if (built) expect(round(custom)).toEqual(round({ ...built, rule: custom.rule }));
      same += built && built.rejection === undefined ? 1 : 0;
    }
    expect(same).toBeGreaterThan(0);
  }
});

/** Rounds numbers to nine digits: the last digits of the same arithmetic differ between languages. */
const round = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, entry) => (typeof entry === 'number' ? Number(entry.toPrecision(9)) : entry)));

test('a parameter of a rule file changes the scores, and an unknown parameter is rejected', async () => {
  const rule = file('mine.py', ruleText('mt-grpo'));
  const given = async (alpha: string) =>
    (await turnwise(['challenge', `${rule}:alpha=${alpha}`, '--task', 'ties'])).out;
  expect(await given('0')).not.toBe(await given('1'));
  const wrong = await turnwise(['challenge', `${rule}:beta=1`]);
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.err).toContain('has no parameter "beta"');
  const unknown = await turnwise(['challenge', 'mt-grop']);
  expect(unknown.err).toContain('"mt-grop" is neither a credit rule nor a file that ends in .py');
});

test('an exception in a rule is reported with file, line and group', async () => {
  const rule = file('bad.py', 'def credit(group):\n    return 1 / 0\n');
  const result = await turnwise(['challenge', rule]);
  expect(result.code).not.toBe(0);
  expect(result.err).toMatch(/bad\.py, line 2, group "ties-0": ZeroDivisionError/);
});
