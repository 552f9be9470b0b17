import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Claim } from '../../environments/claim.ts';
import { ALL_CLAIMS, CLAIM_SELECTORS, findClaims } from '../../experiments/claims/claims.ts';
import { correctedTogether } from '../../experiments/claims/corrections.ts';
import { stateText } from '../../experiments/claims/reader.ts';
import { formatConclusions } from '../../experiments/claims/verdictWords.ts';
import { codeOf } from '../framework/code.ts';
import { type Command, defineCommand, suggestion } from '../framework/command.ts';
import { type EngineChoice, REPEATABLE_ENGINE } from '../framework/device.ts';
import { EXIT, reason, UsageError } from '../framework/errors.ts';
import { type Flag, integerFlag, number, text, toggle } from '../framework/flags.ts';
import { show } from '../framework/policyFiles.ts';
import { duration, type Terminal } from '../framework/terminal.ts';
import { alignedTable } from '../framework/text.ts';
import { version } from '../framework/version.ts';
import { adoptRuns, type Repeated, repeatRuns, runsIn, runsRecorded, sampleOf } from '../lab/labCheck.ts';
import type { Shard } from '../lab/labFolder.ts';
import { runProcesses, sharesOf } from '../lab/labProcesses.ts';
import { runLab, startThere } from '../lab/labRun.ts';
import { type Prepared, prepared } from '../lab/prepared.ts';
import { updateTexts } from '../lab/references.ts';
import { readResult, resultTexts, writeResults } from '../lab/resultFiles.ts';
import { mergeEarlierExperiments, resultsOf } from '../lab/results.ts';
import { ROUNDS, secondsLeft, startOf, workOf } from '../lab/work.ts';

/** The results that the repository has. */
const REFERENCE_RESULTS = fileURLToPath(new URL('../../../docs/reference/lab', import.meta.url));

const ACTIONS = ['list', 'plan', 'run', 'check', 'report'] as const;

