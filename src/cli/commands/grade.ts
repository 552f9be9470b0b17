import { join } from 'node:path';
import { ownName } from '../../credit/rules/own/ownSource.ts';
import { loadTask, TASK_NAMES } from '../../experiments/challenge/challengeTask.ts';
import { judgeRule, taskResult, workOut } from '../../experiments/challenge/judgeRule.ts';
import { readAssessmentFiles } from '../../lessons/course/courseFiles.ts';
import { LessonError } from '../../lessons/lesson.ts';
import { readLessons } from '../../lessons/lessonFiles.ts';
import type { ChallengeResult, TaskResult } from '../../lessons/results/challengeFile.ts';
import { TOLERANCE } from '../../lessons/results/compareRuns.ts';
import type { GradeLine, Rerun } from '../../lessons/results/grade.ts';
import { type ChallengeAgain, gradeChallenge } from '../../lessons/results/gradeChallenge.ts';
import { type Course, gradeResult } from '../../lessons/results/gradeResult.ts';
import { RACE } from '../../lessons/results/race.ts';
import { Reruns, runsToTrain } from '../../lessons/results/reruns.ts';
import { printable } from '../../rollouts/quoting.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { defineCommand } from '../framework/command.ts';
import { withDevice } from '../framework/device.ts';
import { EXIT, UsageError } from '../framework/errors.ts';
import { text, toggle } from '../framework/flags.ts';
import { withOwnRules } from '../framework/ownRuleFiles.ts';
import { Progress, type Terminal } from '../framework/terminal.ts';
import { trainedRun } from '../framework/trainedRun.ts';
import { CSV_HEAD, gradeCsv, gradeTable } from '../grade/gradeText.ts';
import { type HandedIn, handedIn } from '../grade/handedIn.ts';
import { progressNote } from './train.ts';

const LESSONS = join(import.meta.dirname, '../../../lessons');

/** Trains the runs of result files again and checks what stands in them, one line a file and question. */
export const gradeCommand = defineCommand({
  name: 'grade',
  summary: 'check the result files of the lessons and of the challenge',
  description:
    'Reads result files of the lessons, trains each run again with its seed, and says whether the same curve comes: bit for bit if ' +
    `the file is from the exact engine, else within ${TOLERANCE}, the mean of |difference| over the updates. Works out each answer ` +
    'anew. A run that several files have is trained once. ' +
    'A result of the challenge is checked in the same way: its rule is worked out again, in a sandbox, and its race is run again. ' +
    'Ends with 1 where a run differs or a file cannot be read, and with 2 where none can.',
  operands: { placeholder: 'FILE', help: 'Result files, as the page saves them.', least: 1, most: 10_000 },
  flags: {
    csv: toggle('Writes a CSV file for a spreadsheet to standard output, in place of a table for each file.'),
    untrained: toggle('Trains nothing: runs that were trained stay unchecked.'),
    folder: text('FOLDER', 'Where the lessons are, a folder each; without it, those of this repository.'),
  },
  parameters: [],
  examples: ['ada.json bob.json', 'handed-in/*.json --csv', 'ada.json --untrained'],
  async run({ flags: { csv, untrained, folder }, operands }, terminal) {
    const course = read(folder ?? LESSONS);
    const { lessons } = course;
    const files = operands.map(handedIn);
    if (files.every(({ problem }) => problem !== undefined)) {
      throw new UsageError(files.map(({ file, problem }) => `${file}: ${problem}`).join('\n'));
    }
    const wanted = runsToTrain(
      lessons,
      files.flatMap(({ result }) => result ?? []),
      files.flatMap(({ challenge }) => challenge ?? []),
    );
    const work = (rerun: Rerun, reruns?: Reruns) =>
      gradeAll(
        files,
        (one) =>
          one.challenge
            ? gradeChallenge(one.challenge, challengeAgain(one.challenge, reruns))
            : gradeResult(course, one.result, rerun),
        csv,
        terminal,
      );
    if (untrained || wanted.size === 0) return work(async () => undefined);
    return withDevice(terminal, 'exact', async (device) => {
      const updates = [...wanted.values()].reduce((sum, { steps }) => sum + steps, 0);
      const progress = new Progress(terminal, updates);
      const reruns = new Reruns(async ({ name }, { configuration, steps }) => {
        const label = `${name}, seed ${configuration.seed}, update`;
        const told = (row: Metrics) => progress.advance(label, progressNote(row));
        return { metrics: await trainedRun(device, configuration, steps, terminal, told), device: device.name };
      });
      try {
        return await work((lesson, run) => reruns.again(lesson, run), reruns);
      } finally {
        progress.close();
      }
    });
  },
});

function read(folder: string): Course {
  try {
    return { lessons: readLessons(folder, 'en'), assessment: readAssessmentFiles(folder) };
  } catch (error) {
    if (error instanceof LessonError) throw new UsageError(error.message);
    throw error;
  }
}

/** @returns the exit code */
async function gradeAll(
  files: readonly HandedIn[],
  grade: (file: Exclude<HandedIn, { readonly problem: string }>) => Promise<readonly GradeLine[]>,
  csv: boolean,
  terminal: Terminal,
): Promise<number> {
  if (csv) terminal.out(CSV_HEAD);
  let faults = 0;
  for (const one of files) {
    const { file, problem } = one;
    if (problem !== undefined) terminal.err(`turnwise: ${printable(`${file}: ${problem}`)}\n`);
    const lines = one.problem === undefined ? await grade(one) : [unreadable(one.problem)];
    if (lines.some(({ verdict }) => verdict === 'differs' || verdict === 'unreadable')) faults++;
    const name = (one.result ?? one.challenge)?.name ?? '';
    terminal.out(csv ? gradeCsv(file, name, lines) : `${headOf(file, name)}\n${gradeTable(lines)}\n\n`);
  }
  return faults === 0 ? EXIT.done : EXIT.failed;
}

/** What the rule of a file gives here: it runs in a sandbox of its own, as in the page. */
function challengeAgain({ rule }: ChallengeResult, reruns: Reruns | undefined): ChallengeAgain {
  const name = ownName(rule);
  return {
    tasks: () =>
      withOwnRules(async (rules) => {
        const found: TaskResult[] = [];
        for (const task of await Promise.all(TASK_NAMES.map(loadTask))) {
          await workOut(task, name, (own, groups) => rules.work(own, groups, 'turn'));
          found.push(taskResult(task.name, judgeRule(task, name)));
        }
        return found;
      }),
    run: async (run) => reruns?.again({ name: 'challenge', lines: RACE.lines }, run),
  };
}

function unreadable(problem: string): GradeLine {
  return {
    ...{ lesson: '', attempt: 0, question: '', answer: '', expected: '' },
    ...{ verdict: 'unreadable', note: problem },
  };
}

function headOf(file: string, name: string): string {
  return printable(name === '' ? file : `${file}: ${name}`);
}
