// `npm run stress -- --suite browser --times 10`: runs a suite, or all suites of `npm test` (`--suite gate`), several times next to
// busy processes, and lists the tests that failed. Exit status 1 if a run failed.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDependencies, fail, logProgress } from './dependencies.mjs';
import { failureCounts, isLoaded, stressOptions } from './stressOptions.mjs';
import { GATE, REQUIREMENTS, runLists, runSuite } from './suites.mjs';

/** Program that keeps a core busy until its parent process ends. */
const BURN = `process.on('disconnect', () => process.exit());
(function spin() { const end = Date.now() + 50; while (Date.now() < end); setImmediate(spin); })();`;

/** @param {number} milliseconds */
const seconds = (milliseconds) => `${Math.round(milliseconds / 1000)} s`;

/** Runs the suite and prints a line for each run. @returns {Promise<boolean>} true if no run failed */
async function stress() {
  const options = stressOptions(process.argv.slice(2));
  const { suite, files: args, times, load, loaded } = options;
  ensureDependencies();
  const { ensureSystem } = await import('./system.mjs');
  const required = suite === 'gate' ? { gpu: true, chromium: true } : (REQUIREMENTS[suite] ?? {});
  const environment = { ...process.env, ...(await ensureSystem(required)) };
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-stress-'));
  logProgress(
    `${suite}, ${times} runs, the last ${loaded} next to ${load} busy processes; output of the runs: ${folder}`,
  );
  const startTime = Date.now();
  /** @type {string[][]} */
  const failed = [];
  for (let run = 1; run <= times; run++) {
    const busy = isLoaded(run, options);
    const burners = Array.from({ length: busy ? load : 0 }, () =>
      spawn(process.execPath, ['-e', BURN], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    );
    const output = openSync(join(folder, `run-${run}.txt`), 'w');
    const start = Date.now();
    try {
      const result = await (suite === 'gate'
        ? runLists(
            GATE,
            (name, file) => runSuite(name, { environment, output: file }),
            (text) => writeSync(output, text),
          )
        : runSuite(suite, { environment, args, output }));
      const counts = `${result.passed} passed, ${result.failed} failed, ${seconds(Date.now() - start)}`;
      process.stdout.write(`run ${run} of ${times}: ${counts}, ${busy ? 'loaded' : 'not loaded'}\n`);
      for (const { name, line } of result.failures) process.stdout.write(`  ${name}: ${line}\n`);
      failed.push(result.failures.map(({ name }) => name));
    } finally {
      for (const burner of burners) burner.kill();
      closeSync(output);
    }
  }
  const withFailures = failed.filter((names) => names.length > 0).length;
  process.stdout.write(`\n${times} runs, ${withFailures} with failures, ${seconds(Date.now() - startTime)}\n`);
  for (const line of failureCounts(failed)) process.stdout.write(`  ${line}\n`);
  return withFailures === 0;
}

try {
  process.exitCode = (await stress()) ? 0 : 1;
} catch (error) {
  fail(error);
}