const SHARD: Flag<Shard | undefined> = {
  kind: 'value',
  placeholder: 'K/N',
  help: 'run: the Kth of N shares of the work, for many machines; copy their folders together afterwards.',
  allowed: 'two whole numbers, the first from 1 to the second, such as 3/8',
  fallback: undefined,
  add(_, given, name) {
    const [, part, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(given) ?? [];
    const shard = { part: Number(part), of: Number(of) };
    if (shard.part >= 1 && shard.part <= shard.of) return shard;
    throw new UsageError(`--${name}: "${given}" is not ${this.allowed}`);
  },
};

/** Puts the claims of the papers to the test, run by run. */
export const labCommand: Command = defineCommand({
  name: 'lab',
  summary: 'put the claims of the papers to the test, run by run',
  description:
    'list: the claims, and the missing runs of each. plan: the missing runs in the order of the work, and the hours that they ' +
    'take. run: does the missing runs and writes each one to a file; the same line goes on where it was stopped. check: makes a ' +
    'sample of runs again, which must give the same bits. report: verdicts, and with --docs a page a claim.',
  operands: {
    placeholder: 'WHAT',
    help: 'list, plan, run, check or report; then claims (t1), papers (t, m, v, r), own, or all. run needs one of them.',
    least: 1,
    most: 100,
  },
  flags: {
    folder: text('FOLDER', 'Where the runs are kept, with the warm starts that were made for them.', 'lab'),
    engine: REPEATABLE_ENGINE,
    seeds: {
      ...(integerFlag('Seeds an arm instead of those of the claim.', { min: 1, max: 100, default: 1 }) as Flag<
        number | undefined
      >),
      fallback: undefined,
    },
    steps: integerFlag(
      'Updates a run, for trying things out: such runs are kept apart, and decide nothing. 0 for those of the claim.',
      {
        min: 0,
        max: 100_000,
        default: 0,
      },
    ),
    hours: number({
      ...{ kind: 'number', name: 'hours', label: '', default: 0, min: 0, max: 10_000, step: 0.1 },
      help: 'run: begin no run that would not be done after so many hours; 0 for no limit.',
    }),
    shard: SHARD,
    processes: integerFlag('run, plan: processes that work at the same time, at the lowest priority.', {
      ...{ min: 1, max: 64, default: 1 },
    }),
    idle: toggle('run, plan: also the tests of times. Only with an idle machine.'),
    sample: integerFlag('check: how many runs of each file to make again.', { min: 1, max: 100, default: 1 }),
    seed: integerFlag('check: the runs of this seed; 0 for a sample of all.', { min: 0, max: 100, default: 0 }),
    docs: text(
      'FOLDER',
      'report: write a page, a figure and the data of every claim here. Claims that are not asked for stay as they are.',
    ),
    texts: text(
      'FOLDER',
      'report: fill the references to results in all Markdown files of this folder, from those of --docs.',
    ),
  },
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
    const request: LabRequest = { ...flags, words: rest };
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

interface LabRequest {
  readonly words: readonly string[];
  readonly folder: string;
  readonly engine: EngineChoice;
  readonly seeds: number | undefined;
  readonly steps: number;
  readonly hours: number;
  readonly shard: Shard | undefined;
  readonly processes: number;
  readonly idle: boolean;
  readonly sample: number;
  readonly seed: number;
  readonly docs: string | undefined;
  readonly texts: string | undefined;
}

/**
 * The claims that the arguments name; all claims if the arguments name none.
 * @throws {UsageError} for an argument that matches no claim
 */
function selectClaims({ words }: Pick<LabRequest, 'words'>): readonly Claim[] {
  const matches = (words.length === 0 ? ['all'] : words).flatMap((term) => {
    const claims = findClaims(term);
    if (claims.length > 0) return claims;
    throw new UsageError(
      `"${term}" is no claim and no paper${suggestion(term, CLAIM_SELECTORS, '')}; \`lab list\` has them all`,
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
    const missing = units.reduce((sum, { arms }) => sum + arms.length, 0);
    const state = claimExperiments.length === 0 ? 'cannot be run yet' : missing === 0 ? 'done' : `${missing} runs`;
    const seconds = secondsLeft(units, startThere(request.folder, units));
    return [claim.id, state, missing === 0 ? '' : duration(seconds), claim.says];
  });
  terminal.out(`${alignedTable(['claim', 'to run', 'time', 'in our words'], rows)}\n`);
  terminal.err(
    'runs and warm starts that claims share count for each of them; `lab plan` has the time of all together\n',
  );
  return EXIT.done;
}

/** The work round by round, and the time that it takes. */
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
      const runs = here.reduce((sum, { arms }) => sum + arms.length, 0);
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
  terminal.out(`${units.reduce((sum, { arms }) => sum + arms.length, 0)} runs, about ${hours.toFixed(1)} hours\n`);
  return EXIT.done;
}

async function run(request: LabRequest, terminal: Terminal): Promise<number> {
  const { folder, engine, shard, hours, words, processes, idle, seeds, steps } = request;
  if (words.length === 0)
    throw new UsageError('run: name a claim (t1), a paper (t), or all; `lab plan` prints the hours that all runs take');
  const experiments = selectExperiments(request);
  for (const claim of selectClaims(request)) {
    if (claim.experiments.length === 0) terminal.err(`${claim.id} cannot be run yet: ${claim.missing}\n`);
  }
  createFolder(folder);
  if (processes > 1) {
    if (idle) throw new UsageError('--idle: times are measured by one process; leave out --processes');
    const args = ['lab', 'run', ...words, '--folder', folder, '--engine', engine];
    const seedsFlag = seeds === undefined ? [] : ['--seeds', String(seeds)];
    const limits = [...seedsFlag, '--steps', String(steps), '--hours', String(hours)];
    const ofShare = ({ part, of }: Shard) => [...args, ...limits, '--shard', `${part}/${of}`];
    return runProcesses(sharesOf(processes, shard), ofShare, terminal);
  }
  const options = { folder, engine, idle, shard, ...(hours > 0 ? { hours } : {}) };
  const { left, interrupted } = await runLab(experiments, options, words.join(' '), terminal);
  const where = `finished runs are in ${show(folder)}`;
  terminal.err(
    left === 0 ? `all runs are there; ${where}\n` : `${left} runs to go; ${where}, and the same line goes on\n`,
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
    throw new UsageError(`there is no run${selection} to make again, neither in ${folder} nor in docs/reference/lab`);
  }
  const sampled = seed === 0 ? sampleOf(all, sample) : all;
  const repeated = await repeatRuns(sampled, folder, engine, terminal, (entry) =>
    terminal.out(`${repeatedText(entry)}\n`),
  );
  const same = repeated.filter(({ difference, otherDevice }) => !difference && !otherDevice);
  if (repeated.some(({ difference, otherDevice }) => difference && !otherDevice)) return EXIT.failed;
  for (const experiment of experiments.filter(
    ({ key }, index) => experiments.findIndex((candidate) => candidate.key === key) === index,
  )) {
    const repeats = same.filter(({ again }) => again.run && again.prepared.key === experiment.key);
    if (repeats.length === 0) continue;
    const code = codeOf(experiment.plan.environment);
    const reused = await adoptRuns(experiment, folder, repeats[0].device, code, repeats.length, version(), terminal);
    if (reused > 0) terminal.err(`${experiment.key}: ${reused} runs of earlier code are taken over\n`);
  }
  return EXIT.done;
}

function repeatedText({ again: { prepared, arm, seed }, difference, otherDevice }: Repeated): string {
  const name = `${prepared.claim.id} ${prepared.experiment.name}, ${arm}, seed ${seed}`;
  if (otherDevice)
    return `${name}: ${difference ?? 'the same bits'} (first made on ${otherDevice}: no bits are promised)`;
  return `${name}: ${difference ? `NOT the same: ${difference}` : 'the same bits'}`;
}

/** @throws {UsageError} if the path of a folder is a file */
function checkFolder(flag: string, folder: string | undefined): void {
  const stats = folder === undefined ? undefined : statSync(folder, { throwIfNoEntry: false });
  if (stats && !stats.isDirectory()) throw new UsageError(`--${flag}: ${folder} is a file, not a folder`);
}

/** @throws {UsageError} where the folder cannot be made */
function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`--folder: ${folder} cannot be made (${reason(error)})`);
  }
}

