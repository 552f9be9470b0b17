import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Claim, FURTHER_SEEDS } from '../../environments/claim.ts';
import { ALL_CLAIMS, CLAIM_WORDS, claimsOfWord } from '../../experiments/claims/claims.ts';
import { plainVerdict, verdictsOf } from '../../experiments/claims/verdictWords.ts';
import { type ComparisonFile, comparisonJson, readComparison } from '../compare/comparisonFile.ts';
import { codeOf } from '../framework/code.ts';
import { type Command, defineCommand, suggestion } from '../framework/command.ts';
import { type EngineChoice, REPEATABLE_ENGINE } from '../framework/device.ts';
import { EXIT, reason, UsageError } from '../framework/errors.ts';
import { type Flag, number, text, whole } from '../framework/flags.ts';
import { show } from '../framework/policyFiles.ts';
import { duration, type Terminal } from '../framework/terminal.ts';
import { alignedTable } from '../framework/text.ts';
import { version } from '../framework/version.ts';
import { type Again, type Repeated, runAgain, runsIn, sampleOf, takeOver } from '../lab/labCheck.ts';
import { joined, labFile, labFiles, type Shard } from '../lab/labFolder.ts';
import { runLab } from '../lab/labRun.ts';
import { type Prepared, prepared } from '../lab/prepared.ts';
import { readResult, resultTexts, writeResults } from '../lab/resultFiles.ts';
import { drawnCurves, furtherSeeds, resultsOf, staysOpen, withFullerOnes } from '../lab/results.ts';
import { workOf } from '../lab/work.ts';
import { withOutputs } from '../output/outputs.ts';

/** The results that the repository has. */
const OWN_RESULTS = fileURLToPath(new URL('../../../docs/lab', import.meta.url));

const ACTIONS = ['list', 'run', 'check', 'merge', 'report'] as const;

const SHARD: Flag<Shard | undefined> = {
  kind: 'value',
  placeholder: 'K/N',
  help: 'Take every Nth seed, the Kth share of them; each share has files of its own, and `lab merge` puts them together.',
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
    'list: the claims, and what of each is still to be run. run: does the runs that are missing and writes each when it is ' +
    'finished; the same line goes on where it was stopped. check: makes a sample of runs again, which must give the same ' +
    'bits. merge: puts the files of shares, or files of `compare`, together. report: verdicts, and with --docs a page a claim.',
  operands: {
    placeholder: 'WHAT',
    help:
      'list, run, check, merge or report; then a claim (t1), a paper (t, m, v, r), own, or all. merge takes files instead; ' +
      'without any it puts the shares of the folder together.',
    least: 1,
    most: 100,
  },
  flags: {
    folder: text('FOLDER', 'Where the runs are kept, with the warm starts that were made for them.', 'lab'),
    engine: REPEATABLE_ENGINE,
    seeds: whole('Seeds an arm instead of those of the claim; 0 for those of the claim.', {
      min: 0,
      max: 100,
      default: 0,
    }),
    steps: whole(
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
    sample: whole('check: how many runs of each file to make again.', { min: 1, max: 100, default: 1 }),
    seed: whole('check: the runs of this seed; 0 for a sample of all.', { min: 0, max: 100, default: 0 }),
    docs: text(
      'FOLDER',
      'report: write a page, a figure and the data of every claim here. Claims that are not asked for stay as they are.',
    ),
  },
  parameters: [],
  examples: [
    'list',
    'run t1',
    'run all --hours 8',
    'run m --shard 3/8',
    'check t1 --seed 1',
    'report v5 --docs docs/lab',
  ],
  async run({ flags, operands }, terminal) {
    const [action, ...rest] = operands;
    const asked: Asked = { ...flags, words: rest };
    switch (action) {
      case 'list':
        return list(asked, terminal);
      case 'run':
        return run(asked, terminal);
      case 'check':
        return check(asked, terminal);
      case 'merge':
        return merge(asked, terminal);
      case 'report':
        return report(asked, terminal);
      default:
        throw new UsageError(`WHAT: "${action}" is not one of ${ACTIONS.join(', ')}${suggestion(action, ACTIONS, '')}`);
    }
  },
});

interface Asked {
  readonly words: readonly string[];
  readonly folder: string;
  readonly engine: EngineChoice;
  readonly seeds: number;
  readonly steps: number;
  readonly hours: number;
  readonly shard: Shard | undefined;
  readonly sample: number;
  readonly seed: number;
  readonly docs: string | undefined;
}

/** The claims that were asked for; all where none is named. @throws {UsageError} for a word that means none */
function claimsAsked({ words }: Pick<Asked, 'words'>): readonly Claim[] {
  const found = (words.length === 0 ? ['all'] : words).flatMap((word) => {
    const own = claimsOfWord(word);
    if (own.length > 0) return own;
    throw new UsageError(
      `"${word}" is no claim and no paper${suggestion(word, CLAIM_WORDS, '')}; \`lab list\` has them all`,
    );
  });
  return [...new Set(found)];
}

