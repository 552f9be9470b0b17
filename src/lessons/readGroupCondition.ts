import { DEFAULT_ENVIRONMENT, ENVIRONMENTS } from '../environments/registry.ts';
import { PRESETS } from '../training/data/worlds.ts';
import type { Fields } from './fields.ts';
import { ANY_GROUP, type AttemptKind, type GroupCondition } from './groupCondition.ts';
import type { LessonRun } from './lesson.ts';

/** Maximum absolute value of an outcome. */
const LARGEST_OUTCOME = 1000;

/**
 * Reads the field `group` of a formula, an exercise or a sheet. Without this field, every group is allowed.
 * @throws {LessonError} for an update that the run does not reach, for a kind of turn that its environment lacks, and
 * for a kind of attempt that allows every attempt
 */
export function readGroupCondition(fields: Fields, run: LessonRun): GroupCondition {
  if (!fields.has('group')) return ANY_GROUP;
  const condition = fields.fields('group');
  const from = condition.has('from') ? condition.integer('from', 0, run.steps - 1) : 0;
  const has = condition.list('has').map((kind) => readKind(kind, run));
  condition.end();
  return { from, has };
}

function readKind(fields: Fields, { preset }: LessonRun): AttemptKind {
  const environment = PRESETS.find(({ name }) => name === preset)?.environment ?? DEFAULT_ENVIRONMENT;
  const known = Object.keys(ENVIRONMENTS[environment].firstTurns ?? {});
  const first = fields.has('first') ? fields.text('first') : undefined;
  if (first !== undefined && !known.includes(first)) {
    const allowed = known.length > 0 ? `one of ${known.join(', ')}` : 'left out';
    throw fields.wrong('first', `${allowed} in the environment ${environment}`);
  }
  const outcome = fields.has('outcome') ? fields.number('outcome', -LARGEST_OUTCOME, LARGEST_OUTCOME) : undefined;
  if (first === undefined && outcome === undefined) throw fields.wrong('first', 'set, unless "outcome" is');
  fields.end();
  return { ...(first === undefined ? {} : { first }), ...(outcome === undefined ? {} : { outcome }) };
}
