import type { Exercise, Question } from '../../../../src/app/lessons/exercises/exercise.ts';
import { EXERCISES } from '../../../../src/app/lessons/exercises/plan.ts';
import { ANY_GROUP } from '../../../../src/lessons/groupCondition.ts';
import type { LessonExercise, LessonRun } from '../../../../src/lessons/lesson.ts';
import type { GroupView } from '../../../../src/training/data/protocol.ts';
import { lessonGroups } from '../../lessons/lessonGroups.ts';

/** Returns an exercise of a lesson with these fields. */
const lessonExercise = (fields: Partial<LessonExercise>): LessonExercise => ({
  ...{ kind: 'advantages', run: 'end', rule: 'grpo-or', parameters: {}, against: '' },
  ...{ goal: 'once', begin: {}, group: ANY_GROUP, text: '<p>Compute it.</p>', hint: '<p>Begin with the mean.</p>' },
  ...fields,
});

/** Creates an exercise with these fields from groups; undefined if no group is suitable. */
export function createExercise(fields: Partial<LessonExercise>, ...groups: readonly GroupView[]): Exercise | undefined {
  const exercise = lessonExercise(fields);
  return EXERCISES[exercise.kind](groups, exercise, {});
}

/** Trains a preset and creates an exercise with these fields from its groups. */
export async function trainedExercise(
  preset: string,
  fields: Partial<LessonExercise>,
  controls: LessonRun['controls'] = {},
): Promise<Exercise> {
  const { groups, configuration } = await lessonGroups({ preset, controls, schedule: [] });
  const exercise = lessonExercise(fields);
  const created = EXERCISES[exercise.kind](groups, exercise, configuration.controls);
  if (!created) throw new Error(`${preset} gives no exercise`);
  return created;
}

/** Returns the correct numbers of questions with blanks, in order. */
export const numbersOf = (questions: readonly Question[]): readonly number[] =>
  questions.flatMap((question) =>
    question.kind === 'blanks' ? question.blanks.map(({ answer = Number.NaN }) => answer) : [],
  );

/** Returns the texts of the correct options of a question. */
export const rightOptions = (question: Question | undefined): readonly (string | undefined)[] =>
  question?.kind === 'choice' ? question.right.map((index) => question.options[index]) : [];
