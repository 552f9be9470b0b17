import type { Credit } from '../../../credit/rule.ts';
import type { LessonExercise } from '../../../lessons/lesson.ts';
import { checkedNumber } from '../../../lessons/results/checkAnswer.ts';
import type { AnswerCheck } from '../../../lessons/results/courseResult.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { type CreditChoice, creditOf } from '../../inspector/choice.ts';

/** Question of an exercise: a number to compute, or an option to select. */
export interface Question {
  readonly label: string;
  /** Correct number, or index of the correct option. */
  readonly answer: number;
  /** Options to select from; absent if the answer is a number. */
  readonly options?: readonly string[];
  /** Rule whose derivation for `turn` explains the answer. */
  readonly rule: string;
  /** Index of the turn in the forest of the group. */
  readonly turn: number;
}

/** Row of the table of an exercise. */
export interface TaskRow {
  readonly name: string;
  readonly cells: readonly string[];
  /** True if a question refers to the row. */
  readonly isQuestion: boolean;
}

/** Exercise on a group: a table of numbers, a hint with some intermediate values, and questions. */
export interface Task {
  /** Headings of the columns. The first column has the names of the rows. */
  readonly columns: readonly string[];
  readonly rows: readonly TaskRow[];
  readonly hint: readonly string[];
  readonly questions: readonly Question[];
}

/** Functions that create one kind of exercise. */
export interface ExerciseBuilder {
  /** Rates the suitability of a group for the exercise; 0 if the group is not suitable. */
  suitability(group: GroupView, exercise: LessonExercise): number;
  task(group: GroupView, exercise: LessonExercise): Task;
}

/** Returns a choice of credit with the parameters of an exercise, or with default parameters for another rule. */
export function choiceOf({ rule: exerciseRule, parameters }: LessonExercise, rule = exerciseRule): CreditChoice {
  return { rule, values: rule === exerciseRule ? { [rule]: parameters } : {} };
}

/** Returns the credit of a rule on a group; undefined if the rule cannot read the group. */
export function creditIn(group: GroupView, exercise: LessonExercise, rule = exercise.rule): Credit | undefined {
  return creditOf(group.forest, choiceOf(exercise, rule)).credit;
}

/** Compares the number or the option of the user with the correct answer. */
export function checkAnswer(text: string, { answer, options }: Pick<Question, 'answer' | 'options'>): AnswerCheck {
  if (options) return text === '' ? 'unselected' : Number(text) === answer ? 'right' : 'wrong';
  return checkedNumber(text, answer);
}

/** Returns the number of different values. */
export function kinds(values: readonly unknown[]): number {
  return new Set(values).size;
}
