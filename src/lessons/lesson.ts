import type { ParameterValues } from '../parameters/parameters.ts';
import type { ScheduledChange } from '../training/data/configuration.ts';
import type { LessonFormula } from './formula.ts';
import type { GroupCondition } from './groupCondition.ts';
import type { LessonSheet } from './sheets.ts';

/** Audiences of a text, in order of the required knowledge. */
export const LEVELS = ['five-year-old', 'high-school', 'college', 'engineer', 'phd', 'peer'] as const;
export type Level = (typeof LEVELS)[number];

/** Languages of lessons. Every lesson has the first language. */
export const LANGUAGES = ['en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Run of an experiment: a preset with changed controls, trained for a given number of updates. */
export interface LessonRun {
  readonly name: string;
  /** Name of the preset that defines the run except for its controls and its schedule. */
  readonly preset: string;
  /** Controls that replace controls of the preset. */
  readonly controls: ParameterValues;
  /** Scheduled changes. The schedule of the preset if the lesson has no schedule. */
  readonly schedule: readonly ScheduledChange[];
  /** Displayed names of the scheduled changes. */
  readonly changes: readonly string[];
  /** Number of updates. */
  readonly steps: number;
  /** Displayed name. */
  readonly label: string;
}

/** Curve that a user can select instead of drawing one. */
export interface PredictionChoice {
  readonly name: string;
  readonly label: string;
  /** Points [step, value] in ascending order of the steps, joined by straight lines. */
  readonly points: readonly (readonly [step: number, value: number])[];
}

/** Prediction by the user: one line of one run, 0 to 1. */
export interface LessonPrediction {
  readonly run: string;
  readonly line: string;
  readonly choices: readonly PredictionChoice[];
}

/** Expected result of the experiment for every seed. */
export interface Expectation {
  readonly run: string;
  /** Name of a metric (`toolUse`), or of a held-out metric (`heldOut:answer`). */
  readonly line: string;
  /** Side of the bound on which the mean of the line must be. */
  readonly is: 'below' | 'above';
  readonly value: number;
  /** Number of updates, or of held-out measurements, in the mean. */
  readonly over: number;
  /** Number of updates after which the expectation must be met. */
  readonly by: number;
  /** Number of measured seeds that met the expectation (`npm run turnwise -- lessons`). */
  readonly held: number;
  /** Number of measured seeds. The seeds start at 1. */
  readonly seeds: number;
  /** Displayed description. */
  readonly text: string;
}

/**
 * Kinds of exercises.
 * - `advantages`: compute three advantages of a group.
 * - `sign`: decide if the advantage of a turn is positive or negative, under two rules.
 * - `critic`: compute advantages of tokens from the values of the critic.
 * - `tree`: compute the value of a failed attempt from the turns that follow it.
 * - `tests`: compute the reward of a program from the tests that it passes.
 */
export const EXERCISE_KINDS = ['advantages', 'sign', 'critic', 'tree', 'tests'] as const;
export type ExerciseKind = (typeof EXERCISE_KINDS)[number];

/** Exercise that the page creates from a group of the user's run and corrects. */
export interface LessonExercise {
  readonly kind: ExerciseKind;
  /** Name of the run that has the group. */
  readonly run: string;
  /** Rule under which the exercise is computed. */
  readonly rule: string;
  /** Parameters of the rule that differ from its defaults. */
  readonly parameters: ParameterValues;
  /** Second rule of a comparison. Empty if the kind needs one rule only. */
  readonly against: string;
  readonly group: GroupCondition;
  /** Question as HTML. */
  readonly text: string;
}

/** Units of the course, in order. */
export const UNITS = ['story', 'credit', 'limits'] as const;
export type Unit = (typeof UNITS)[number];

/** Data of a lesson in the list of lessons. */
export interface LessonHead {
  readonly name: string;
  /** Position in the course, starting at 1. */
  readonly order: number;
  /** Unit of the course. */
  readonly unit: Unit;
  readonly minutes: number;
  readonly title: string;
  readonly sentence: string;
  /** Predicted line and its run. */
  readonly predict: Pick<LessonPrediction, 'run' | 'line'>;
  /** Training time [s]; undefined if it was not measured. */
  readonly seconds: number | undefined;
  /** Picture of the lesson. undefined if it has no picture. */
  readonly picture: LessonPicture | undefined;
}

/** Text of a lesson as HTML, rendered from Markdown that contains no HTML. */
export interface LessonText {
  /** Text before the experiment. */
  readonly before: string;
  /** Text after the experiment. */
  readonly after: string;
}

/** Figures of measured values that lessons can show. */
export const FIGURES = ['decision-density'] as const;
export type FigureName = (typeof FIGURES)[number];

/** Picture without text, in the colours of the themes. */
export interface LessonPicture {
  /** SVG that has shapes only. */
  readonly svg: string;
  /** Description of the picture, for users who do not see it. */
  readonly alt: string;
}

/** Complete lesson in one language. */
export interface Lesson extends LessonHead {
  /** Seed of the experiment if the address names no seed. */
  readonly seed: number;
  readonly runs: readonly LessonRun[];
  /** Speed of the experiment, slow enough for a user to follow [updates per second]. */
  readonly pace: number;
  readonly predict: LessonPrediction & { readonly question: string };
  /** Lines that the result shows for each run. The predicted line is first. */
  readonly lines: readonly string[];
  readonly expects: readonly Expectation[];
  /** Names of the runs for which the page explains the advantages of the first choice after the experiment. */
  readonly why: readonly string[];
  readonly exercises: readonly LessonExercise[];
  /** Exercises with a table of groups, which follow the other exercises. */
  readonly sheets: readonly LessonSheet[];
  /** Formulas with the numbers of the user's run, in order. */
  readonly formulas: readonly LessonFormula[];
  /** Figure of measured values after the formulas. undefined if the lesson has no figure. */
  readonly figure: FigureName | undefined;
  readonly texts: Readonly<Record<Level, LessonText>>;
}

/** Error in the files of a lesson. The message has the file and the field. */
export class LessonError extends Error {
  override readonly name = 'LessonError';
}
