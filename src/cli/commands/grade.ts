import { join } from 'node:path';
import { LessonError } from '../../lessons/lesson.ts';
import { readAssessmentFiles, readLessons } from '../../lessons/lessonFiles.ts';
import type { CourseResult } from '../../lessons/results/courseResult.ts';
import { type Course, type GradeLine, gradeResult } from '../../lessons/results/grade.ts';
import { ResultError, readResultFile } from '../../lessons/results/resultFile.ts';
import { printable } from '../../rollouts/quoting.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, UsageError, unreadable } from '../framework/errors.ts';
import { text, toggle } from '../framework/flags.ts';
import { textOf } from '../framework/inputs.ts';
import { show } from '../framework/policyFiles.ts';
import { alignedTable } from '../framework/terminal.ts';

const LESSONS = join(import.meta.dirname, '../../../lessons');

/** Command that checks the answers of result files, with one line per file and question. */
export const gradeCommand = defineCommand({
  name: 'grade',
  summary: 'check the result files of the lessons',
  description:
    'Reads result files of the lessons, compares the settings of each run with the lesson, and computes the right answers. ' +
    'It does not train. Exit code 1: a run does not match its lesson, or a file cannot be read. Exit code 2: no file can be read.',
  operands: { placeholder: 'FILE', help: 'Result files, as the page saves them.', least: 1, maximum: 10_000 },
  flags: {
    csv: toggle('Write CSV for a spreadsheet to standard output, instead of a table for each file.'),
    folder: text('FOLDER', 'Folder with one folder per lesson; the default is the lessons of this repository.'),
  },
  parameters: [],
  examples: ['ada.json bob.json', 'handed-in/*.json --csv'],
  async run({ flags: { csv, folder }, operands }, terminal) {
    const course = read(folder ?? LESSONS);
    const files = operands.map(readSubmission);
    if (files.every(({ problem }) => problem !== undefined)) {
      throw new UsageError(files.map(({ file, problem }) => `${file}: ${problem}`).join('\n'));
    }
    if (csv) terminal.out(CSV_HEAD);
    let faults = 0;
    for (const { file, result, problem } of files) {
      if (problem !== undefined) terminal.err(`turnwise: ${printable(`${file}: ${problem}`)}\n`);
      const lines = result ? gradeResult(course, result) : [unreadableLine(problem)];
      if (lines.some(({ grade }) => grade === 'differs' || grade === 'unreadable')) faults++;
      const name = result?.name ?? '';
      terminal.out(csv ? gradeCsv(file, name, lines) : `${headOf(file, name)}\n${gradeTable(lines)}\n\n`);
    }
    return faults === 0 ? EXIT.done : EXIT.failed;
  },
});

function read(folder: string): Course {
  try {
    return { lessons: readLessons(folder), assessment: readAssessmentFiles(folder) };
  } catch (error) {
    if (error instanceof LessonError) throw new UsageError(error.message);
    throw unreadable(`--folder: ${show(folder)}`, error);
  }
}

function unreadableLine(problem: string): GradeLine {
  return {
    ...{ lesson: '', attempt: 0, question: '', answer: '', expected: '' },
    ...{ grade: 'unreadable', note: problem },
  };
}

function headOf(file: string, name: string): string {
  return printable(name === '' ? file : `${file}: ${name}`);
}

/** Content of a result file, or the reason why it cannot be read. */
type Submission =
  | { readonly file: string; readonly result: CourseResult; readonly problem?: undefined }
  | { readonly file: string; readonly problem: string; readonly result?: undefined };

/** Reads a file. An unreadable file returns the problem instead of an error, so that the other files are graded. */
function readSubmission(file: string): Submission {
  const name = show(file);
  try {
    return { file: name, result: readResultFile(textOf(file, name)) };
  } catch (error) {
    if (error instanceof ResultError) return { file: name, problem: error.message };
    if (error instanceof UsageError) return { file: name, problem: error.message.replace(`${name} `, 'it ') };
    throw error;
  }
}

/** Maximum width of a cell of the table [characters]. A CSV file has the complete text. */
const WIDEST = 60;

const COLUMNS = ['lesson', 'attempt', 'question', 'answer', 'expected', 'grade', 'note'] as const;

/** Formats the results of a file with one question per line. */
function gradeTable(lines: readonly GradeLine[]): string {
  return alignedTable(
    COLUMNS,
    lines.map((line) =>
      cellsOf(line).map((cell, column) => (column < COLUMNS.length - 1 ? cut(printable(cell)) : printable(cell))),
    ),
  );
}

/** First line of the CSV file. */
const CSV_HEAD = `${['file', 'name', ...COLUMNS].join(',')}\n`;

/** Formats the results of a file as lines of CSV. */
function gradeCsv(file: string, name: string, lines: readonly GradeLine[]): string {
  return lines.map((line) => `${[file, name, ...cellsOf(line)].map(csvCell).join(',')}\n`).join('');
}

function cellsOf({ lesson, attempt, question, answer, expected, grade, note }: GradeLine): readonly string[] {
  return [lesson, attempt === 0 ? '' : String(attempt), question, answer, expected, grade, note];
}

/**
 * Formats a cell of a CSV file. A text that a spreadsheet reads as a formula is quoted, because students can write it.
 */
export function csvCell(text: string): string {
  const number = /^[-+]?[\d.,]+$/.test(text);
  const safe = !number && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function cut(text: string): string {
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
}
