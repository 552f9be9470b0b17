import { expect, test } from 'vitest';
import { classLessons, classQuestions } from '../../../../src/lessons/results/classResults.ts';
import { attempt, classFixture, courseFixture, EXERCISE } from './resultFixture.ts';

const head = (name: string) => ({ name, title: name });
const predicted = () => ({ run: 'end', line: 'answer' });

test('classLessons returns first predictions, their median, measured curves and the mean distance between them', () => {
  const results = [0, 0.5, 1].map((end) =>
    courseFixture({
      lessons: [
        {
          lesson: 'one-reward',
          attempts: [attempt({ prediction: [0.5, end] }), attempt({ prediction: [0, 0] })],
        },
      ],
    }),
  );
  const [lesson, ...rest] = classLessons(
    [...results, courseFixture({ lessons: [] })],
    [head('tool-dies'), head('one-reward')],
    predicted,
  );
  expect(rest).toEqual([]);
  expect(lesson).toMatchObject({
    lesson: { name: 'one-reward' },
    predictions: [
      [0.5, 0],
      [0.5, 0.5],
      [0.5, 1],
    ],
    ...{ middle: [0.5, 0.5], steps: 4, exercises: [] },
    curves: Array(3).fill([0.25, 0.5, 0.75, 1]),
  });
  // The result is s / 4 after s = 1..4 updates. The three predictions are 0.5 - s / 8, 0.5 and 0.5 + s / 8.
  const away = [0.125, 0.25, 0.625, 1, 0.25, 0, 0.25, 0.5, 0.375, 0.25, 0.125, 0];
  expect(lesson?.apart).toBeCloseTo(away.reduce((sum, distance) => sum + distance, 0) / 12);
});

test('classLessons counts answers by exercise and by position of the question', () => {
  const results = classFixture(10).map(({ result }) => result);
  const [lesson] = classLessons(results, [head('one-reward')], predicted);
  expect(lesson?.exercises).toEqual([
    { exercise: 1, question: 1, right: 10, near: 0, wrong: 0, tries: 2 },
    { exercise: 1, question: 2, right: 0, near: 0, wrong: 10, tries: 1 },
  ]);
  const unselected = {
    ...EXERCISE,
    number: 2,
    answers: EXERCISE.answers.map((answer) => ({ ...answer, check: 'unselected' as const })),
  };
  const course = courseFixture({
    lessons: [{ lesson: 'one-reward', attempts: [attempt({ exercises: [unselected] })] }],
  });
  expect(classLessons([course], [head('one-reward')], predicted)[0]?.exercises[0]).toMatchObject({
    exercise: 2,
    wrong: 1,
  });
});

test('classLessons counts the answer of a student who answered only the second question at that question', () => {
  const [, second] = EXERCISE.answers.map((answer, index) => ({ ...answer, place: index + 1 }));
  const exercises = [{ ...EXERCISE, answers: second ? [second] : [] }];
  const course = courseFixture({ lessons: [{ lesson: 'one-reward', attempts: [attempt({ exercises })] }] });
  expect(classLessons([course], [head('one-reward')], predicted)[0]?.exercises).toMatchObject([
    { exercise: 1, question: 2 },
  ]);
});

test('classQuestions counts choices before and after the lessons, and lists open answers', () => {
  const base = { lesson: 'one-reward', question: '', why: '' };
  const questions = [
    { ...base, name: 'two-turns', right: 'same', choices: ['own', 'same'].map((name) => ({ name, label: name })) },
    { ...base, name: 'explain', right: '', choices: [] },
  ];
  const results = classFixture(4).map(({ result }) => result);
  expect(classQuestions(results, questions)).toMatchObject([
    {
      picked: [
        { name: 'own', before: 2, after: 0 },
        { name: 'same', before: 2, after: 4 },
      ],
      written: [],
    },
    { picked: [], written: Array(8).fill({ text: expect.stringMatching(/^Answer \d\.$/) }) },
  ]);
});
