import { lessonRun } from '../../../../src/lessons/lesson.ts';
import type { Attempt, CourseResult, ExerciseResult } from '../../../../src/lessons/results/courseResult.ts';
import { digestOf } from '../../../../src/lessons/results/courseResult.ts';

const CURVES = { answer: [0.25, 0.5, 0.75, 1], 'heldOut:answer': [0.125, null, null, 0.5] };

/** Exercise with four rollouts of the outcomes 1, 0.2, 0.2 and 0.2. Their advantages are 1.5, -0.5, -0.5 and -0.5. */
export const EXERCISE: ExerciseResult = {
  ...{ number: 1, kind: 'advantages', rule: 'grpo-or', step: 2 },
  group: {
    id: 'search-2-0',
    turns: [1, 0.2, 0.2, 0.2].flatMap((outcome, rollout) => [
      { parent: -1, reward: 0 },
      { parent: 2 * rollout, reward: 0, outcome },
    ]),
  },
  answers: [
    { question: 'Advantage of attempt 1, turn 1', turn: 0, text: '1,5', check: 'right', tries: 2 },
    { question: 'Advantage of attempt 2, turn 1', turn: 2, text: '0.4', check: 'wrong', tries: 1 },
  ],
};

/** Returns an attempt with one run of four updates. */
export function attempt(overrides: Partial<Attempt> = {}): Attempt {
  const run = {
    name: 'end',
    configuration: { ...lessonRun({ preset: 'grpo-or', controls: {}, schedule: [] }), seed: 3 },
    ...{ steps: 4, device: 'a device', curves: CURVES, digest: digestOf(CURVES) },
  };
  return {
    prediction: Array.from({ length: 11 }, (_, at) => at / 10),
    runs: [run],
    exercises: [],
    ...overrides,
  };
}

export function courseFixture(overrides: Partial<CourseResult> = {}): CourseResult {
  const lessons = [{ lesson: 'one-reward', attempts: [attempt(), attempt({ exercises: [EXERCISE] })] }];
  const assessment = { before: { pay: 'everything' }, after: { pay: 'outcome', open: 'It was paid once.' } };
  return { name: 'Ada', lessons, assessment, ...overrides };
}

/** Returns result files of a class that completed the first lesson; each student has a different prediction. */
export function classFixture(students: number): { readonly file: string; readonly result: CourseResult }[] {
  return Array.from({ length: students }, (_, index) => {
    const share = index / Math.max(1, students - 1);
    const prediction = Array.from({ length: 11 }, (__, point) => 0.3 + (share - 0.3) * (point / 10));
    const answer = Array.from({ length: 40 }, (__, step) => 1 - 0.7 * Math.exp(-step / (6 + share)));
    const run = {
      ...{ name: 'end', configuration: lessonRun({ preset: 'grpo-or', controls: {}, schedule: [] }), steps: 40 },
      ...{ device: 'a device', curves: { answer }, digest: digestOf({ answer }) },
    };
    const lessons = [{ lesson: 'one-reward', attempts: [attempt({ prediction, runs: [run], exercises: [EXERCISE] })] }];
    const before = { 'two-turns': index % 3 === 0 ? 'own' : 'same', explain: `Answer ${index}.` };
    const assessment = { before, after: { ...before, 'two-turns': 'same' } };
    return { file: `student-${index + 1}.json`, result: courseFixture({ name: `S${index + 1}`, lessons, assessment }) };
  });
}
