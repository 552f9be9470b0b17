import type { ExerciseAnswer, ExerciseResult } from '../../lessons/results/courseResult.ts';

/** Maximum number of stored characters of an answer. */
const LONGEST = 200;

/**
 * Event with the answers of an exercise so far. If any element in a lesson fires it, the lesson stores the exercise in
 * the results of the user.
 */
export class AnsweredEvent extends CustomEvent<ExerciseResult> {
  constructor(exercise: ExerciseResult) {
    super('answered', { detail: exercise, bubbles: true, composed: true });
  }
}

/** Answers of an exercise, by the index of the question from 0. */
export type Answers = Readonly<Record<number, ExerciseAnswer>>;

/**
 * Returns answers with a new answer to a question. It replaces an earlier answer and increases the number of attempts.
 */
export function withAnswer(answers: Answers, index: number, answer: Omit<ExerciseAnswer, 'place' | 'tries'>): Answers {
  const attempts = (answers[index]?.tries ?? 0) + 1;
  return { ...answers, [index]: { ...answer, text: answer.text.slice(0, LONGEST), place: index + 1, tries: attempts } };
}