function experimentsAsked(asked: Asked): readonly Prepared[] {
  const { seeds, steps } = asked;
  return claimsAsked(asked).flatMap((claim) =>
    claim.experiments.map((one) => prepared(claim, one, seeds || undefined, steps || undefined)),
  );
}

async function list(asked: Asked, terminal: Terminal): Promise<number> {
  const { folder, shard } = asked;
  const experiments = experimentsAsked(asked);
  const rows = claimsAsked(asked).map((claim) => {
    const own = workOf(
      folder,
      experiments.filter((one) => one.claim === claim),
      shard,
    );
    const missing = own.reduce((sum, one) => sum + one.missing.length, 0);
    const seconds = own.reduce((sum, one) => sum + one.updates * one.seconds, 0);
    const further = goingOn(
      asked,
      own.map(({ prepared }) => prepared),
    );
    const done = further.length > 0 ? `undecided, goes on to ${FURTHER_SEEDS}` : 'done';
    const state = own.length === 0 ? 'cannot be run yet' : missing === 0 ? done : `${missing} runs`;
    return [claim.id, claim.rank, state, seconds === 0 ? '' : duration(seconds), claim.says];
  });
  const work = workOf(folder, experiments, shard);
  const all = work.reduce((sum, one) => sum + one.updates * one.seconds, 0);
  terminal.out(`${alignedTable(['claim', 'rank', 'to run', 'time', 'in our words'], rows)}\n`);
  terminal.err(`runs that claims share are counted once; in all ${duration(all)}\n`);
  return EXIT.done;
}

async function run(asked: Asked, terminal: Terminal): Promise<number> {
  const experiments = experimentsAsked(asked);
  const { folder, engine, shard, hours, words } = asked;
  for (const claim of claimsAsked(asked)) {
    if (claim.experiments.length === 0) terminal.err(`${claim.id} cannot be run yet: ${claim.missing}\n`);
  }
  makeFolder(folder);
  const limits = { ...(shard ? { shard } : {}), ...(hours > 0 ? { hours } : {}) };
  const word = words.join(' ') || 'all';
  const began = performance.now();
  let { left, interrupted } = await runLab(experiments, { folder, engine, ...limits }, word, terminal);
  const open = left === 0 && !interrupted ? goingOn(asked, experiments) : [];
  if (open.length > 0) {
    const names = open.map(({ claim, experiment }) => `${claim.id} ${experiment.name}`).join(', ');
    terminal.err(`undecided by the seeds that they ask for, so they go on to ${FURTHER_SEEDS}: ${names}\n`);
    const spent = (performance.now() - began) / 3_600_000;
    // No time left is not the same as no limit.
    const rest = hours > 0 ? { hours: Math.max(1e-9, hours - spent) } : {};
    ({ left, interrupted } = await runLab(open, { folder, engine, ...limits, ...rest }, word, terminal));
  }
  const where = `what is finished is in ${show(folder)}`;
  terminal.err(
    left === 0 ? `all runs are there; ${where}\n` : `${left} runs to go; ${where}, and the same line goes on\n`,
  );
  return interrupted ? EXIT.interrupted : EXIT.done;
}

/** Experiments that their seeds leave undecided, with more of them; none where seeds or updates were chosen by hand. */
function goingOn({ seeds, steps, folder }: Asked, experiments: readonly Prepared[]): readonly Prepared[] {
  if (seeds > 0 || steps > 0) return [];
  return experiments
    .filter((one) => staysOpen(one, folder))
    .flatMap(furtherSeeds)
    .filter(({ experiment }, index, all) => all.findIndex((other) => other.experiment === experiment) === index);
}

async function check(asked: Asked, terminal: Terminal): Promise<number> {
  const { folder, engine, sample, seed } = asked;
  const experiments = experimentsAsked(asked);
  const inFolder = runsIn(folder, experiments);
  const known = inFolder.length > 0 ? inFolder : recorded(experiments);
  const all = known.filter((one) => seed === 0 || one.seed === seed);
  if (all.length === 0) {
    const which = seed === 0 ? '' : ` of seed ${seed}`;
    throw new UsageError(`there is no run${which} to make again, neither in ${folder} nor in docs/lab`);
  }
  const sampled = seed === 0 ? sampleOf(all, sample) : all;
  const repeated = await runAgain(sampled, folder, engine, terminal, (one) => terminal.out(`${repeatedText(one)}\n`));
  const same = repeated.filter(({ difference, otherDevice }) => !difference && !otherDevice);
  if (repeated.some(({ difference, otherDevice }) => difference && !otherDevice)) return EXIT.failed;
  for (const one of experiments.filter(
    ({ key }, index) => experiments.findIndex((other) => other.key === key) === index,
  )) {
    const own = same.filter(({ again }) => again.run && again.prepared.key === one.key);
    if (own.length === 0) continue;
    const code = codeOf(one.plan.environment);
    const taken = await takeOver(one, folder, own[0].device, code, own.length, version(), terminal);
    if (taken > 0) terminal.err(`${one.key}: ${taken} runs of earlier code are taken over\n`);
  }
  return EXIT.done;
}

