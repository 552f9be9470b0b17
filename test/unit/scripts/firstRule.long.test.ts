import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyRepository, runIn } from '../../tutorial.ts';

/** Maximum duration of all unit tests of the copy on a busy machine [ms]. */
const SUITE_MS = 3_600_000;

const folder = mkdtempSync(join(tmpdir(), 'turnwise-new-rule-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  copyRepository(folder);
  runIn(folder, 'src/cli/main.ts', 'rules', '--new', 'first-rule-of-all');
  runIn(folder, 'scripts/kernels.ts');
  runIn(folder, 'src/cli/main.ts', 'rules', '--docs', 'docs/reference/rules');
  const [page, groups] = ['docs/reference/same-groups.md', 'src/app/inspector/same-groups.jsonl'];
  runIn(folder, 'src/cli/main.ts', 'credit', '--rule', 'all', '--out', page, groups);
});

/** Runs a program in the copy without blocking the test worker, which must respond to Vitest. */
function finished(...args: string[]): Promise<{ readonly status: number | null; readonly output: string }> {
  // The program runs a separate suite, without the environment variables of this Vitest process.
  const environment = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST$)/.test(name));
  const child = spawn(process.execPath, args, { cwd: folder, env: Object.fromEntries(environment) });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, output })));
}

test('the type check, the linter and the check for unused code pass after `rules --new`', async () => {
  const { status, output } = await finished('scripts/test.mjs', 'check');
  expect(status, output).toBe(0);
});

test(
  'all unit tests pass after `rules --new`',
  async () => {
    const suite = ['run', '--project', 'unit', '--exclude', '**/*.long.test.ts'];
    const { status, output } = await finished('node_modules/vitest/vitest.mjs', ...suite);
    expect(status, output.slice(-20_000)).toBe(0);
  },
  SUITE_MS,
);
