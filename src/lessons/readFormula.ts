import type { Fields } from './fields.ts';
import { FORMULAS, type LessonFormula } from './formula.ts';
import type { LessonRun } from './lesson.ts';
import { readGroupCondition } from './readGroupCondition.ts';

/** @throws {LessonError} for a formula or a run that there is not */
export function readFormula(fields: Fields, runs: readonly LessonRun[]): LessonFormula {
  const of = FORMULAS.find((one) => one === fields.text('of'));
  if (!of) throw fields.wrong('of', `one of ${FORMULAS.join(', ')}`);
  const name = fields.text('run');
  const run = runs.find((one) => one.name === name);
  if (!run) throw fields.wrong('run', `one of ${runs.map((one) => one.name).join(', ')}`);
  const group = readGroupCondition(fields, run);
  fields.end();
  return { of, run: name, group };
}
