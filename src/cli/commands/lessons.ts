import { join } from 'node:path';
import { range } from 'd3-array';
import type { EngineDevice } from '../../engine/engine.ts';
import { findingOf } from '../../lessons/expectations.ts';
import { type Expectation, type Lesson, LessonError, type LessonRun, lessonRun } from '../../lessons/lesson.ts';
import { readLessons } from '../../lessons/lessonFiles.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { defineCommand } from '../framework/command.ts';
import { withDevice } from '../framework/device.ts';
import { EXIT, UsageError, unreadable } from '../framework/errors.ts';
import { integerFlag, text } from '../framework/flags.ts';
import { show } from '../framework/policyFiles.ts';
import { alignedTable, Progress, type Terminal } from '../framework/terminal.ts';
import { progressNote, trainedRun } from '../framework/worldRuns.ts';

/** Maximum number of seeds over which an expectation of a lesson is counted. */
const SEEDS = 10;

const LESSONS = join(import.meta.dirname, '../../../lessons');

/**
 * Command that trains the runs of lessons over several seeds, and compares them with the expectations of the lessons.
 */
export const lessonsCommand = defineCommand({
  name: 'lessons',
  summary: 'check that the experiments of the lessons show what the lessons say',
  description:
    'Trains the runs of each lesson with seeds --first to --seeds, as the page does, and compares each run with the expectations of ' +
    'the lesson (`expects` in its lesson.yaml). Fails if fewer seeds meet an expectation than the lesson states. With ten ' +
    'seeds a lesson takes 400 to 1,200 updates.',
  operands: { placeholder: 'LESSON', help: 'Names of lessons; the default is all lessons.', least: 0, maximum: 99 },
  flags: {
    seeds: integerFlag('Last seed of each run.', { min: 1, max: SEEDS, default: SEEDS }),
    first: integerFlag('First seed of each run.', { min: 1, max: SEEDS, default: 1 }),
    folder: text('FOLDER', 'Folder with one folder per lesson; the default is the lessons of this repository.'),
  },
  parameters: [],
  examples: ['--seeds 10', 'tool-dies --seeds 2', 'tool-dies --first 8'],
  async run({ flags: { seeds: last, first, folder }, operands }, terminal) {
    if (first > last) throw new UsageError(`--first: seed ${first} is above the last seed, --seeds ${last}`);
    const seeds = { first, last };
    const lessons = chosen(read(folder ?? LESSONS), operands);
    const results = await withDevice(terminal, 'exact', (device) => trainAll(device, lessons, seeds, terminal));
    terminal.out(lessons.map((lesson) => report(lesson, results, seeds)).join('\n'));
    const hasPassed = lessons.every((lesson) =>
      lesson.expects.every((expectation) => holds(expectation, collectFindings(lesson, expectation, results, seeds))),
    );
    return hasPassed ? EXIT.done : EXIT.failed;
  },
});

function read(folder: string): readonly Lesson[] {
  try {
    return readLessons(folder);
  } catch (error) {
    if (error instanceof LessonError) throw new UsageError(error.message);
    throw unreadable(`--folder: ${show(folder)}`, error);
  }
}

function chosen(lessons: readonly Lesson[], names: readonly string[]): readonly Lesson[] {
  const unknown = names.find((name) => !lessons.some((lesson) => lesson.name === name));
  if (unknown !== undefined) {
    throw new UsageError(`unknown lesson "${unknown}"; known: ${lessons.map(({ name }) => name).join(', ')}`);
  }
  return lessons.filter(({ name }) => names.length === 0 || names.includes(name));
}

/** First and last seed of the runs. */
interface Seeds {
  readonly first: number;
  readonly last: number;
}

/** Metrics of runs, by preset, controls, schedule and seed. Lessons with the same run share it. */
type Results = ReadonlyMap<string, readonly Metrics[]>;

const keyOf = ({ preset, controls, schedule }: LessonRun, seed: number) =>
  JSON.stringify([preset, controls, schedule, seed]);

async function trainAll(
  device: EngineDevice,
  lessons: readonly Lesson[],
  { first, last }: Seeds,
  terminal: Terminal,
): Promise<Results> {
  const requested = new Map<string, { readonly run: LessonRun; readonly seed: number }>();
  for (let seed = first; seed <= last; seed++) {
    const selected = lessons.filter(({ expects }) => expects.some((expectation) => expectation.seeds >= seed));
    for (const run of selected.flatMap((lesson) => lesson.runs)) {
      const known = requested.get(keyOf(run, seed));
      if (!known || known.run.steps < run.steps) requested.set(keyOf(run, seed), { run, seed });
    }
  }
  const progress = new Progress(
    terminal,
    [...requested.values()].reduce((sum, { run }) => sum + run.steps, 0),
  );
  const results = new Map<string, readonly Metrics[]>();
  try {
    for (const [key, { run, seed }] of requested)
      results.set(key, await trainRun(device, run, seed, progress, terminal));
  } finally {
    progress.close();
  }
  return results;
}

function trainRun(
  device: EngineDevice,
  requested: LessonRun,
  seed: number,
  progress: Progress,
  terminal: Terminal,
): Promise<readonly Metrics[]> {
  return trainedRun(device, { ...lessonRun(requested), seed }, requested.steps, terminal, (row) =>
    progress.advance(`${requested.preset}, seed ${seed}, update`, progressNote(row)),
  );
}

/** Returns the findings of each seed for an expectation. */
function collectFindings({ runs }: Lesson, expectation: Expectation, results: Results, { first, last }: Seeds) {
  const run = runs.find(({ name }) => name === expectation.run);
  return range(first, Math.min(last, expectation.seeds) + 1).map((seed) =>
    findingOf(expectation, (run && results.get(keyOf(run, seed))) ?? []),
  );
}

/** Returns true if the number of seeds that differ is at most the number that the lesson allows for all its seeds. */
function holds({ held, seeds }: Expectation, findings: ReturnType<typeof collectFindings>): boolean {
  return findings.filter(({ met }) => !met).length <= seeds - held;
}

function report(lesson: Lesson, results: Results, seeds: Seeds): string {
  const rows = lesson.expects.map((expectation) => {
    const findings = collectFindings(lesson, expectation, results, seeds);
    const values = findings.map(({ value }) => value.toFixed(2));
    const met = findings.filter((finding) => finding.met).length;
    const description = `${expectation.run}, ${expectation.line} ${expectation.is} ${expectation.value} by step ${expectation.by}`;
    return [
      holds(expectation, findings) ? 'yes' : 'NO',
      description,
      `${met} of ${findings.length}`,
      `${expectation.held} of ${expectation.seeds}`,
      values.join(' '),
    ];
  });
  return `${lesson.name}\n${alignedTable(['shown', 'expected', 'seeds', 'required', 'values by seed'], rows)}\n`;
}
