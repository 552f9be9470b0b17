import type { GroupCondition } from './groupCondition.ts';

/**
 * Kinds of sheets. A sheet is an exercise with a table of groups of the user's run, and questions that the page
 * corrects.
 */
export const SHEETS = ['silent', 'meeting', 'alone', 'worth', 'pay'] as const;
export type SheetKind = (typeof SHEETS)[number];

/**
 * Goals for rewards that the user changes.
 * - `further`: every further search is profitable.
 * - `once`: further searches are not profitable, but a first search that finds the answer is.
 */
export const GOALS = ['further', 'once'] as const;
export type Goal = (typeof GOALS)[number];

/** Sheet of a lesson: an exercise on several groups of the user's run. */
export interface LessonSheet {
  readonly kind: SheetKind;
  /** Name of the run that has the groups. */
  readonly run: string;
  readonly group: GroupCondition;
  /** Rule under which groups have no credit, for `silent`. Empty for other kinds. */
  readonly rule: string;
  /** Goal of `pay`. */
  readonly goal: Goal;
  /** Controls that the user can change in `pay`, with their initial values. */
  readonly begin: Readonly<Record<string, number>>;
  /** Question as HTML. */
  readonly text: string;
  /** Hint as HTML. */
  readonly hint: string;
}
