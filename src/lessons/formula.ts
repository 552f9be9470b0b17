import type { GroupCondition } from './groupCondition.ts';

/** Names of formulas whose symbols can show the numbers of a group (src/app/lessons/formulas). */
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
