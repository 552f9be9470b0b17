// The test suites with their arguments and requirements, and functions that run one suite or several.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './dependencies.mjs';
import { countResults, failures } from './results.mjs';

/** @type {Record<string, string[]>} the vitest arguments of each suite; names after `--project` are in vite.config.ts */
export const SUITES = {
  unit: ['--project', 'unit'],
  sandbox: ['--project', 'sandbox'],
  gpu: ['--project', 'gpu'],
  browser: ['--project', 'browser'],
  // Files named *vectors.test.ts compare results with stored vectors; see TURNWISE_VECTORS in CONTRIBUTING.md.
  vectors: ['--project', 'unit', '--project', 'gpu', 'vectors.test.ts'],
};

/** @type {Record<string, { gpu?: boolean, chromium?: boolean }>} */
export const REQUIREMENTS = { gpu: { gpu: true }, vectors: { gpu: true }, browser: { chromium: true } };

/**
 * Suites of `npm test`. The lists run at the same time, the suites of a list in sequence. The two suites that use a
 * software renderer are in one list, because a software renderer uses every core. Both lists take about the same time.
 */
export const GATE = [
  ['gpu', 'browser', 'check'],
  ['unit', 'sandbox'],
];

/** Suites of `npm run test:all`. `tutorial` is the file of the unit suite that takes longest. */
export const ALL = [
  ['gpu', 'browser', 'python'],
  ['unit', 'sandbox'],
  ['tutorial', 'check'],
];

/** Test that runs the unit tests of the gate on a copy of the repository. */
const TUTORIAL = 'test/unit/scripts/firstRule.long.test.ts';

/**
 * Returns the suite of a name in ALL, with its vitest arguments.
 * @param {string} name
 * @returns {{ suite: string, args: string[] }}
 */
export function suiteInAll(name) {
  if (name === 'tutorial') return { suite: 'unit', args: [TUTORIAL] };
  // The GPU and browser suites wait often, so one worker per core uses the machine better.
  if (name === 'unit') return { suite: 'unit', args: ['--exclude', TUTORIAL, '--maxWorkers=100%'] };
  return { suite: name, args: [] };
}

/** Vitest arguments that exclude the long tests. Only `npm run test:all` and calls with a filter run them. */
const WITHOUT_LONG = ['--exclude', '**/*.long.test.ts'];

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Programs of the suite `check`: types, style, unused files and exports, and spelling. Each counts as one test. */
const CHECKS = [
  ['typescript/bin/tsc', '--noEmit'],
  ['@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.'],
  ['knip/bin/knip.js', '--no-progress'],
  ['cspell/bin.mjs', ...scripts.spelling.split(' ').slice(1), '--quiet'],
];

/** @typedef {import('./results.mjs').Report} Report */
/** @typedef {{ name: string, line: string }} Failure */
/** @typedef {{ passed: number, failed: number, failures: Failure[] }} Result */
/**
 * @typedef {object} How
 * @property {Record<string, string | undefined>} environment variables of the test processes
 * @property {string[]} [args] vitest arguments, for example parts of paths
 * @property {boolean} [long] includes the long tests; filters in `args` include them too
 * @property {number} [output] file descriptor for the messages; the output of this process if left out
 * @property {string} [cwd] folder of the processes; the repository if left out
 */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let stopping = false;

/** Ends all child processes, then this process. A second signal kills them immediately. */
function stop() {
  const signal = stopping ? 'SIGKILL' : 'SIGTERM';
  stopping = true;
  const ends = [...running].map((child) => {
    const exit = once(child, 'exit');
    // The signal goes to the process group, because vitest does not end its workers. Windows has no process groups.
    if (child.pid === undefined || process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
    return exit;
  });
  Promise.all(ends).then(() => process.exit(1));
}

/**
 * Runs a program. A signal that ends this process ends the program first.
 * @param {string} command
 * @param {string[]} args
 * @param {How} how
 * @returns {Promise<number | null>} the exit status
 */
export async function program(command, args, { environment, output, cwd = root }) {
  // No further program starts while the running programs end.
  if (stopping) return new Promise(() => {});
  const stdio = output ?? 'inherit';
  const child = spawn(command, args, {
    cwd,
    env: environment,
    stdio: ['ignore', stdio, stdio],
    detached: process.platform !== 'win32',
  });
  if (running.size === 0) process.on('SIGTERM', stop).on('SIGINT', stop);
  running.add(child);
  try {
    return await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
  } finally {
    running.delete(child);
    if (running.size === 0) process.off('SIGTERM', stop).off('SIGINT', stop);
  }
}

/** @param {How} how @returns {Promise<Result>} */
async function check(how) {
  /** @type {Failure[]} */
  const failed = [];
  for (const [script = '', ...args] of CHECKS) {
    const status = await program(process.execPath, [join(root, 'node_modules', script), ...args], how);
    if (status !== 0) failed.push({ name: `check: ${script.split('/')[0]}`, line: `exit status ${status}` });
  }
  return { passed: CHECKS.length - failed.length, failed: failed.length, failures: failed };
}

/**
 * Runs a suite once.
 * @param {string} name `check` or a name of SUITES
 * @param {How} how
 * @returns {Promise<Result>}
 */
export async function runSuite(name, how) {
  if (name === 'check') return check(how);
  const { args = [], long = args.length > 0 } = how;
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-test-'));
  const file = join(folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const chosen = [...(SUITES[name] ?? []), ...args, ...(long ? [] : WITHOUT_LONG)];
  try {
    const environment = { ...how.environment, ...(long ? { TURNWISE_LONG: 'yes' } : {}) };
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const status = await program(process.execPath, [vitest, 'run', ...chosen, ...reporters], { ...how, environment });
    /** @type {Report | undefined} */
    const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    const count = countResults(report, status);
    const named = failures(report);
    if (named.length === 0 && count.failed > 0) named.push({ name, line: 'the run failed outside of its tests' });
    return { ...count, failures: named };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Runs lists of suites at the same time. Writes the messages of a suite in one piece when it ends.
 * @param {string[][]} lists
 * @param {(name: string, output: number) => Promise<Result>} run
 * @param {(text: string) => void} write
 * @returns {Promise<Result>} the sum over all suites
 */
export async function runLists(lists, run, write) {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-suites-'));
  /** @type {Result} */
  const total = { passed: 0, failed: 0, failures: [] };
  try {
    await Promise.all(
      lists.map(async (names) => {
        for (const name of names) {
          const file = join(folder, name);
          const output = openSync(file, 'w');
          const start = Date.now();
          const { passed, failed, failures: named } = await run(name, output).finally(() => closeSync(output));
          const seconds = Math.round((Date.now() - start) / 1000);
          write(`\n== ${name} ==\n${readFileSync(file, 'utf8')}`);
          write(`${name}: ${passed} passed, ${failed} failed. (${seconds} s)\n`);
          total.passed += passed;
          total.failed += failed;
          total.failures.push(...named);
        }
      }),
    );
    return total;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