function repeatedText({ again: { prepared, arm, seed }, difference, otherDevice }: Repeated): string {
  const name = `${prepared.claim.id} ${prepared.experiment.name}, ${arm}, seed ${seed}`;
  if (otherDevice)
    return `${name}: ${difference ?? 'the same bits'} (first made on ${otherDevice}: no bits are promised)`;
  return `${name}: ${difference ? `NOT the same: ${difference}` : 'the same bits'}`;
}

/** The runs that the repository's results tell of. */
function recorded(experiments: readonly Prepared[]): Again[] {
  return experiments.flatMap((one) => {
    const result = readResult(OWN_RESULTS, one.claim.id);
    const own = result?.experiments.find(({ name }) => name === one.experiment.name);
    const curves = drawnCurves(one);
    return (own?.runs ?? []).map((record) => ({
      ...{ prepared: one, arm: record.arm, seed: record.seed },
      record: { ...record, curves },
    }));
  });
}

/** @throws {UsageError} where the folder cannot be made */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`--folder: ${folder} cannot be made (${reason(error)})`);
  }
}

/** Puts files together: those that are named, each into the plan that it belongs to, or the shares of the folder. */
async function merge(asked: Asked, terminal: Terminal): Promise<number> {
  const { words, folder } = asked;
  const missing = words.find((file) => !existsSync(file));
  if (missing !== undefined) throw new UsageError(`there is no file ${missing}`);
  const every = ALL_CLAIMS.flatMap((claim) => claim.experiments.map((one) => prepared(claim, one)));
  const plans = [...new Map(every.map((one) => [one.key, one])).values()];
  const owners = words.map((file) => ({ file, key: ownerOf(file, plans) }));
  makeFolder(folder);
  for (const { key, plan } of plans) {
    const given = owners.filter((one) => one.key === key).map(({ file }) => file);
    const shares = labFiles(folder, key).filter((file) => file !== labFile(folder, key));
    if (given.length + shares.length === 0) continue;
    const whole = labFile(folder, key);
    await withOutputs(terminal, { folder: whole }, { readAgain: ['folder'] }, async ({ folder: json }) => {
      const read = (file: string) => ({ file, found: withOrigin(readComparison(file, plan)) });
      const all = joined(plan, [whole, ...shares, ...given].map(read));
      await json.write(comparisonJson(all));
      terminal.err(`${show(whole)} has ${all.runs.length} runs\n`);
    });
    // They are all in the whole one now.
    for (const share of shares) rmSync(share);
  }
  return EXIT.done;
}

/** A file says once on which device its runs were made; each says so itself where files are put together. */
function withOrigin(file: ComparisonFile): ComparisonFile {
  const { device, runs } = file;
  return { ...file, runs: runs.map((run) => (run.made ? run : { ...run, made: { version: '', device, code: {} } })) };
}

/** The plan that a file is of. @throws {UsageError} where it is of none, saying why for the nearest */
function ownerOf(file: string, plans: readonly Prepared[]): string {
  const reasons: string[] = [];
  for (const { key, plan } of plans) {
    try {
      readComparison(file, plan);
      return key;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      reasons.push(
        `${key}: ${error.message.replace(/^--json: /, '').replace(/; name another file with --json FILE$/, '')}`,
      );
    }
  }
  throw new UsageError(`${file} has the runs of no claim:\n${reasons.join('\n')}`);
}

async function report(asked: Asked, terminal: Terminal): Promise<number> {
  const { folder, docs } = asked;
  const wanted = claimsAsked(asked);
  const all = resultsOf(ALL_CLAIMS, folder);
  const pairs = ALL_CLAIMS.map((claim, index) => [claim, all[index]] as const);
  const rows = pairs
    .filter(([claim]) => wanted.includes(claim))
    .map(([claim, result]) => [claim.id, verdictsOf(result, plainVerdict), claim.says]);
  terminal.out(`${alignedTable(['claim', 'verdict', 'in our words'], rows)}\n`);
  if (docs !== undefined) {
    // Other claims stay as the folder of pages has them: their runs may be on another machine.
    const kept = pairs.map(([claim, result]) => {
      const before = readResult(docs, claim.id);
      if (!wanted.includes(claim)) return [claim, before ?? result] as const;
      const { whole, stayed } = withFullerOnes(result, before);
      for (const name of stayed)
        terminal.err(`${claim.id}, ${name}: ${show(docs)} has more runs, so it stays as it is\n`);
      return [claim, whole] as const;
    });
    writeResults(docs, resultTexts(kept));
  }
  return EXIT.done;
}
