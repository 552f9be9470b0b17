// The suites of tests that vitest runs, what each needs of the machine, and one run of them with its report.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './dependencies.mjs';

/** @type {Record<string, string[]>} the vitest arguments of each suite; names after `--project` are in vite.config.ts */
export const SUITES = {
  unit: ['--project', 'unit'],
  sandbox: ['--project', 'sandbox'],
  gpu: ['--project', 'gpu'],
  browser: ['--project', 'browser'],
  // Files named *vectors.test.ts check our numbers against fixed ones; see TURNWISE_VECTORS in CONTRIBUTING.md.
  vectors: ['--project', 'unit', '--project', 'gpu', 'vectors.test.ts'],
};

/** @type {Record<string, { gpu?: boolean, chromium?: boolean }>} */
export const NEEDS = { gpu: { gpu: true }, vectors: { gpu: true }, browser: { chromium: true } };

/** @typedef {import('./results.mjs').Report} Report */

/**
 * Runs vitest once. Told to end, this process ends it first.
 * @param {string[]} args
 * @param {{ environment: Record<string, string | undefined>, output?: number }} how output: a file that takes what vitest
 *   writes for people; this process's own output without
 * @returns {Promise<{ report: Report | undefined, status: number | null }>} no report where vitest wrote none
 */
export async function vitest(args, { environment, output }) {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-test-'));
  const file = join(folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args, ...reporters], {
    cwd: root,
    env: environment,
    stdio: ['ignore', output ?? 'inherit', output ?? 'inherit'],
  });
  /** @param {NodeJS.Signals} signal */
  const end = (signal) => {
    child.kill(signal);
    child.once('exit', () => process.exit(1));
  };
  process.once('SIGTERM', end).once('SIGINT', end);
  try {
    /** @type {number | null} */
    const status = await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
    return { report: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined, status };
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end);
    rmSync(folder, { recursive: true });
  }
}
