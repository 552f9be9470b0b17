import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../files.ts';

// Tests of the npm package, installed in an empty folder without the optional WebGPU package.

const folder = mkdtempSync(join(tmpdir(), 'turnwise-package-'));
const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });

/** Starts the installed program. */
function turnwise(...args: string[]) {
  return spawnSync(join(folder, 'node_modules/.bin/turnwise-rl'), args, { cwd: folder, encoding: 'utf8' });
}

const INSTALLING = 600_000;
beforeAll(() => {
  npm(['pack', '--pack-destination', folder], root);
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  npm(['install', '--omit=optional', '--no-audit', '--no-fund', '--prefer-offline', file], folder);
}, INSTALLING);
afterAll(() => rmSync(folder, { recursive: true }));

test('the installed package has no optional dependency, no compiler and no source files', () => {
  const packages = readdirSync(join(folder, 'node_modules'));
  for (const name of ['webgpu', 'tsx', 'vite', 'rolldown', 'assemblyscript']) expect(packages).not.toContain(name);
  const files = readdirSync(join(folder, 'node_modules/turnwise-rl'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('.ts'))).toEqual([]);
});

test('the installed package imports a log and computes credit', () => {
  copyFileSync(join(root, 'test/fixtures/import/verl/10.jsonl'), join(folder, '10.jsonl'));
  expect(turnwise('import', '--out', 'groups.jsonl', '10.jsonl')).toMatchObject({ status: 0 });
  const { status, stdout, stderr } = turnwise('credit', '--rule', 'mt-grpo', 'groups.jsonl');
  expect([status, stdout.trim().split('\n').length]).toEqual([0, 2]);
  expect(stderr).toContain('2 groups');
  expect(turnwise('doctor', '10.jsonl')).toMatchObject({ status: 0 });
});

test('the installed package runs a rule file in the sandbox and trains on the exact engine', () => {
  writeFileSync(join(folder, 'rule.py'), 'def credit(group):\n    return [0.5] * len(group.turns)\n');
  const { status, stdout } = turnwise('credit', '--rule', './rule.py', 'groups.jsonl');
  expect([status, stdout]).toEqual([0, expect.stringContaining('"advantage":[0.5')]);
  expect(turnwise('train', '--environment', 'bandit', '--steps', '1', '--out', 'run.jsonl').status).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'run.jsonl'), 'utf8').split('\n')[0])).toHaveProperty('step');
});

test('the installed package reports that WebGPU is missing if the GPU is requested', () => {
  const { status, stderr } = turnwise('credit', '--device', 'gpu', '--rule', 'mt-grpo', 'groups.jsonl');
  expect([status, stderr]).toEqual([1, expect.stringContaining('WebGPU for Node')]);
});
