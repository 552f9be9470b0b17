// `npm test`: installs what is missing (a person at the terminal is asked first), runs every suite and ends with "N passed, N failed".
// `node scripts/test.mjs SUITE [vitest arguments]` runs one of them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { agreement, terminal } from './asking.mjs';
import { ensureDependencies, fail, root, SystemError, say } from './dependencies.mjs';
import { countResults } from './results.mjs';
import { NEEDS, SUITES, vitest } from './suites.mjs';

/** @typedef {{ passed: number, failed: number }} Count */

const ALL = ['check', 'unit', 'sandbox', 'gpu', 'browser'];
/** @type {Record<string, string | undefined>} */
const environment = { ...process.env };

/** @param {string} script @param {string[]} args */
function run(script, args) {
  return spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    env: environment,
    stdio: 'inherit',
  }).status;
}

/** Types, style, and no file or export that nobody uses: each counts as one test. @returns {Count} */
function check() {
  const statuses = [
    run('typescript/bin/tsc', ['--noEmit']),
    run('@biomejs/biome/bin/biome', ['ci', '--error-on-warnings', '.']),
    run('knip/bin/knip.js', ['--no-progress']),
  ];
  const passed = statuses.filter((status) => status === 0).length;
  return { passed, failed: statuses.length - passed };
}

const [suite, ...extra] = process.argv.slice(2);
const suites = suite === undefined ? ALL : [suite];
/** @type {Record<string, string>} what a suite lacks; it has failed then, and the others run all the same */
const lacking = {};
try {
  if (suite !== undefined && suite !== 'check' && !(suite in SUITES)) {
    fail(`unknown suite "${suite}"; known: check, ${Object.keys(SUITES).join(', ')}`);
  }
  ensureDependencies();
  const { ensureSystem, wholeLack } = await import('./system.mjs');
  const needs = Object.assign({}, ...suites.map((name) => NEEDS[name] ?? {}));
  const agree = agreement(terminal, () => wholeLack(needs));
  for (const name of suites.filter((candidate) => candidate in NEEDS)) {
    try {
      Object.assign(environment, await ensureSystem(NEEDS[name] ?? {}, agree));
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      lacking[name] = error.message;
      say(error.message);
    }
  }
} catch (error) {
  fail(error);
}
if (environment.TURNWISE_ADAPTER) say(`WebGPU adapter: ${environment.TURNWISE_ADAPTER}`);

/** @param {string} name @returns {Promise<Count>} */
async function result(name) {
  if (name === 'check') return check();
  if (lacking[name] === undefined) {
    const { report, status } = await vitest([...(SUITES[name] ?? []), ...extra], { environment });
    return countResults(report, status);
  }
  process.stdout.write(`${lacking[name]}\n`);
  return { passed: 0, failed: 1 };
}

const total = { passed: 0, failed: 0 };
for (const name of suites) {
  process.stdout.write(`\n== ${name} ==\n`);
  const count = await result(name);
  process.stdout.write(`${name}: ${count.passed} passed, ${count.failed} failed.\n`);
  total.passed += count.passed;
  total.failed += count.failed;
}
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
