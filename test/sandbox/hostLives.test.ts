import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TERMINAL } from '../builtTerminal.ts';
import { randomGroups } from '../randomForests.ts';

// V8 ends a process in which a thread allocates a large string, regardless of the limits of the thread. These tests
// therefore start separate processes.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-host-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const turnwise = (...args: string[]) => spawnSync(process.execPath, [TERMINAL, ...args], { encoding: 'utf8' });

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const NAMES = 'T = type("A" * 50_000_000, (), {})';
const HOSTILE: Readonly<Record<string, string>> = {
  names: `def f(x):\n  ${NAMES}\n  return [T()] * 40`,
  message: 'def f(x): raise ValueError("0x0000 " * 8_000_000)',
  bytes: 'import random\ndef f(x):\n  while 1: random._urandom(30_000_000)',
};

test('the exec process survives programs that choose large sizes', () => {
  const jobs = Object.entries(HOSTILE).map(([id, program]) =>
    JSON.stringify({ id, program, entry: 'f', tests: [{ args: [1], expected: 1 }] }),
  );
  const { status, stdout } = turnwise('exec', '--workers', '1', file('jobs.jsonl', jobs.join('\n')));
  const statuses = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).status);
  expect({ status, statuses }).toEqual({ status: 0, statuses: ['failed', 'error', 'limit'] });
});

test('the credit process survives a rule that chooses large sizes', () => {
  const groups = randomGroups({ input: 'trajectories' }, 5, [2, 8]).map((group) => JSON.stringify(group));
  const rule = file('rule.py', `def credit(group):\n  ${NAMES}\n  return [T()] * len(group.turns)\n`);
  const { status, stderr } = turnwise('credit', '--rule', rule, file('groups.jsonl', groups.join('\n')));
  expect(stderr).toMatch(/rule\.py.*the advantage is a A{10,100}, not a number/);
  expect(status).toBe(2);
});
