import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  courseResult,
  deleteResults,
  recordOf,
  saveAssessment,
  saveAttempt,
  saveExercise,
  saveName,
} from '../../../../src/app/lessons/lessonMemory.ts';
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
  ['a browser with storage', false],
  ['a browser that rejects storage', true],
])('results in %s', (_, refuses) => {
  beforeEach(() => vi.stubGlobal('localStorage', storage(refuses)));
  afterEach(() => {
    deleteResults(LESSONS);
    vi.unstubAllGlobals();
  });

  test('the course result lists saved results in the order of the lessons', () => {
    expect(courseResult(LESSONS)).toEqual({ name: '', lessons: [], assessment: {} });
    saveExercise('tool-dies', EXERCISE);
    expect(recordOf('tool-dies')).toBeUndefined();
    saveAttempt('tool-dies', attempt());
    saveAttempt('one-reward', attempt({ prediction: [0, 1] }));
    saveExercise('tool-dies', EXERCISE);
    saveName('Ada');
    saveAssessment({ before: { pay: 'outcome' } });
    expect(courseResult(LESSONS)).toEqual({
      name: 'Ada',
      lessons: [
        { lesson: 'one-reward', attempts: [attempt({ prediction: [0, 1] })] },
        { lesson: 'tool-dies', attempts: [attempt({ exercises: [EXERCISE] })] },
      ],
      assessment: { before: { pay: 'outcome' } },
    });
  });

  test('saved results are deleted when the next user starts', () => {
    saveAttempt('one-reward', attempt());
    saveName('Ada');
    deleteResults(LESSONS);
    expect(courseResult(LESSONS)).toEqual({ name: '', lessons: [], assessment: {} });
  });
});

test('an unreadable saved result is ignored, and the results of other lessons remain', () => {
  vi.stubGlobal('localStorage', storage());
  saveAttempt('tool-dies', attempt());
  localStorage.setItem('turnwise-result-1-one-reward', '{"lesson":');
  expect(courseResult(LESSONS).lessons.map(({ lesson }) => lesson)).toEqual(['tool-dies']);
  vi.unstubAllGlobals();
});
