import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Terminal } from '../../../../src/cli/framework/terminal.ts';
import { runProgram } from '../../../../src/cli/program.ts';
import type { ArmRun } from '../../../../src/experiments/compare/findings.ts';
import { paperTerminal, turnwise } from '../cliTerminal.ts';

const root = mkdtempSync(join(tmpdir(), 'turnwise-lab-gpu-'));
afterAll(() => rmSync(root, { recursive: true }));

/** The six arms of t4 at seed 1, in the shipped world, two updates each. */
const ASKED = 't4 --seeds 1 --steps 2';
const FILE = 'search-open-2.json';
const lab = (line: string, parts: Partial<Terminal> = {}) => turnwise(`lab ${line}`, parts);
const runsOf = (folder: string, file = FILE): ArmRun[] => JSON.parse(readFileSync(join(folder, file), 'utf8')).runs;

/** A folder with runs that were stopped after the first, and then finished by the same line. */
const folder = join(root, 'lab');

test('lab run keeps every finished run, and the same line goes on', async () => {
  const stop = new AbortController();
  const { terminal, written } = paperTerminal({ signal: stop.signal });
  const err = terminal.err;
  terminal.err = (text) => {
    err(text);
    if (text.includes('is done')) stop.abort();
  };
  expect(await runProgram(`lab run ${ASKED} --folder ${folder}`.split(' '), terminal)).toBe(130);
  expect(written.err).toMatch(/t4 open: grpo-or, seed 1 is done; .* left of t4, .* in all \(1 of 6 runs\)/);
  expect(written.err).toContain('5 runs to go');
  const [first] = runsOf(folder);
  expect(first.made).toMatchObject({
    version: '0.1.0',
    device: expect.any(String),
    code: { shaders: expect.any(String) },
  });

  const { code, err: later } = await lab(`run ${ASKED} --folder ${folder}`);
  expect([code, later]).toEqual([0, expect.stringContaining('all runs are there')]);
  const runs = runsOf(folder);
  expect(runs.map(({ arm }) => arm.name)).toEqual(['grpo-or', 'grpo-mr', 'mt-grpo', 'ppo-or', 'ppo-mr', 'mt-ppo']);
  expect(runs[0]).toEqual(first);
  expect(readdirSync(folder)).toEqual([FILE]);
});

test('lab check makes runs again, bit for bit, and takes over what earlier code made', async () => {
  const text = readFileSync(join(folder, FILE), 'utf8');
  const file = JSON.parse(text);
  for (const run of file.runs) run.made.code['src/policy'] = 'earlier';
  writeFileSync(join(folder, FILE), JSON.stringify(file));
  const refused = await lab(`run ${ASKED} --folder ${folder}`);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('6 runs of other code (src/policy differ)')]);

  const checked = await lab(`check ${ASKED} --sample 2 --folder ${folder}`);
  expect(checked.out).toBe('t4 open, grpo-or, seed 1: the same bits\nt4 open, ppo-or, seed 1: the same bits\n');
  expect([checked.code, checked.err]).toEqual([0, expect.stringContaining('6 runs of earlier code are taken over')]);
  expect(runsOf(folder).map(({ made }) => made?.again)).toEqual(Array(6).fill(2));
  expect((await lab(`run ${ASKED} --folder ${folder}`)).code).toBe(0);
});

test('lab check says what is not the same, and takes nothing over', async () => {
  const other = join(root, 'other');
  const file = JSON.parse(readFileSync(join(folder, FILE), 'utf8'));
  file.runs = file.runs.slice(0, 1);
  file.runs[0].series.toolUse[1] += 0.01;
  file.runs[0].made.code['src/policy'] = 'earlier';
  mkdirSync(other);
  writeFileSync(join(other, FILE), JSON.stringify(file));
  const { code, out } = await lab(`check ${ASKED} --folder ${other}`);
  expect(out).toMatch(/^t4 open, grpo-or, seed 1: NOT the same: toolUse at update 1 /);
  expect(code).toBe(1);
  expect(runsOf(other)[0].made?.code['src/policy']).toBe('earlier');
});
