import type { GradeLine } from '../../lessons/results/grade.ts';
import { printable } from '../../rollouts/quoting.ts';
import { alignedTable } from '../framework/text.ts';

/** Maximum width of a cell of the table [characters]. A CSV file has the complete text. */
const WIDEST = 60;

const COLUMNS = ['lesson', 'attempt', 'question', 'answer', 'expected', 'grade', 'note'] as const;

/** Formats the results of a file with one question per line. */
export function gradeTable(lines: readonly GradeLine[]): string {
  return alignedTable(
    COLUMNS,
    lines.map((line) =>
      cellsOf(line).map((cell, column) => (column < COLUMNS.length - 1 ? cut(printable(cell)) : printable(cell))),
    ),
  );
}

/** First line of the CSV file. */
export const CSV_HEAD = `${['file', 'name', ...COLUMNS].join(',')}\n`;

/** Formats the results of a file as lines of CSV. */
export function gradeCsv(file: string, name: string, lines: readonly GradeLine[]): string {
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
