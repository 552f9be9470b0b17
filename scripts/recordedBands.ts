import { writeFileSync } from 'node:fs';
import { metricOf } from '../src/app/curves/series.ts';
import type { RunBands } from '../src/environments/chart.ts';
import { ENVIRONMENTS, type EnvironmentName } from '../src/environments/registry.ts';
import { openingRun } from '../src/training/data/worlds.ts';
import { startedRun } from './startedRun.ts';

const fileOf = (name: EnvironmentName) => new URL(`../src/environments/${name}/recordedBands.json`, import.meta.url);
/** Recorded line of the main chart for each environment with bands, and the Lab claim that has such runs. */
const LINES = {
  search: { line: 'toolUse', claim: 't1' },
  repair: { line: 'fact:solved', claim: 'm1' },
  repo: { line: 'fact:solved' },
} as const;
const SEEDS = 10;
const UPDATES = 90;
/** First update with the second rule, and number of updates between two recorded values. */
const CHANGE = 30;
const EVERY = 4;

/** Returns the value of each update of the standard run [percent]. @param second rule from update `CHANGE` on */
async function values(name: keyof typeof LINES, seed: number, second?: string): Promise<number[]> {
  const schedule = second === undefined ? [] : [{ step: CHANGE, changes: { rule: second } }];
  const run = await startedRun({ ...openingRun(name), seed, schedule });
  const shares: number[] = [];
  while (run.step < UPDATES)
    shares.push(Math.round(100 * metricOf(await (await run.update()).metrics, LINES[name].line)));
  run.destroy();
  process.stdout.write(`${name}, seed ${seed}${second === undefined ? '' : `, ${second} from update ${CHANGE}`}\n`);
  return shares;
}

/** Returns the minimum and maximum of the runs at every nth update. */
function bandOf(runs: readonly (readonly number[])[], from: number) {
  const steps = Array.from({ length: Math.ceil((UPDATES - from) / EVERY) }, (_, index) => from + index * EVERY);
  const at = (step: number) => runs.map((shares) => shares[step] ?? Number.NaN);
  return { low: steps.map((step) => Math.min(...at(step))), high: steps.map((step) => Math.max(...at(step))) };
}

/** Trains the standard run of an environment with ten seeds under the first two rules of the toggle. */
async function record(name: keyof typeof LINES): Promise<void> {
  const first: number[][] = [];
  const second: number[][] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    first.push(await values(name, seed));
    second.push(await values(name, seed, ENVIRONMENTS[name].pinned[1]));
  }
  const bands: RunBands = { ...LINES[name], every: EVERY, first: bandOf(first, 0), second: bandOf(second, CHANGE) };
  writeFileSync(fileOf(name), `${JSON.stringify(bands)}\n`);
  process.stdout.write(`${fileOf(name).pathname}\n`);
}

// `npm run record:bands [-- ENVIRONMENT ...]`: writes the bands of the given environments, or of all environments, with
// the exact engine. `npm run format` formats the files.
const known = Object.keys(LINES) as (keyof typeof LINES)[];
const named = process.argv.slice(2);
const unknown = named.find((name) => !Object.hasOwn(LINES, name));
if (unknown !== undefined) throw new Error(`record:bands: no environment "${unknown}"; known: ${known.join(', ')}`);
for (const name of known.filter((each) => named.length === 0 || named.includes(each))) await record(name);
process.exit();
