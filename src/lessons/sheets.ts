import type { GroupCondition } from './groupCondition.ts';

/** Kinds of exercises that are a sheet: a table of groups of the reader's own run, and questions that the page corrects. */
export const SHEETS = ['silent', 'meeting', 'alone', 'worth', 'pay'] as const;
export type SheetKind = (typeof SHEETS)[number];

/**
 * Goal for a chosen pay: every further search is profitable, or no further search is, while a first one that finds the
 * answer still is.
 */
export const GOALS = ['further', 'once'] as const;
export type Goal = (typeof GOALS)[number];

/** An exercise on groups of the reader's own run. */
export interface LessonSheet {
  readonly kind: SheetKind;
  /** Name of the run whose groups it is made from. */
  readonly run: string;
  readonly group: GroupCondition;
  /** Of `silent`, the rule whose silence is looked for. */
  readonly rule: string;
  /** Of `pay`. */
  readonly goal: Goal;
  /** Of `pay`: what the reader may change, and where it begins. */
  readonly begin: Readonly<Record<string, number>>;
  /** Question, HTML. */
  readonly text: string;
  /** HTML. */
  readonly hint: string;
}
