import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { turnwise } from '../cliTerminal.ts';

// Command lines that fail before any work with exit code 2. The error names the flag and the position.

const folder = mkdtempSync(join(tmpdir(), 'messages-'));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const notFolder = file('notFolder.txt', 'text');
const savedRun = file('kept.json', '{"format":"turnwise-run"}');
const unparsed = file('unparsed.py', 'def credit(group:\n');

test.each([
  [`lab run --folder ${join(folder, 'lab')}`, 'run: name a claim (t1), a paper (t), or all'],
  ['lab run all --seeds 0', '--seeds: "0" is not a whole number from 1 to 100'],
  [`lab report --docs ${notFolder}`, `--docs: ${notFolder} is a file, not a folder`],
  [`lab list --folder ${notFolder}`, `--folder: ${notFolder} is a file, not a folder`],
  [`lab report --docs ${folder} --texts ${notFolder}`, `--texts: ${notFolder} is a file, not a folder`],
  [`evaluate --checkpoint ${folder}`, 'cannot be read (illegal operation on a directory)'],
  [`warm-start --resume ${savedRun} --out ${join(folder, 'out.safetensors')}`, 'is a run of train --save'],
])('%s is rejected before any work with exit code 2', async (line, problem) => {
  const { code, out, err } = await turnwise(line);
  expect(err).toContain(problem);
  expect({ code, out }).toEqual({ code: 2, out: '' });
});

test('a rule file that does not parse ends credit with exit code 2', async () => {
  const groups = file('groups.jsonl', '{"id":"a","turns":[{"parent":-1,"reward":0,"outcome":1}]}\n');
  const { code, err } = await turnwise(`credit --rule ${unparsed} ${groups}`);
  expect(err).toContain('line 1: does not parse');
  expect(code).toBe(2);
});

test('the help of credit with --rule describes only that rule', async () => {
  const all = await turnwise('credit --help');
  for (const line of ['credit --help --rule mt-grpo', 'credit --rule=mt-grpo --help']) {
    const short = await turnwise(line);
    expect(short.code).toBe(0);
    expect(short.out).toContain('mt-grpo: ');
    expect(short.out).not.toContain('verpo: ');
    expect(short.out.split('\n').length).toBeLessThan(all.out.split('\n').length / 3);
  }
});
