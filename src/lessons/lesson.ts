import type { ParameterValues } from '../parameters/parameters.ts';
import { EXACT, type RunConfiguration, type ScheduledChange } from '../training/data/configuration.ts';
import { PRESETS, presetRun } from '../training/data/worlds.ts';
import type { GroupCondition } from './groupCondition.ts';

/** Audiences of a text, in order of the required knowledge. */
export const LEVELS = ['five-year-old', 'high-school', 'college', 'engineer', 'phd', 'peer'] as const;
export type Level = (typeof LEVELS)[number];

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
 * - `tied`: mark the groups in which a rule gives no advantage.
 * - `meeting`: compute Q, V and the advantage of an action in a state that several attempts reached.
 * - `alone`: mark the steps of an attempt that get no credit under RTMC without a prior.
 * - `worth`: compute the exact values of both turns of an attempt in the bandit.
 * - `pay`: choose amounts for which searches have the rewards of a goal.
 */
export const EXERCISE_KINDS = [
  'advantages',
  'sign',
  'critic',
  'tree',
  'tests',
  'tied',
  'meeting',
  'alone',
  'worth',
  'pay',
] as const;
export type ExerciseKind = (typeof EXERCISE_KINDS)[number];

/**
 * Goals for rewards that the user changes.
 * - `further`: every further search is profitable.
 * - `once`: further searches are not profitable, but a first search that finds the answer is.
 */
export const GOALS = ['further', 'once'] as const;
export type Goal = (typeof GOALS)[number];

/** Exercise that the page creates from groups of the user's run and corrects. */
export interface LessonExercise {
  readonly kind: ExerciseKind;
  /** Name of the run that has the groups. */
  readonly run: string;
  /** Rule under which the exercise is computed. Empty if the kind needs no rule. */
  readonly rule: string;
  /** Parameters of the rule that differ from its defaults. */
  readonly parameters: ParameterValues;
  /** Second rule of a comparison. Empty if the kind needs one rule only. */
  readonly against: string;
  /** Goal of `pay`. */
  readonly goal: Goal;
  /** Controls that the user can change in `pay`, with their initial values. */
  readonly begin: Readonly<Record<string, number>>;
  readonly group: GroupCondition;
  /** Question as HTML. */
  readonly text: string;
  /** Hint as HTML. */
  readonly hint: string;
}

/** Names of formulas whose symbols can show the numbers of a group (src/app/lessons/exercises/plan.ts). */
export const FORMULAS = [
  'grpo-or',
  'mt-grpo',
  'grpo-mr',
  'gae',
  'murphy-mars',
  'murphy-mers',
  'verpo-tests',
  'verpo',
  'rtmc',
  'worth',
  'pay',
] as const;
export type FormulaName = (typeof FORMULAS)[number];

/** Formula that a lesson shows with the numbers of the user's run. */
export interface LessonFormula {
  readonly of: FormulaName;
  /** Name of the run that has the group. */
  readonly run: string;
  readonly group: GroupCondition;
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

/** Complete lesson. */
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
  /** Formulas with the numbers of the user's run, in order. */
  readonly formulas: readonly LessonFormula[];
  /** Figure of measured values after the formulas. undefined if the lesson has no figure. */
  readonly figure: FigureName | undefined;
  readonly texts: Readonly<Record<Level, LessonText>>;
}

/**
 * Returns the configuration of a lesson's run with seed 1. It uses the exact engine, so that curves of different users
 * can be compared.
 * @throws {Error} for an unknown preset
 */
export function lessonRun({
  preset,
  controls,
  schedule,
}: Pick<LessonRun, 'preset' | 'controls' | 'schedule'>): RunConfiguration {
  const known = PRESETS.find(({ name }) => name === preset);
  if (!known) throw new Error(`there is no preset "${preset}"`);
  const run = presetRun(known);
  return { ...run, engine: EXACT, controls: { ...run.controls, ...controls }, schedule };
}

/** Error in the files of a lesson. The message has the file and the field. */
export class LessonError extends Error {
  override readonly name = 'LessonError';
}
