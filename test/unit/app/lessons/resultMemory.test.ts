import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  courseResult,
  forgetResults,
  keepAssessment,
  keepAttempt,
  keepExercise,
  keepName,
  recordOf,
} from '../../../../src/app/lessons/resultMemory.ts';
import { attempt, EXERCISE } from '../../lessons/results/resultFixture.ts';

function storage(refuses = false): Storage {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => void items.delete(key),
    setItem: (key: string, value: string) => {
      if (refuses) throw new DOMException('full', 'QuotaExceededError');
      items.set(key, value);
    },
  } as Storage;
}

const LESSONS = ['one-reward', 'tool-dies'];

describe.each([
  ['a browser that keeps things', false],
  ['a browser that refuses to', true],
])('results in %s', (_, refuses) => {
  beforeEach(() => vi.stubGlobal('localStorage', storage(refuses)));
  afterEach(() => {
    forgetResults(LESSONS, []);
    vi.unstubAllGlobals();
  });

  test('are there for the file, in the order of the lessons', () => {
    expect(courseResult(LESSONS)).toEqual({ name: '', lessons: [], assessment: {} });
    keepExercise('tool-dies', EXERCISE);
    expect(recordOf('tool-dies')).toBeUndefined();
    keepAttempt('tool-dies', attempt());
    keepAttempt('one-reward', attempt({ prediction: [0, 1] }));
    keepExercise('tool-dies', EXERCISE);
    keepName('Ada');
    keepAssessment({ before: { pay: 'outcome' } });
    expect(courseResult(LESSONS)).toEqual({
      name: 'Ada',
      lessons: [
        { lesson: 'one-reward', attempts: [attempt({ prediction: [0, 1] })] },
        { lesson: 'tool-dies', attempts: [attempt({ exercises: [EXERCISE] })] },
      ],
      assessment: { before: { pay: 'outcome' } },
    });
  });

  test('results are deleted when the next user begins', () => {
    keepAttempt('one-reward', attempt());
    keepName('Ada');
    forgetResults(LESSONS, ['turnwise-lesson-one-reward']);
    expect(courseResult(LESSONS)).toEqual({ name: '', lessons: [], assessment: {} });
  });
});

test('what cannot be read counts as nothing, and the other lessons stay', () => {
  vi.stubGlobal('localStorage', storage());
  keepAttempt('tool-dies', attempt());
  localStorage.setItem('turnwise-result-1-one-reward', '{"lesson":');
  expect(courseResult(LESSONS).lessons.map(({ lesson }) => lesson)).toEqual(['tool-dies']);
  vi.unstubAllGlobals();
});
