import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Claim } from '../../environments/claim.ts';
import { formatConclusions, stateText } from '../../experiments/claims/conclusionText.ts';
import { correctedTogether } from '../../experiments/claims/corrections.ts';
import { ALL_CLAIMS, CLAIM_SELECTORS, findClaims } from '../../experiments/claims/readClaims.ts';
import { startsOf } from '../compare/starts.ts';
import { type Command, defineCommand, suggestion } from '../framework/command.ts';
import { REPEATABLE_ENGINE, withDevice } from '../framework/device.ts';
import { EXIT, reason, UsageError } from '../framework/errors.ts';
import { type Flag, type FlagValues, integerFlag, number, optional, text, toggle } from '../framework/flags.ts';
import { codeOf, version } from '../framework/installation.ts';
import { show } from '../framework/policyFiles.ts';
import { alignedTable, duration, type Terminal } from '../framework/terminal.ts';
import { adoptRuns, adoptStarts, type Repeated, repeatRuns, runsIn, runsRecorded, sampleOf } from '../lab/labCheck.ts';
import type { Shard } from '../lab/labFolder.ts';
import { runLab, runProcesses, sharesOf, startsFolder, startThere } from '../lab/labRun.ts';
import { readResult, resultTexts, updateTexts, writeResults } from '../lab/resultFiles.ts';
import { mergeEarlierExperiments, resultsOf } from '../lab/results.ts';
import { countRuns, type Prepared, prepared, ROUNDS, secondsLeft, startOf, workOf } from '../lab/work.ts';

/** Folder of the results in the repository. */
const REFERENCE_RESULTS = fileURLToPath(new URL('../../../docs/reference/lab', import.meta.url));

const ACTIONS = ['list', 'plan', 'run', 'check', 'report'] as const;

