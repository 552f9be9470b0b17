import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { turnwise } from '../cliTerminal.ts';

// Rules in files, trained by the commands. The environment has the shortest updates.

const folder = mkdtempSync(join(tmpdir(), 'turnwise-own-runs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const rule = join(folder, 'quarter.py');
writeFileSync(rule, 'def credit(group, size=0.25):\n    return [size] * len(group.turns)\n');
const LABEL = /quarter\.py.*#[0-9a-f]{8}$/;

test('train accepts a file as the rule of a later update', async () => {
  const out = join(folder, 'rows.jsonl');
  const args = ['--environment', 'bandit', '--steps', '3', '--at', `1:rule=${rule}`, '--out', out];
  const { code, err } = await turnwise(['train', ...args]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  const rows = readFileSync(out, 'utf8').trim().split('\n');
  const rules = rows.map((row) => JSON.parse(row)).flatMap((row) => ('rule' in row ? [row.rule] : []));
  expect(rules).toEqual([expect.not.stringMatching(LABEL), expect.stringMatching(LABEL), expect.stringMatching(LABEL)]);
});

test('compare trains a rule file together with built-in rules, and stores the text of the file', async () => {
  const json = join(folder, 'found.json');
  const args = ['--environment', 'bandit', '--steps', '2', '--seeds', '1', '--json', json];
  const { code, err } = await turnwise(['compare', '--rules', `mt-grpo,${rule}:size=0.5`, ...args]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  const results = JSON.parse(readFileSync(json, 'utf8'));
  expect(results.arms).toHaveLength(2);
  expect(JSON.stringify(results.arms[1])).toContain('return [size] * len(group.turns)');
  expect(results.runs).toHaveLength(2);
});
