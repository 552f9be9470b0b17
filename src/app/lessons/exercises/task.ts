import type { Credit } from '../../../credit/rule.ts';
import type { LessonExercise } from '../../../lessons/lesson.ts';
import { checkedNumber } from '../../../lessons/results/checkAnswer.ts';
import type { AnswerCheck } from '../../../lessons/results/courseResult.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { type CreditChoice, creditOf } from '../../inspector/choice.ts';

/** A question with a value to compute. */
export interface Question {
  readonly label: string;
  /** The number, or the place of the right one among the options. */
  readonly answer: number;
  /** To pick from in place of writing a number. */
  readonly options?: readonly string[];
  /** The rule and the turn of the group's forest whose worked lines are the answer written out. */
  readonly rule: string;
  readonly turn: number;
}

/** A row of the table that an exercise shows. */
export interface TaskRow {
  readonly name: string;
  readonly cells: readonly string[];
  /** True if a question refers to it. */
  readonly isQuestion: boolean;
}

/** An exercise made from a group: the required numbers, a hint with the computation of some of them, and questions. */
export interface Task {
  /** Headings, that of the names of the rows first. */
  readonly columns: readonly string[];
  readonly rows: readonly TaskRow[];
  readonly hint: readonly string[];
  readonly questions: readonly Question[];
}

/** A kind of exercise. */
export interface ExerciseBuilder {
  /** Rates the questions that a group offers; 0 if it offers none. */
  suitability(group: GroupView, exercise: LessonExercise): number;
  task(group: GroupView, exercise: LessonExercise): Task;
}

/** A rule with the exercise's parameters. */
export function choiceOf({ rule: exerciseRule, parameters }: LessonExercise, rule = exerciseRule): CreditChoice {
  return { rule, values: rule === exerciseRule ? { [rule]: parameters } : {} };
}

/** Returns the credit of a rule on a group; undefined if the rule cannot read the group. */
export function creditIn(group: GroupView, exercise: LessonExercise, rule = exercise.rule): Credit | undefined {
  return creditOf(group.forest, choiceOf(exercise, rule)).credit;
}

/** Holds what a reader wrote or picked against the answer. */
export function checkAnswer(text: string, { answer, options }: Pick<Question, 'answer' | 'options'>): AnswerCheck {
  if (options) return text === '' ? 'unselected' : Number(text) === answer ? 'right' : 'wrong';
  return checkedNumber(text, answer);
}

/** Returns the number of different values. */
export function kinds(values: readonly unknown[]): number {
  return new Set(values).size;
}
