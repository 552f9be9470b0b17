// Command line of `npm run stress`, and its summary of failures.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SetupError } from './dependencies.mjs';
import { SUITES } from './suites.mjs';

const USAGE = `npm run stress -- [options]
  --suite NAME   gate (all suites of npm test), ${Object.keys(SUITES).join(', ')} (browser)
  --times N      runs in a row (10)
  --load N       processes that each keep a core busy (one for each core); 0 for none
  --loaded N     number of runs, the last ones, that run next to these processes (all)
  --file FILTER  only test files whose path contains this; may be given several times; not with gate`;

/** @param {string} name @param {string} text @param {number} least @param {number} [maximum] */
function readInteger(name, text, least, maximum = Number.MAX_SAFE_INTEGER) {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= maximum) return value;
  const range = maximum === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${maximum}`;
  throw new SetupError(`--${name}: "${text}" is not a whole number ${range}\n\n${USAGE}`);
}

/**
 * Parses the command line.
 * @param {string[]} args
 * @returns {{ suite: string, files: string[], times: number, load: number, loaded: number }}
 * @throws {SetupError} for an invalid option; the message lists the allowed values
 */
export function stressOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        suite: { type: 'string', default: 'browser' },
        times: { type: 'string', default: '10' },
        load: { type: 'string', default: String(availableParallelism()) },
        loaded: { type: 'string' },
        file: { type: 'string', multiple: true, default: [] },
      },
    });
    const { suite, file: files } = values;
    if (suite !== 'gate' && !Object.hasOwn(SUITES, suite)) {
      const known = ['gate', ...Object.keys(SUITES)].join(', ');
      throw new SetupError(`--suite: unknown suite "${suite}"; known: ${known}\n\n${USAGE}`);
    }
    if (suite === 'gate' && files.length > 0) {
      throw new SetupError(`--file: the gate runs whole; name one suite to run some of its files\n\n${USAGE}`);
    }
    const times = readInteger('times', values.times, 1);
    const load = readInteger('load', values.load, 0);
    return {
      suite,
      files,
      times,
      load,
      loaded: load === 0 ? 0 : readInteger('loaded', values.loaded ?? String(times), 0, times),
    };
  } catch (error) {
    // parseArgs names the unknown option.
    if (error instanceof TypeError) throw new SetupError(`${error.message}\n\n${USAGE}`);
    throw error;
  }
}

/**
 * Returns true if a run is one of the last `loaded` runs, which run under load.
 * @param {number} run from 1
 * @param {{ times: number, loaded: number }} options
 */
export function isLoaded(run, { times, loaded }) {
  return run > times - loaded;
}

/**
 * Counts the runs in which each test failed.
 * @param {readonly (readonly string[])[]} failed names of the failed tests of each run
 * @returns {string[]} one line per test, most frequent first
 */
export function failureCounts(failed) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const name of failed.flatMap((names) => [...new Set(names)])) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${count} of ${failed.length}: ${name}`);
}
