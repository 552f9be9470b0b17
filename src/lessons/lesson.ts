import type { ParameterValues } from '../parameters/parameters.ts';
import type { ScheduledChange } from '../training/data/configuration.ts';
import type { LessonFormula } from './formula.ts';
import type { GroupCondition } from './groupCondition.ts';
import type { LessonSheet } from './sheets.ts';

/** Audiences of a text, from the least required knowledge to the most. */
export const LEVELS = ['five-year-old', 'high-school', 'college', 'engineer', 'phd', 'peer'] as const;
export type Level = (typeof LEVELS)[number];

/** Languages that lessons may have; the first is what a lesson has at least. */
export const LANGUAGES = ['en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** One run of an experiment: a preset, with separate controls, trained for a given number of updates. */
export interface LessonRun {
  readonly name: string;
  /** Name of a preset of the page, which defines the run except its controls and its schedule. */
  readonly preset: string;
  /** Controls in place of the preset's. */
  readonly controls: ParameterValues;
  /** Changes on the way, in place of the preset's; the preset's own where it is left out. */
  readonly schedule: readonly ScheduledChange[];
  /** Names of the changes of its schedule, for people. */
  readonly changes: readonly string[];
  /** Updates. */
  readonly steps: number;
  /** For people. */
  readonly label: string;
}

/** A curve that a reader may pick in place of drawing one. */
export interface PredictionChoice {
  readonly name: string;
  readonly label: string;
  /** [step, value] pairs in the order of their steps; the curve is straight between them. */
  readonly points: readonly (readonly [step: number, value: number])[];
}

/** Prediction of the user: one line of one run, a share between 0 and 1. */
export interface LessonPrediction {
  readonly run: string;
  readonly line: string;
  readonly choices: readonly PredictionChoice[];
}

/** Something that the experiment must show, whatever the seed. */
export interface Expectation {
  readonly run: string;
  /** A metric (`toolUse`) or a held-out figure (`heldOut:answer`). */
  readonly line: string;
  /** Side of the bound on which its mean over a few updates must be at the end of the window. */
  readonly is: 'below' | 'above';
  readonly value: number;
  /** Updates, or measurements of a figure on new questions, over which the mean is taken. */
  readonly over: number;
  /** Updates done by which it must be so. */
  readonly by: number;
  /** Of the measured seeds, those that showed it (`npm run turnwise -- lessons`). */
  readonly held: number;
  /** The seeds 1 to this were measured. */
  readonly seeds: number;
  /** For people. */
  readonly text: string;
}

/**
 * Question of an exercise. `advantages`: compute three advantages of a group. `sign`: is the advantage of a turn
 * positive or negative, under two rules? `critic`: advantages of tokens, from the expectations of the critic. `tree`:
 * the value of a failed attempt because of the turns that it led to. `tests`: the reward of a program for the tests
 * that it passes.
 */
export const EXERCISE_KINDS = ['advantages', 'sign', 'critic', 'tree', 'tests'] as const;
export type ExerciseKind = (typeof EXERCISE_KINDS)[number];

/** An exercise that the page makes from a group of the reader's own run, and corrects by itself. */
export interface LessonExercise {
  readonly kind: ExerciseKind;
  /** Name of the run whose group it is made of. */
  readonly run: string;
  /** Rule under which the exercise is computed. */
  readonly rule: string;
  /** The rule's parameters where they are not its defaults. */
  readonly parameters: ParameterValues;
  /** Rule with which another is compared, if the kind needs two rules. */
  readonly against: string;
  readonly group: GroupCondition;
  /** Question, HTML. */
  readonly text: string;
}

/** Parts of the course, in their order. */
export const UNITS = ['story', 'credit', 'limits'] as const;
export type Unit = (typeof UNITS)[number];

/** Data of a lesson that every list of lessons shows. */
export interface LessonHead {
  readonly name: string;
  /** Place in the course, from 1. */
  readonly order: number;
  /** Part of the course, one of UNITS. */
  readonly unit: Unit;
  readonly minutes: number;
  readonly title: string;
  readonly sentence: string;
  /** The predicted line and its run. */
  readonly predict: Pick<LessonPrediction, 'run' | 'line'>;
  /** Training time [s]; undefined if it was not measured. */
  readonly seconds: number | undefined;
  /** Drawn for it. */
  readonly picture: LessonPicture | undefined;
}

/** A text of a lesson, as HTML made from Markdown without HTML in it. */
export interface LessonText {
  /** Read before the experiment. */
  readonly before: string;
  /** Read when the curve is there. */
  readonly after: string;
}

/** Figures of measured values that lessons can show. */
export const FIGURES = ['decision-density'] as const;
export type FigureName = (typeof FIGURES)[number];

/** A picture that needs no language, in the colours of the themes. */
export interface LessonPicture {
  /** SVG of shapes alone. */
  readonly svg: string;
  /** Description of the picture, for users who do not see it. */
  readonly alt: string;
}

/** A whole lesson in one language. */
export interface Lesson extends LessonHead {
  /** Seed with which the experiment opens if the address names none. */
  readonly seed: number;
  readonly runs: readonly LessonRun[];
  /** Updates a second, so that a person can follow. */
  readonly pace: number;
  readonly predict: LessonPrediction & { readonly question: string };
  /** Lines that the result shows of each run, the predicted one first. */
  readonly lines: readonly string[];
  readonly expects: readonly Expectation[];
  /** Names of the runs that say themselves, after the experiment, what their choice of the first turn was paid. */
  readonly why: readonly string[];
  readonly exercises: readonly LessonExercise[];
  /** Exercises that are sheets; they follow the others. */
  readonly sheets: readonly LessonSheet[];
  /** The formulas that are shown with the numbers of the reader's run, in this order. */
  readonly formulas: readonly LessonFormula[];
  /** A figure of measured values behind the formulas; undefined if the lesson has none. */
  readonly figure: FigureName | undefined;
  readonly texts: Readonly<Record<Level, LessonText>>;
}

/** A lesson's files say something that they must not, or lack something: with the file and the field. */
export class LessonError extends Error {
  override readonly name = 'LessonError';
}
