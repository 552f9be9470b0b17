import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readLessons } from '../../../../src/lessons/lessonFiles.ts';
import { root } from '../../../files.ts';
import { numbersOf, trainedExercise } from './exerciseFixture.ts';

const lessons = readLessons(join(root, 'lessons'));

test.each(
  lessons.flatMap(({ name, runs, exercises }) =>
    exercises.map((exercise) => ({ name, exercise, run: runs.find((run) => run.name === exercise.run) ?? runs[0] })),
  ),
)(
  '$name: the exercise $exercise.kind is created from groups of its run, with right and wrong options',
  async ({ exercise, run }) => {
    const { questions, rows } = await trainedExercise(run.preset, exercise, run.controls);
    expect(rows.length).toBeGreaterThan(2);
    for (const question of questions) {
      expect(question.derivation?.join(' ') ?? '').not.toMatch(/NaN|undefined/);
      if (question.kind === 'blanks' && !question.evaluate)
        expect(numbersOf([question]).every(Number.isFinite)).toBe(true);
      if (question.kind === 'choice') {
        expect(question.right.length).toBeGreaterThan(0);
        expect(question.right.length).toBeLessThan(question.options.length);
      }
    }
  },
);

describe('an exercise on a shared state', () => {
  // The table must contain all values: Q is the mean of the marked rows, and V is the mean of all rows with the prior.
  test('the answers of an exercise on a shared state are computed from its table', async () => {
    const { rows, questions, given } = await trainedExercise('rtmc', { kind: 'meeting' });
    const readRewards = (some: typeof rows) => some.map(({ cells }) => Number((cells[3] ?? '').replace('−', '-')));
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const q = mean(readRewards(rows.filter(({ isQuestion }) => isQuestion)));
    const [share = Number.NaN, kappa = Number.NaN] = (given[0]?.match(/[\d.]+\d|\d/g) ?? []).map(Number);
    const all = readRewards(rows);
    const v = (mean(all) * all.length + kappa * share) / (all.length + kappa);
    const [answerQ, answerV, answerA] = numbersOf(questions);
    expect(answerQ).toBeCloseTo(q, 2);
    expect(answerV).toBeCloseTo(v, 2);
    expect(answerA).toBeCloseTo(q - v, 2);
  });
});

test('a step of an exercise has advantage 0 if all rollouts in its state take the same action', async () => {
  const { rows, questions } = await trainedExercise('rtmc-unsmoothed', { kind: 'alone' });
  const [question] = questions;
  if (question?.kind !== 'choice') throw new Error('the question has no choices');
  const { right } = question;
  expect(right.length).toBeGreaterThan(0);
  rows.forEach(({ cells: [, , , pathCount] }, step) => {
    if (pathCount === '1') expect(right, `step ${step + 1}`).toContain(step);
  });
  expect(rows.length - right.length).toBeGreaterThan(1);
});
