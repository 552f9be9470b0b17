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

/** The six arms of t4 at seed 1 in the shipped world, with two updates each. */
const REQUEST = 't4 --seeds 1 --steps 2';
const KEY = 'search-open-heldOut-2048-2';
const ARMS = ['grpo-mr', 'grpo-or', 'mt-grpo', 'mt-ppo', 'ppo-mr', 'ppo-or'];
const lab = (line: string, parts: Partial<Terminal> = {}) => turnwise(`lab ${line}`, parts);

const runFile = (folder: string, arm: string) => join(folder, KEY, `${arm}.01.json`);
/** Returns the run of an arm. */
const runOf = (folder: string, arm: string): ArmRun => JSON.parse(readFileSync(runFile(folder, arm), 'utf8')).runs[0];
/**
 * Copies the file of an arm's run with changes.
 * @param to folder of the copy
 */
function changeRun(from: string, to: string, arm: string, change: (run: Mutable) => void): void {
  const file = JSON.parse(readFileSync(runFile(from, arm), 'utf8'));
  change(file.runs[0]);
  mkdirSync(join(to, KEY), { recursive: true });
  writeFileSync(runFile(to, arm), JSON.stringify(file));
}
interface Mutable {
  readonly provenance: { readonly code: Record<string, string> };
  readonly series: Record<string, number[]>;
}

/** Folder of runs. The first command stops after one run, and the same command line completes the runs. */
const folder = join(root, 'lab');

test('lab run saves every finished run, and the same command line continues', async () => {
  const stop = new AbortController();
  const { terminal, written } = paperTerminal({ signal: stop.signal });
  const err = terminal.err;
  terminal.err = (text) => {
    err(text);
    if (text.includes(' took ')) stop.abort();
  };
  expect(await runProgram(`lab run ${REQUEST} --folder ${folder}`.split(' '), terminal)).toBe(130);
  const [, arm = ''] = /t4 open: (\S+), seed 1 took .* left \(1 of 6 runs\)/.exec(written.err) ?? [];
  expect(written.err).toContain('5 runs are missing');
  expect(readdirSync(join(folder, KEY))).toEqual([`${arm}.01.json`]);
  const first = runOf(folder, arm);
  expect(first.provenance).toMatchObject({
    version: '0.1.0',
    device: expect.any(String),
    code: { shaders: expect.any(String) },
  });

  const { code, err: message } = await lab(`run ${REQUEST} --folder ${folder}`);
  expect([code, message]).toEqual([0, expect.stringContaining('all runs are done')]);
  expect(readdirSync(join(folder, KEY))).toEqual(ARMS.map((arm) => `${arm}.01.json`));
  expect(runOf(folder, arm)).toEqual(first);
});

test('lab check repeats runs bit for bit, and accepts runs of earlier code', async () => {
  for (const arm of ARMS) {
    changeRun(folder, folder, arm, ({ provenance }) => {
      provenance.code['src/policy'] = 'earlier';
    });
  }
  const rejected = await lab(`run ${REQUEST} --folder ${folder}`);
  expect([rejected.code, rejected.err]).toEqual([
    2,
    expect.stringContaining('6 runs of other code (src/policy differ)'),
  ]);

  const checked = await lab(`check ${REQUEST} --sample 2 --folder ${folder}`);
  expect(checked.out.match(/^t4 open, \S+, seed 1: the same bits$/gm)).toHaveLength(2);
  expect([checked.code, checked.err]).toEqual([0, expect.stringContaining('6 runs of earlier code are accepted')]);
  expect(ARMS.map((arm) => runOf(folder, arm).provenance?.again)).toEqual(Array(6).fill(2));
  expect((await lab(`run ${REQUEST} --folder ${folder}`)).code).toBe(0);
});

test('lab check reports differences, and does not accept the runs', async () => {
  const changed = join(root, 'other');
  changeRun(folder, changed, 'grpo-or', ({ provenance, series }) => {
    series.toolUse[1] += 0.01;
    provenance.code['src/policy'] = 'earlier';
  });
  const { code, out } = await lab(`check ${REQUEST} --folder ${changed}`);
  expect(out).toMatch(/^t4 open, grpo-or, seed 1: NOT the same: toolUse at update 1 /);
  expect(code).toBe(1);
  expect(runOf(changed, 'grpo-or').provenance?.code['src/policy']).toBe('earlier');
});
