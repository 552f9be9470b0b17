import type { ExerciseAnswer, ExerciseResult } from '../../lessons/results/courseResult.ts';

/** Maximum number of stored characters of an answer. */
const LONGEST = 200;

/**
 * An answer was given: the exercise as far as it is answered. If any element in a lesson fires this event, the exercise
 * is stored in the results.
 */
export class AnsweredEvent extends CustomEvent<ExerciseResult> {
  constructor(exercise: ExerciseResult) {
    super('answered', { detail: exercise, bubbles: true, composed: true });
  }
}

/** Answers of an exercise by the place of the question in it, from 0. */
export type Answers = Readonly<Record<number, ExerciseAnswer>>;

/** The answers with one more to a question, in place of an earlier one, whose tries are counted. */
export function withAnswer(answers: Answers, index: number, answer: Omit<ExerciseAnswer, 'place' | 'tries'>): Answers {
  const attempts = (answers[index]?.tries ?? 0) + 1;
  return { ...answers, [index]: { ...answer, text: answer.text.slice(0, LONGEST), place: index + 1, tries: attempts } };
}
