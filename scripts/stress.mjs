// `npm run stress -- --suite browser --times 10`: runs a suite again and again while other processes keep the cores busy,
// and tells what failed by chance. Ends with status 1 when anything failed.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies, fail, SetupError, say } from './dependencies.mjs';
import { countResults, failures } from './results.mjs';
import { NEEDS, SUITES, vitest } from './suites.mjs';

const USAGE = `npm run stress -- [options]
  --suite NAME   ${Object.keys(SUITES).join(', ')} (browser)
  --times N      runs in a row (10)
  --load N       processes that keep a core busy meanwhile (one for each core); 0 for none
  --file FILTER  only test files whose path contains this; may be given several times`;

/** Keeps a core busy until the process that started it is gone, however that ended. */
const BURN = `process.on('disconnect', () => process.exit());
(function spin() { const end = Date.now() + 50; while (Date.now() < end); setImmediate(spin); })();`;

/** @param {string} name @param {string} text @param {number} least */
function whole(name, text, least) {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new SetupError(`--${name}: "${text}" is not a whole number from ${least}\n\n${USAGE}`);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        suite: { type: 'string', default: 'browser' },
        times: { type: 'string', default: '10' },
        load: { type: 'string', default: String(availableParallelism()) },
        file: { type: 'string', multiple: true, default: [] },
      },
    });
    const { suite, file } = values;
    if (!Object.hasOwn(SUITES, suite)) {
      throw new SetupError(`--suite: "${suite}" is none; known: ${Object.keys(SUITES).join(', ')}\n\n${USAGE}`);
    }
    return { suite, files: file, times: whole('times', values.times, 1), load: whole('load', values.load, 0) };
  } catch (error) {
    // parseArgs names what it does not know.
    if (error instanceof TypeError) throw new SetupError(`${error.message}\n\n${USAGE}`);
    throw error;
  }
}

/** @param {number} milliseconds */
const seconds = (milliseconds) => `${Math.round(milliseconds / 1000)} s`;

/** Every run, one line each. @returns {Promise<boolean>} whether nothing failed */
async function stress() {
  const { suite, files, times, load } = readOptions();
  ensureDependencies();
  const { ensureSystem } = await import('./system.mjs');
  const environment = { ...process.env, ...(await ensureSystem(NEEDS[suite] ?? {})) };
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-stress-'));
  say(`${suite}, ${times} times, ${load} busy processes beside it; what each run writes: ${folder}`);
  const burners = Array.from({ length: load }, () =>
    spawn(process.execPath, ['-e', BURN], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  );
  const began = Date.now();
  let failed = 0;
  /** @type {Map<string, number>} how often each test failed */
  const often = new Map();
  try {
    for (let run = 1; run <= times; run++) {
      const start = Date.now();
      const output = openSync(join(folder, `run-${run}.txt`), 'w');
      const { report, status } = await vitest([...(SUITES[suite] ?? []), ...files], { environment, output });
      closeSync(output);
      const count = countResults(report, status);
      const told = `${count.passed} passed, ${count.failed} failed, ${seconds(Date.now() - start)}`;
      process.stdout.write(`run ${run} of ${times}: ${told}\n`);
      const found = failures(report);
      if (found.length === 0 && count.failed > 0) found.push({ name: 'the run itself', line: `see run-${run}.txt` });
      for (const { name, line } of found) {
        process.stdout.write(`  ${name}: ${line}\n`);
        often.set(name, (often.get(name) ?? 0) + 1);
      }
      if (count.failed > 0) failed += 1;
    }
  } finally {
    for (const burner of burners) burner.kill();
  }
  process.stdout.write(`\n${times} runs, ${failed} with failures, ${seconds(Date.now() - began)}\n`);
  for (const [name, count] of often) process.stdout.write(`  ${count} of ${times}: ${name}\n`);
  return failed === 0;
}

try {
  process.exitCode = (await stress()) ? 0 : 1;
} catch (error) {
  fail(error);
}
