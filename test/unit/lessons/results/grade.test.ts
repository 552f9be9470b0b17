import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lessonRun } from '../../../../src/lessons/lesson.ts';
import { readLessons } from '../../../../src/lessons/lessonFiles.ts';
import type { Attempt, Curves, RunResult } from '../../../../src/lessons/results/courseResult.ts';
import { digestOf } from '../../../../src/lessons/results/courseResult.ts';
import { gradeAssessment, gradeRecord, gradeResult } from '../../../../src/lessons/results/grade.ts';
import { root } from '../../../files.ts';
import { attempt, courseFixture, EXERCISE } from './resultFixture.ts';

const [lesson] = readLessons(join(root, 'lessons'));
const firstRun = lesson.runs[0];

/** Returns curves of a run of the first lesson with the same share at each update. */
const flat = (share: number): Curves => ({ answer: Array(firstRun.steps).fill(share) });

function runOf(share: number, overrides: Partial<RunResult> = {}): RunResult {
  const curves = flat(share);
  const configuration = { ...lessonRun(firstRun), seed: 7 };
  return {
    name: firstRun.name,
    configuration,
    steps: firstRun.steps,
    device: 'A',
    curves,
    digest: digestOf(curves),
    ...overrides,
  };
}

const graded = (parts: Partial<Attempt>) =>
  gradeRecord(lesson, { lesson: lesson.name, attempts: [attempt({ runs: [runOf(0.5)], ...parts })] });

describe('grades of runs', () => {
  test('a run with the configuration of the lesson is reported with its digest', () => {
    const [line] = graded({});
    const answer = digestOf(flat(0.5));
    expect(line).toMatchObject({ lesson: lesson.name, attempt: 1, question: 'run end, seed 7', answer });
    expect(line).toMatchObject({ grade: 'reported', note: '' });
  });

  const changed = lessonRun({ ...firstRun, controls: { rule: 'mt-grpo' } });
  test.each([
    ['another rule', { configuration: changed }, 'rule mt-grpo, the lesson has grpo-or'],
    ['fewer updates', { steps: 10 }, '10 updates, the lesson has 40'],
    ['another name', { name: 'best' }, 'the lesson has no run best'],
    ['another curve', { curves: { toolUse: flat(0.5).answer ?? [] } }, 'no curve of answer'],
    [
      'another schedule',
      { configuration: { ...lessonRun(firstRun), schedule: [{ step: 5, changes: { rule: 'mt-grpo' } }] } },
      'the planned changes differ from the lesson’s',
    ],
  ])('a run with %s than in the lesson is graded "differs", with a note', (_, overrides, note) => {
    const [line] = graded({ runs: [runOf(0.5, overrides)] });
    expect([line?.grade, line?.note]).toEqual(['differs', note]);
  });

  test('a run with smaller updates than in the lesson is reported', () => {
    const smaller = lessonRun({ ...firstRun, controls: { questions: 1, groupSize: 4, minibatches: 1 } });
    const [line] = graded({ runs: [runOf(0.5, { configuration: smaller })] });
    expect(line?.grade).toBe('reported');
  });

  test('a run that the file lacks is graded "differs", with a note', () => {
    const lines = graded({ runs: [] });
    expect(lines[0]).toMatchObject({ question: 'run end', grade: 'differs', note: 'the file has no such run' });
    expect(lines[1]?.note).toBe('no measured values');
  });
});

test('a prediction is reported with the actual result, and is neither right nor wrong', () => {
  const lines = graded({ prediction: [0, 1] });
  // The prediction at update s is s / 40. The mean of |s / 40 - 0.5| over s = 1..40 is (20 + 20) / 160.
  expect(lines[1]).toMatchObject({
    ...{ question: 'prediction of answer', answer: '1.00 at the end', expected: '0.50 measured' },
    ...{ grade: 'reported', note: 'mean distance 0.25' },
  });
});

test('answers about advantages are checked again, regardless of the checks in the file', () => {
  const boasting = EXERCISE.answers.map((answer) => ({ ...answer, check: 'right' as const }));
  const lines = graded({ exercises: [{ ...EXERCISE, answers: boasting }] });
  expect(lines.slice(2)).toMatchObject([
    { question: 'Advantage of attempt 1, turn 1', answer: '1,5', expected: '1.50', grade: 'right', note: '2 tries' },
    { answer: '0.4', expected: '-0.50', grade: 'wrong', note: 'first try; the file says right' },
  ]);
  const changedLines = graded({ exercises: [{ ...EXERCISE, kind: 'sign' }] });
  expect(changedLines[2]).toMatchObject({ grade: 'right', note: 'as the page checked it; 2 tries' });
});

test('answers of an exercise have the grade of the page and the number of their exercise', () => {
  const ninth = readLessons(join(root, 'lessons')).find(({ name }) => name === 'true-worth') ?? lesson;
  const answers = [{ question: 'Worth of the start, V', place: 1, text: '0.35', check: 'near' as const, tries: 3 }];
  const marked = { question: 'Mark them.', place: 1, text: 'A, C', check: 'wrong' as const, tries: 1 };
  const exercises = [
    { number: 1, kind: 'worth', answers },
    { number: 2, kind: 'tied', rule: 'grpo-or', answers: [marked] },
  ];
  const record = { lesson: ninth.name, attempts: [attempt({ runs: [], exercises })] };
  const lines = gradeRecord(ninth, record);
  expect(lines.slice(-2)).toMatchObject([
    {
      ...{ question: '1. Worth of the start, V', answer: '0.35', grade: 'right' },
      note: 'as the page checked it; 3 tries',
    },
    {
      ...{ question: '2. Mark them.', answer: 'A, C', grade: 'wrong' },
      note: 'as the page checked it; first try',
    },
  ]);
});

test('gradeAssessment grades choices before and after the lessons, and reports open answers without a grade', () => {
  const question = { name: 'pay', lesson: 'one-reward', question: '', why: '', right: 'end' };
  const choices = [
    { name: 'end', label: 'At the end' },
    { name: 'turn', label: 'Each turn' },
  ];
  const questions = [
    { ...question, choices },
    { ...question, name: 'why', right: '', choices: [] },
  ];
  const lines = gradeAssessment(questions, { before: { pay: 'turn' }, after: { pay: 'end', why: 'So.' } });
  expect(
    lines.map(({ question: questionText, answer, expected, grade, note }) => [
      questionText,
      answer,
      expected,
      grade,
      note,
    ]),
  ).toEqual([
    ['pay, before', 'Each turn', 'At the end', 'wrong', ''],
    ['why, before', '', '', 'reported', 'not answered'],
    ['pay, after', 'At the end', 'At the end', 'right', ''],
    ['why, after', 'So.', '', 'reported', 'an open answer: to be read'],
  ]);
  expect(gradeAssessment(questions, {})).toEqual([]);
});

test('a result of a lesson that this version lacks is graded "unknown"', () => {
  const result = courseFixture({ lessons: [{ lesson: 'alchemy', attempts: [attempt()] }], assessment: {} });
  expect(gradeResult({ lessons: [lesson], assessment: [] }, result)).toMatchObject([
    { lesson: 'alchemy', grade: 'unknown', note: 'there is no such lesson here' },
  ]);
});