const SHARD: Flag<Shard | undefined> = {
  kind: 'value',
  placeholder: 'K/N',
  help: 'run: the Kth of N shards of the work, for several machines. Merge the folders of the machines afterwards.',
  allowed: 'two whole numbers, the first from 1 to the second, for example 3/8',
  fallback: undefined,
  add(_, given, name) {
    const [, part, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(given) ?? [];
    const shard = { part: Number(part), of: Number(of) };
    if (shard.part >= 1 && shard.part <= shard.of) return shard;
    throw new UsageError(`--${name}: "${given}" is not ${this.allowed}`);
  },
};

const FLAGS = {
  folder: text('FOLDER', 'Folder of the runs, and of the warm starts that were made for them.', 'lab'),
  engine: REPEATABLE_ENGINE,
  seeds: optional(integerFlag('Seeds per arm, instead of the number of the claim.', { min: 1, max: 100, default: 1 })),
  steps: integerFlag(
    'Updates per run, for trials. Trial runs are stored separately and count for no conclusion. 0 for the number of the claim.',
    { min: 0, max: 100_000, default: 0 },
  ),
  hours: number({
    ...{ kind: 'number', name: 'hours', label: '', default: 0, min: 0, max: 10_000, step: 0.1 },
    help: 'run: time limit. A run that would not end within this number of hours does not start; 0 for no limit.',
  }),
  shard: SHARD,
  processes: integerFlag('run, plan: number of parallel processes, which run at the lowest priority.', {
    min: 1,
    max: 64,
    default: 1,
  }),
  idle: toggle('run, plan: include the tests that measure time. Use it on an idle machine only.'),
  sample: integerFlag('check: number of runs to repeat per file.', { min: 1, max: 100, default: 1 }),
  seed: integerFlag('check: repeat the runs of this seed; 0 for a sample of all.', { min: 0, max: 100, default: 0 }),
  docs: text(
    'FOLDER',
    'report: write a page, a figure and the data of every claim to this folder. Files of other claims do not change.',
  ),
  texts: text(
    'FOLDER',
    'report: update the references to results in all Markdown files of this folder, with the results of --docs.',
  ),
};

/** Command that tests the claims of the papers, run by run. */
export const labCommand: Command = defineCommand({
  name: 'lab',
  summary: 'test the claims of the papers, run by run',
  description:
    'list: the claims, and the missing runs of each claim. plan: the missing runs in the order of the work, and their estimated ' +
    'hours. run: trains the missing runs and writes each run to a file; the same command continues a stopped one. check: repeats ' +
    'a sample of runs, which must give the same bits. report: conclusions, and with --docs one page per claim.',
  operands: {
    placeholder: 'WHAT',
    help: 'list, plan, run, check or report; then claims (t1), papers (t, m, v, r), own, or all. Required for run.',
    least: 1,
    maximum: 100,
  },
  flags: FLAGS,
  parameters: [],
  examples: [
    'list',
    'run t1',
    'run all --hours 8',
    'plan all --processes 2',
    'run all --processes 2',
    'run m --shard 3/8',
    'check t1 --seed 1',
    'report --docs docs/reference/lab --texts .',
  ],
  async run({ flags, operands }, terminal) {
    const [action, ...rest] = operands;
    for (const name of ['folder', 'docs', 'texts'] as const) checkFolder(name, flags[name]);
    const request: LabRequest = { ...flags, claimNames: rest };
    switch (action) {
      case 'list':
        return list(request, terminal);
      case 'plan':
        return plan(request, terminal);
      case 'run':
        return run(request, terminal);
      case 'check':
        return check(request, terminal);
      case 'report':
        return report(request, terminal);
      default:
        throw new UsageError(`WHAT: "${action}" is not one of ${ACTIONS.join(', ')}${suggestion(action, ACTIONS, '')}`);
    }
  },
});

/** Flags of `lab`, with the operands after the action. */
type LabRequest = FlagValues<typeof FLAGS> & { readonly claimNames: readonly string[] };

/**
 * Returns the claims that the arguments name, or all claims if there are no arguments.
 * @throws {UsageError} for an argument that matches no claim
 */
function selectClaims({ claimNames }: Pick<LabRequest, 'claimNames'>): readonly Claim[] {
  const matches = (claimNames.length === 0 ? ['all'] : claimNames).flatMap((term) => {
    const claims = findClaims(term);
    if (claims.length > 0) return claims;
    throw new UsageError(
      `"${term}" is neither a claim nor a paper${suggestion(term, CLAIM_SELECTORS, '')}; \`lab list\` lists all claims`,
    );
  });
  return [...new Set(matches)];
}

function selectExperiments(request: LabRequest): readonly Prepared[] {
  const { seeds, steps } = request;
  return selectClaims(request).flatMap((claim) =>
    claim.experiments.map((experiment) => prepared(claim, experiment, seeds, steps || undefined)),
  );
}

async function list(request: LabRequest, terminal: Terminal): Promise<number> {
  const experiments = selectExperiments(request);
  const rows = selectClaims(request).map((claim) => {
    const claimExperiments = experiments.filter((experiment) => experiment.claim === claim);
    const units = workOf(request.folder, claimExperiments, { shard: request.shard, idle: true });
    const missing = countRuns(units);
    const state = claimExperiments.length === 0 ? 'cannot be run yet' : missing === 0 ? 'done' : `${missing} runs`;
    const seconds = secondsLeft(units, startThere(request.folder, units));
    return [claim.id, state, missing === 0 ? '' : duration(seconds), claim.says];
  });
  terminal.out(`${alignedTable(['claim', 'to run', 'time', 'statement'], rows)}\n`);
  terminal.err('shared runs and warm starts are counted for each claim; `lab plan` estimates the total time\n');
  return EXIT.done;
}

/** Prints the work by round, and its estimated time. */
async function plan(request: LabRequest, terminal: Terminal): Promise<number> {
  const { folder, processes, shard, idle } = request;
  const units = workOf(folder, selectExperiments(request), { shard, idle });
  const there = startThere(folder, units);
  const known = new Set<string>();
  const rows = ROUNDS.flatMap((title, round) => {
    const roundUnits = units.filter((unit) => unit.round === round);
    return [...new Set(roundUnits.map(({ prepared }) => prepared.plan.environment))].map((environment) => {
      const here = roundUnits.filter(({ prepared }) => prepared.plan.environment === environment);
      const seconds = secondsLeft(here, (start) => there(start) || known.has(start));
      const starts = new Set(here.map(startOf).filter((start) => !there(start) && !known.has(start)));
      for (const start of starts) known.add(start);
      const runs = countRuns(here);
      return [title, environment, String(runs), String(starts.size), (seconds / 3600 / processes).toFixed(1)];
    });
  });
  const hours = secondsLeft(units, there) / 3600 / processes;
  const head = [
    'round',
    'environment',
    'runs',
    'warm starts',
    processes > 1 ? `hours, ${processes} processes` : 'hours',
  ];
  terminal.out(`${alignedTable(head, rows)}\n`);
  terminal.out(`${countRuns(units)} runs, about ${hours.toFixed(1)} hours\n`);
  return EXIT.done;
}

async function run(request: LabRequest, terminal: Terminal): Promise<number> {
  const { folder, engine, shard, hours, claimNames, processes, idle, seeds, steps } = request;
  if (claimNames.length === 0)
    throw new UsageError('run: name a claim (t1), a paper (t), or all; `lab plan` prints the hours that all runs take');
  const experiments = selectExperiments(request);
  for (const claim of selectClaims(request)) {
    if (claim.experiments.length === 0) terminal.err(`${claim.id} cannot be run yet: ${claim.missing}\n`);
  }
  createFolder(folder);
  if (processes > 1) {
    if (idle) throw new UsageError('--idle: times are measured by one process; leave out --processes');
    const args = ['lab', 'run', ...claimNames, '--folder', folder, '--engine', engine];
    const seedsFlag = seeds === undefined ? [] : ['--seeds', String(seeds)];
    const limits = [...seedsFlag, '--steps', String(steps), '--hours', String(hours)];
    const ofShare = ({ part, of }: Shard) => [...args, ...limits, '--shard', `${part}/${of}`];
    return runProcesses(sharesOf(processes, shard), ofShare, terminal);
  }
  const options = { folder, engine, idle, shard, ...(hours > 0 ? { hours } : {}) };
  const { left, interrupted } = await runLab(experiments, options, claimNames.join(' '), terminal);
  const where = `finished runs are in ${show(folder)}`;
  terminal.err(
    left === 0 ? `all runs are done; ${where}\n` : `${left} runs are missing; ${where}; the same command continues\n`,
  );
  return interrupted ? EXIT.interrupted : EXIT.done;
}

async function check(request: LabRequest, terminal: Terminal): Promise<number> {
  const { folder, engine, sample, seed } = request;
  const experiments = selectExperiments(request);
  const inFolder = runsIn(folder, experiments);
  const known = inFolder.length > 0 ? inFolder : runsRecorded(REFERENCE_RESULTS, experiments);
  const all = known.filter((entry) => seed === 0 || entry.seed === seed);
  if (all.length === 0) {
    const selection = seed === 0 ? '' : ` of seed ${seed}`;
    throw new UsageError(`there is no run${selection} to repeat, neither in ${folder} nor in docs/reference/lab`);
  }
  const sampled = seed === 0 ? sampleOf(all, sample) : all;
  const repeated = await repeatRuns(sampled, folder, engine, terminal, (entry) =>
    terminal.out(`${repeatedText(entry)}\n`),
  );
  const same = repeated.filter(({ difference, deviceDiffers }) => !difference && !deviceDiffers);
  if (repeated.some(({ difference, deviceDiffers }) => difference && !deviceDiffers)) return EXIT.failed;
  for (const experiment of experiments.filter(
    ({ key }, index) => experiments.findIndex((candidate) => candidate.key === key) === index,
  )) {
    const repeats = same.filter(({ again }) => again.run && again.prepared.key === experiment.key);
    if (repeats.length === 0) continue;
    const starts = await withDevice(terminal, engine, (device) =>
      adoptStarts(experiment, folder, startsOf(device, experiment.plan, terminal, startsFolder(folder))),
    );
    if (starts > 0) terminal.err(`${experiment.key}: ${starts} warm starts of earlier code are accepted\n`);
    const code = codeOf(experiment.plan.environment);
    const reused = await adoptRuns(experiment, folder, repeats[0].device, code, repeats.length, version(), terminal);
    if (reused > 0) terminal.err(`${experiment.key}: ${reused} runs of earlier code are accepted\n`);
  }
  return EXIT.done;
}

function repeatedText({ again: { prepared, arm, seed }, difference, deviceDiffers }: Repeated): string {
  const name = `${prepared.claim.id} ${prepared.experiment.name}, ${arm}, seed ${seed}`;
  if (deviceDiffers)
    return `${name}: ${difference ?? 'the same bits'} (first made on ${deviceDiffers}: other bits are allowed)`;
  return `${name}: ${difference ? `NOT the same: ${difference}` : 'the same bits'}`;
}

/**
 * Checks the path of a folder.
 * @throws {UsageError} if the path is a file
 */
function checkFolder(flag: string, folder: string | undefined): void {
  const stats = folder === undefined ? undefined : statSync(folder, { throwIfNoEntry: false });
  if (stats && !stats.isDirectory()) throw new UsageError(`--${flag}: ${folder} is a file, not a folder`);
}

/**
 * Creates a folder if it does not exist.
 * @throws {UsageError} if the folder cannot be created
 */
function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`--folder: ${folder} cannot be created (${reason(error)})`);
  }
}

