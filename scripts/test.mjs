// `npm test` runs the gate, `npm run test:all` also the long tests and the Python tests. Both install missing packages (with a
// question at a terminal) and end with "N passed, N failed". `node scripts/test.mjs SUITE [vitest arguments]` runs one suite.

import { ensureDependencies, fail, logProgress, SetupError, SystemError } from './dependencies.mjs';
import { agreement, terminal } from './prompts.mjs';
import { pythonTests } from './python.mjs';
import { ALL, GATE, REQUIREMENTS, runLists, runSuite, SUITES, suiteInAll } from './suites.mjs';

/** @typedef {import('./suites.mjs').Result} Result */

const [suite, ...args] = process.argv.slice(2);
const all = suite === 'all';
const several = suite === undefined || all;
const lists = all ? ALL : several ? GATE : [[suite]];
const suites = lists.flat();
/** @type {Record<string, string | undefined>} */
const environment = { ...process.env };
/** @type {Record<string, string>} error message of each suite without its driver or browser; only these suites fail */
const lacking = {};
try {
  const known = ['check', 'python', ...Object.keys(SUITES)];
  if (!several && !known.includes(suite)) fail(`unknown suite "${suite}"; known: all, ${known.join(', ')}`);
  ensureDependencies();
  const { ensureSystem, findMissingParts } = await import('./system.mjs');
  const requirements = Object.assign({}, ...suites.map((name) => REQUIREMENTS[name] ?? {}));
  const agree = agreement(terminal, () => findMissingParts(requirements));
  for (const name of suites.filter((candidate) => candidate in REQUIREMENTS)) {
    try {
      Object.assign(environment, await ensureSystem(REQUIREMENTS[name] ?? {}, agree));
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      lacking[name] = error.message;
      logProgress(error.message);
    }
  }
} catch (error) {
  fail(error);
}
if (environment.TURNWISE_ADAPTER) logProgress(`WebGPU adapter: ${environment.TURNWISE_ADAPTER}`);

/** Converts a setup error to a failed test, so that other suites continue. @param {unknown} error @returns {Result} */
function failedSetup(error) {
  if (!(error instanceof SetupError)) throw error;
  return { passed: 0, failed: 1, failures: [{ name: 'python', line: error.message }] };
}

/** @param {string} name @param {number} [output] @returns {Promise<Result>} */
async function run(name, output) {
  const line = lacking[name];
  if (line !== undefined) return { passed: 0, failed: 1, failures: [{ name, line }] };
  const how = { environment, args, ...(output === undefined ? {} : { output }) };
  if (name === 'python') return pythonTests(how).catch(failedSetup);
  if (!all) return runSuite(name, how);
  const inAll = suiteInAll(name);
  return runSuite(inAll.suite, { ...how, args: [...inAll.args, ...args], long: true });
}

/** Runs a suite that writes directly to this terminal. @param {string} name @returns {Promise<Result>} */
async function visible(name) {
  process.stdout.write(`\n== ${name} ==\n`);
  const result = await run(name);
  process.stdout.write(`${name}: ${result.passed} passed, ${result.failed} failed.\n`);
  return result;
}

try {
  const { passed, failed, failures } = several
    ? await runLists(lists, run, (text) => process.stdout.write(text))
    : await visible(suite);
  for (const { name, line } of failures) process.stdout.write(`  ${name}: ${line}\n`);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
} catch (error) {
  fail(error);
}
