import type { Fields } from './fields.ts';
import { FORMULAS, type LessonFormula } from './formula.ts';
import type { LessonRun } from './lesson.ts';

/** @throws {LessonError} for a formula or a run that there is not */
export function readFormula(fields: Fields, runs: readonly LessonRun[]): LessonFormula {
  const of = FORMULAS.find((one) => one === fields.text('of'));
  if (!of) throw fields.wrong('of', `one of ${FORMULAS.join(', ')}`);
  const run = fields.text('run');
  if (runs.every(({ name }) => name !== run))
    throw fields.wrong('run', `one of ${runs.map(({ name }) => name).join(', ')}`);
  fields.end();
  return { of, run };
}
