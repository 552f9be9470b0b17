import { describe, expect, test } from 'vitest';
import {
  curvesOf,
  digestOf,
  MAX_SAVED_ATTEMPTS,
  withAttempt,
  withExercise,
} from '../../../../src/lessons/results/courseResult.ts';
import { ResultError, readResultFile, writeResultFile } from '../../../../src/lessons/results/resultFile.ts';
import { metricsOf } from '../../app/appFixtures.ts';
import { attempt, courseFixture, EXERCISE } from './resultFixture.ts';

describe('result files', () => {
  test('readResultFile returns the result that writeResultFile wrote, with or without a byte order mark', () => {
    const result = courseFixture();
    expect(readResultFile(writeResultFile(result))).toEqual(result);
    expect(readResultFile(`\uFEFF${writeResultFile(result)}`)).toEqual(result);
  });

  test.each([
    ['', 'it is not JSON, or it was cut off'],
    ['{"format":"turnwise-run"}', 'it is no result file of the lessons'],
    ['{"format":"turnwise-lessons-result","formatVersion":2}', 'its format version is 2; 1 is read here'],
  ])('readResultFile throws an error for a text in another format: %s', (text, message) => {
    expect(() => readResultFile(text)).toThrow(new ResultError(message));
  });

  type Editable = { [field: string]: Editable } & Editable[] & (string | number | null);

  const FAULTS: readonly [string, (file: Editable) => void][] = [
    ['name is 7, not a text', (file) => Object.assign(file, { name: 7 })],
    ['assessment.after.pay is 1, not a text', (file) => Object.assign(file.assessment.after, { pay: 1 })],
    ['assessment.compared can only be true', (file) => Object.assign(file.assessment, { compared: 1 })],
    ['assessment is missing, not an object', (file) => delete file.assessment],
    ['lessons names "one-reward" twice', (file) => file.lessons.push(file.lessons[0])],
    ['lessons[0].attempts is empty', (file) => Object.assign(file.lessons[0], { attempts: [] })],
    [
      'lessons[0].attempts[0].prediction[10] is 1.5, not a number from 0 to 1',
      (file) => Object.assign(file.lessons[0].attempts[0].prediction, { 10: 1.5 }),
    ],
    [
      'lessons[0].attempts[0].runs[0].configuration.seed is -1',
      (file) => Object.assign(file.lessons[0].attempts[0].runs[0].configuration, { seed: -1 }),
    ],
    [
      'lessons[0].attempts[0].runs[0].curves["answer"] has 3 values for 4 updates',
      (file) => file.lessons[0].attempts[0].runs[0].curves.answer.pop(),
    ],
    [
      'lessons[0].attempts[0].runs[0].curves["answer"][1] is "a", neither a number nor null',
      (file) => Object.assign(file.lessons[0].attempts[0].runs[0].curves.answer, { 1: 'a' }),
    ],
    [
      'lessons[0].attempts[1].exercises[0].group: group "search-2-0", turn 3, field "parent": ',
      (file) => Object.assign(file.lessons[0].attempts[1].exercises[0].group.turns[3], { parent: 9 }),
    ],
    [
      'lessons[0].attempts[1].exercises[0].answers[0].check is "perfect", not one of right, near, wrong, empty, unselected',
      (file) => Object.assign(file.lessons[0].attempts[1].exercises[0].answers[0], { check: 'perfect' }),
    ],
  ];

  test.each(FAULTS)('readResultFile throws an error that names the invalid field: %s', (message, damage) => {
    const file = JSON.parse(writeResultFile(courseFixture()));
    damage(file);
    expect(() => readResultFile(JSON.stringify(file))).toThrow(message);
    expect(() => readResultFile(JSON.stringify(file))).toThrow(ResultError);
  });

  test('readResultFile throws an error if the curves of a file do not match their digest', () => {
    const file = JSON.parse(writeResultFile(courseFixture()));
    file.lessons[0].attempts[0].runs[0].curves.answer[3] = 0.99;
    expect(() => readResultFile(JSON.stringify(file))).toThrow(/runs\[0\]: its curves were changed; their digest is /);
  });
});

test('digestOf depends on every bit of the values, and not on the order of the lines', () => {
  const curves = { answer: [0.1, 0.3], toolUse: [1, null] };
  expect(digestOf({ toolUse: [1, null], answer: [0.1, 0.3] })).toBe(digestOf(curves));
  expect(digestOf({ ...curves, answer: [0.1, 0.1 + 0.2] })).not.toBe(digestOf(curves));
  expect(digestOf({ ...curves, toolUse: [1, 0] })).not.toBe(digestOf(curves));
});

test('curvesOf returns one value per update, and null for an update without a measurement', () => {
  const metrics = [
    metricsOf(0, { toolUse: 0.5, heldOut: { answer: 0.25 } }),
    metricsOf(1, { toolUse: 0.75, heldOut: null }),
  ];
  expect(curvesOf([...metrics, metricsOf(3)], ['toolUse', 'heldOut:answer'], 3)).toEqual({
    toolUse: [0.5, 0.75, null],
    'heldOut:answer': [0.25, null, null],
  });
});

test('a record retains the first and the latest attempts, and adds an exercise to the latest attempt', () => {
  const drawn = (share: number) => attempt({ prediction: [share, share] });
  const shares = Array.from({ length: 9 }, (_, index) => index / 10);
  const record = shares.map(drawn).reduce(withAttempt, { lesson: 'one-reward', attempts: [] });
  expect(record.attempts).toHaveLength(MAX_SAVED_ATTEMPTS);
  expect(record.attempts.map(({ prediction }) => prediction[0])).toEqual([0, 0.6, 0.7, 0.8]);
  const exercises = withExercise(record, EXERCISE).attempts.map(({ exercises }) => exercises[0]?.rule);
  expect(exercises).toEqual([undefined, undefined, undefined, 'grpo-or']);
});
