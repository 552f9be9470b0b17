import type { GroupCondition } from './groupCondition.ts';

/** Formulas whose symbols are bound to the numbers of a group (src/app/lessons/formulas). */
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

/** The formula that a lesson shows with the numbers of the reader's own run. */
export interface LessonFormula {
  readonly of: FormulaName;
  /** Name of the run whose group it is bound to. */
  readonly run: string;
  readonly group: GroupCondition;
}
