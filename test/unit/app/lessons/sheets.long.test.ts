import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ChoiceQuestion, NumberQuestion, SheetQuestion } from '../../../../src/app/lessons/sheets/sheet.ts';
import { readLessons } from '../../../../src/lessons/lessonFiles.ts';
import { root } from '../../../files.ts';
import { trainedSheet } from './trainedSheet.ts';

const numbers = (questions: readonly SheetQuestion[]) =>
  questions.map((question) => (question as NumberQuestion).answer);

test('the sheet of a lesson is created from groups of its run, with right and wrong options', async () => {
  const sheets = readLessons(join(root, 'lessons'), 'en').flatMap(({ name, runs, sheets }) =>
    sheets.map((sheet) => ({ name, sheet, run: runs.find((run) => run.name === sheet.run) ?? runs[0] })),
  );
  expect(sheets.length).toBeGreaterThanOrEqual(6);
  for (const { name, sheet, run } of sheets) {
    const { questions, rows } = await trainedSheet(run.preset, sheet, run.controls);
    expect(rows.length, name).toBeGreaterThan(2);
    for (const question of questions) {
      expect(question.derivation.join(' '), name).not.toMatch(/NaN|undefined/);
      if (question.kind === 'number') expect(question.answer, name).not.toBeNaN();
      if (question.kind === 'pick') expect(new Set(question.options.map(({ right }) => right)).size, name).toBe(2);
    }
  }
});

describe('a sheet on a shared state', () => {
  // The table must contain all values: Q is the mean of the marked rows, and V is the mean of all rows with the prior.
  test('the answers of a sheet on a shared state are computed from its table', async () => {
    const { rows, questions, given } = await trainedSheet('rtmc', { kind: 'meeting' });
    const readRewards = (some: typeof rows) => some.map(({ cells }) => Number((cells[3] ?? '').replace('−', '-')));
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const q = mean(readRewards(rows.filter(({ isQuestion }) => isQuestion)));
    const [share = Number.NaN, kappa = Number.NaN] = (given[0]?.match(/[\d.]+\d|\d/g) ?? []).map(Number);
    const all = readRewards(rows);
    const v = (mean(all) * all.length + kappa * share) / (all.length + kappa);
    const [answerQ, answerV, answerA] = numbers(questions);
    expect(answerQ).toBeCloseTo(q, 2);
    expect(answerV).toBeCloseTo(v, 2);
    expect(answerA).toBeCloseTo(q - v, 2);
  });
});

test('a step on a sheet has advantage 0 if all rollouts in its state take the same action', async () => {
  const { rows, questions } = await trainedSheet('rtmc-unsmoothed', { kind: 'alone' });
  const { options } = questions[0] as ChoiceQuestion;
  rows.forEach(({ cells: [, , , pathCount] }, step) => {
    if (pathCount === '1') expect(options[step]?.right, `step ${step + 1}`).toBe(true);
  });
  expect(options.filter(({ right }) => right).length).toBeGreaterThan(0);
  expect(options.filter(({ right }) => !right).length).toBeGreaterThan(1);
});
