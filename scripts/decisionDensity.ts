import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { nodeExactDevice } from '../src/cli/framework/node.ts';
import { loadStart, warmStartFile } from '../src/cli/framework/policyFiles.ts';
import { openWorld } from '../src/cli/framework/worldRuns.ts';
import {
  DENSITY_RULES,
  DENSITY_SEEDS,
  DENSITY_SETTINGS,
  type DensityRow,
  densityPoints,
  densityRow,
  densityTable,
} from '../src/experiments/truth/density.ts';
import { measureTruth } from '../src/experiments/truth/measureTruth.ts';
import type { ParameterValues } from '../src/parameters/parameters.ts';
import { defaultConfiguration } from '../src/training/data/configurationTables.ts';
import type { TruthPlan } from '../src/training/data/truthReport.ts';
import { Trainer } from '../src/training/run/trainer.ts';

/** File of measured rows, one per line. A run of this program continues the file. */
const FILE = new URL('../docs/reference/decision-density.jsonl', import.meta.url);

const PAGE = new URL('../src/app/lessons/figures/decisionDensity.json', import.meta.url);
const DOCUMENT = new URL('../docs/reference/decision-density.md', import.meta.url);

const PLAN: TruthPlan = {
  ...{ rules: DENSITY_RULES, groups: 2, continuations: 256, split: 'train', ties: 'keep', gradientGroups: 0 },
  counts: { kind: 'outcome', gamma: 1, bonus: 0 },
};

const rows = (): readonly DensityRow[] =>
  existsSync(FILE)
    ? readFileSync(FILE, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];

/** Measures the seeds of a setting that the file lacks, with the policy of the warm start. */
async function measure(setting: (typeof DENSITY_SETTINGS)[number]): Promise<void> {
  const [maxTurns, hops] = setting;
  const missing = () => {
    const known = rows().filter((row) => row.maxTurns === maxTurns && row.hops === hops);
    return DENSITY_SEEDS.filter((seed) => !known.some((row) => row.seed === seed));
  };
  if (missing().length === 0) return;
  const standard = defaultConfiguration('search');
  const settings: ParameterValues = { ...standard.settings, maxTurns, hops };
  const configuration = { ...standard, settings };
  const opened = await openWorld(configuration);
  const device = await nodeExactDevice();
  const create = (seed: number) =>
    Trainer.create(device, opened.environment, seed, configuration.controls, undefined, opened);
  const first = await create(0);
  if (existsSync(warmStartFile(settings))) first.load(loadStart(opened.world, undefined).state, 0);
  else await first.warmStart(settings.warmSeed as number, async () => {});
  const state = await first.engine.readState();
  first.destroy();
  for (const seed of missing()) {
    const trainer = await create(seed);
    trainer.load(state, 0);
    const report = await measureTruth(trainer.measurer, PLAN);
    trainer.destroy();
    if (!report) throw new Error(`nothing was measured with ${maxTurns} turns, ${hops} hops, seed ${seed}`);
    const row = densityRow(report, { maxTurns, hops, seed });
    appendFileSync(FILE, `${JSON.stringify(row)}\n`);
    process.stdout.write(`${JSON.stringify(row)}\n`);
  }
  opened.close();
}

/** Writes the means for the figure of the page and the table of the document. */
function write(): void {
  const points = densityPoints(rows());
  writeFileSync(PAGE, `${JSON.stringify(points, undefined, 2)}\n`);
  const text = readFileSync(DOCUMENT, 'utf8');
  const [start, end] = ['<!-- table -->\n', '<!-- end of table -->'];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${DOCUMENT.pathname} has no lines ${start.trim()} and ${end}`);
  writeFileSync(DOCUMENT, `${text.slice(0, from + start.length)}${densityTable(points)}${text.slice(to)}`);
}

// `npm run density` measures the missing settings and writes the table and the figure. `npm run density -- 0 2`
// measures every second setting from the first, so that two processes share the work.
const [part = 0, parts = 1] = process.argv.slice(2).map(Number);
for (const [index, setting] of DENSITY_SETTINGS.entries()) if (index % parts === part) await measure(setting);
write();
process.exit();
