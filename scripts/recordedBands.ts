import { writeFileSync } from 'node:fs';
import type { RunBands } from '../src/environments/runBands.ts';
import { openingRun } from '../src/training/data/worlds.ts';
import { startedRun } from './startedRun.ts';

const FILE = new URL('../src/environments/search/recordedBands.ts', import.meta.url);
const SEEDS = 10;
const UPDATES = 90;
/** Update before which the rule changes, and updates between two values. */
const CHANGE = 30;
const EVERY = 4;

/** Tool use of every update of the standard search run with a seed [percent]. */
async function toolUse(seed: number, second: string | undefined): Promise<number[]> {
  const schedule = second === undefined ? [] : [{ step: CHANGE, changes: { rule: second } }];
  const configuration = { ...openingRun('search'), seed, schedule };
  const run = await startedRun(configuration);
  const shares: number[] = [];
  while (run.step < UPDATES) {
    const metrics = await (await run.update()).metrics;
    shares.push(Math.round(100 * (metrics.toolUse ?? Number.NaN)));
  }
  run.destroy();
  process.stdout.write(`seed ${seed}${second === undefined ? '' : `, ${second} from update ${CHANGE}`}\n`);
  return shares;
}

/** Least and greatest value at every nth update. */
function bandOf(runs: readonly (readonly number[])[], from: number) {
  const steps = Array.from({ length: Math.ceil((UPDATES - from) / EVERY) }, (_, index) => from + index * EVERY);
  const at = (step: number) => runs.map((shares) => shares[step] ?? Number.NaN);
  return { low: steps.map((step) => Math.min(...at(step))), high: steps.map((step) => Math.max(...at(step))) };
}

/** `npm run record:bands`: trains the standard search run with ten seeds under both rules, on the exact engine. `npm run format` formats the file. */
const first: number[][] = [];
const second: number[][] = [];
for (let seed = 1; seed <= SEEDS; seed++) {
  first.push(await toolUse(seed, undefined));
  second.push(await toolUse(seed, 'grpo-or'));
}
const bands: RunBands = { line: 'toolUse', every: EVERY, first: bandOf(first, 0), second: bandOf(second, CHANGE) };
const text = `import type { RunBands } from '../runBands.ts';

/** Tool use of the standard run with ten seeds [percent]. \`npm run record:bands\` writes this file. */
export const RECORDED_BANDS: RunBands = ${JSON.stringify(bands)};
`;
writeFileSync(FILE, text);
process.stdout.write(`${FILE.pathname}\n`);
process.exit();