async function report(request: LabRequest, terminal: Terminal): Promise<number> {
  const { folder, docs, texts } = request;
  if (texts !== undefined && docs === undefined)
    throw new UsageError('--texts: name the folder of the results, --docs');
  const requested = selectClaims(request);
  const all = resultsOf(ALL_CLAIMS, folder);
  const pairs = ALL_CLAIMS.map((claim, index) => [claim, all[index]] as const);
  const rows = correctedTogether(pairs)
    .filter(([claim]) => requested.includes(claim))
    .map(([claim, result]) => [claim.id, claim.paper ? stateText(result) : '', formatConclusions(result), claim.says]);
  terminal.out(`${alignedTable(['claim', 'verdict', 'tests', 'in our words'], rows)}\n`);
  if (docs !== undefined) {
    // Other claims stay as the folder of pages has them: their runs may be on another machine.
    const merged = pairs.map(([claim, result]) => {
      const before = readResult(docs, claim.id);
      if (!requested.includes(claim)) return [claim, before ?? result] as const;
      const { whole, stayed } = mergeEarlierExperiments(result, before);
      for (const name of stayed)
        terminal.err(`${claim.id}, ${name}: ${show(docs)} has more of it, so it stays as it is\n`);
      return [claim, whole] as const;
    });
    writeResults(docs, resultTexts(merged));
    if (texts !== undefined) {
      for (const file of updateTexts(texts, (id) => readResult(docs, id)))
        terminal.err(`${show(file)}: results filled in\n`);
    }
  }
  return EXIT.done;
}
