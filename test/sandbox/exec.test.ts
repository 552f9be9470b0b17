import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { turnwise } from '../unit/cli/cliTerminal.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-exec-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(...lines: (object | string)[]): string {
  const path = join(folder, `${lines.length}.jsonl`);
  writeFileSync(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return path;
}

test('exec writes one result line per job, in order, with the same bytes for any number of workers', async () => {
  const tests = [
    { args: [2], expected: 4 },
    { args: ['ab'], expected: 'abab' },
  ];
  const jobs = file(
    { id: 'right', program: 'def f(x): return x * 2', entry: 'f', tests },
    { id: 2, program: 'def f(x):\n  while True: pass', entry: 'f', tests: [tests[0]], fuel: 1000 },
    { id: 'half', program: 'def f(x): return x + 2', entry: 'f', tests },
    {
      id: 'pair',
      program: 'def f(x): return (x, {x})',
      entry: 'f',
      tests: [{ args: [1], expected: [1, { $set: [1] }] }],
    },
  );
  const single = await turnwise(['exec', '--workers', '1', jobs]);
  expect(single).toMatchObject({ code: 0, err: '' });
  expect(
    single.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      id: 'right',
      status: 'passed',
      passed: [true, true],
      tests: [
        { status: 'passed', actual: '4' },
        { status: 'passed', actual: "'abab'" },
      ],
      fuel: 8,
    },
    {
      id: 2,
      status: 'limit',
      passed: [false],
      tests: [{ status: 'limit', error: expect.objectContaining({ type: 'fuel limit' }) }],
      fuel: 1000,
    },
    {
      id: 'half',
      status: 'error',
      passed: [true, false],
      tests: [
        { status: 'passed', actual: '4' },
        { status: 'error', error: { type: 'TypeError', message: expect.any(String), line: 1 } },
      ],
      fuel: 11,
    },
    { id: 'pair', status: 'passed', passed: [true], tests: [{ status: 'passed', actual: '(1, {1})' }], fuel: 5 },
  ]);
  const two = await turnwise(['exec', '--workers', '2', jobs]);
  expect(two.out).toBe(single.out);
});

test('exec reports a malformed job with line and field', async () => {
  const good = { id: 1, program: '', entry: 'f', tests: [{ args: [], expected: 1 }] };
  const { code, out, err } = await turnwise([
    'exec',
    file(good, '', { ...good, tests: [{ args: [{ $int: 'x' }], expected: 1 }] }),
  ]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('line 3: tests[0].args[0].$int: "x" is no whole number');
  expect((await turnwise(['exec', join(folder, 'missing.jsonl')])).code).toBe(2);
});