async function report(request: LabRequest, terminal: Terminal): Promise<number> {
  const { folder, docs, texts } = request;
  if (texts !== undefined && docs === undefined)
    throw new UsageError('--texts: needs --docs, the folder of the results');
  const requested = selectClaims(request);
  const all = resultsOf(ALL_CLAIMS, folder);
  const pairs = ALL_CLAIMS.map((claim, index) => [claim, all[index]] as const);
  const rows = correctedTogether(pairs)
    .filter(([claim]) => requested.includes(claim))
    .map(([claim, result]) => [claim.id, claim.paper ? stateText(result) : '', formatConclusions(result), claim.says]);
  terminal.out(`${alignedTable(['claim', 'conclusion', 'tests', 'statement'], rows)}\n`);
  if (docs !== undefined) {
    // The other claims remain as they are in the folder of pages. Their runs can be on another machine.
    const merged = pairs.map(([claim, result]) => {
      const before = readResult(docs, claim.id);
      if (!requested.includes(claim)) return [claim, before ?? result] as const;
      const { merged: whole, retainedNames } = mergeEarlierExperiments(result, before);
      for (const name of retainedNames)
        terminal.err(`${claim.id}, ${name}: ${show(docs)} has more runs, so its result does not change\n`);
      return [claim, whole] as const;
    });
    writeResults(docs, resultTexts(merged));
    if (texts !== undefined) {
      for (const file of updateTexts(texts, (id) => readResult(docs, id)))
        terminal.err(`${show(file)}: results updated\n`);
    }
  }
  return EXIT.done;
}
