// `npm test` runs the gate, `npm run test:all` also the long tests and the Python tests. Both install missing packages (with a
// question at a terminal) and end with "N passed, N failed". `node scripts/test.mjs SUITE [vitest arguments]` runs one suite.
import { agreement, terminal } from './asking.mjs';
import { ensureDependencies, fail, SystemError, say } from './dependencies.mjs';
import { pythonTests } from './python.mjs';
import { GATE, NEEDS, runLists, runSuite, SUITES } from './suites.mjs';

/** @typedef {import('./suites.mjs').Result} Result */

const [suite, ...args] = process.argv.slice(2);
const all = suite === 'all';
const several = suite === undefined || all;
// The trainers of the Python tests start processes on every core, so they run after the other suites.
const lists = several ? GATE : [[suite]];
const suites = lists.flat();
/** @type {Record<string, string | undefined>} */
const environment = { ...process.env };
/** @type {Record<string, string>} error message of each suite that lacks a driver or a browser; only this suite fails */
const lacking = {};
try {
  const known = ['check', 'python', ...Object.keys(SUITES)];
  if (!several && !known.includes(suite)) fail(`unknown suite "${suite}"; known: all, ${known.join(', ')}`);
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

/** @param {string} name @param {number} [output] @returns {Promise<Result>} */
async function run(name, output) {
  const line = lacking[name];
  if (line !== undefined) return { passed: 0, failed: 1, failures: [{ name, line }] };
  if (name === 'python') return pythonTests(args);
  return runSuite(name, {
    environment,
    args,
    ...(all ? { long: true } : {}),
    ...(output === undefined ? {} : { output }),
  });
}

/** A suite that writes directly to this terminal. @param {string} name @returns {Promise<Result>} */
async function visible(name) {
  process.stdout.write(`\n== ${name} ==\n`);
  const result = await run(name);
  process.stdout.write(`${name}: ${result.passed} passed, ${result.failed} failed.\n`);
  return result;
}

try {
  const results = several ? [await runLists(lists, run, (text) => process.stdout.write(text))] : [await visible(suite)];
  if (all) results.push(await visible('python'));
  if (several) {
    for (const { name, line } of results.flatMap(({ failures }) => failures))
      process.stdout.write(`  ${name}: ${line}\n`);
  }
  const sum = (/** @type {'passed' | 'failed'} */ key) => results.reduce((total, result) => total + result[key], 0);
  process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`);
  process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
} catch (error) {
  fail(error);
}
