import { findRule, RULES } from '../credit/rules.ts';
import { DEFAULT_ENVIRONMENT, ENVIRONMENTS } from '../environments/registry.ts';
import { ParameterError, readParameters } from '../parameters/parameters.ts';
import { PRESETS } from '../training/data/worlds.ts';
import type { Fields } from './fields.ts';
import { ANY_GROUP, type AttemptKind, type GroupCondition } from './groupCondition.ts';
import {
  EXERCISE_KINDS,
  type ExerciseKind,
  FORMULAS,
  GOALS,
  LessonError,
  type LessonExercise,
  type LessonFormula,
  type LessonRun,
  lessonRun,
} from './lesson.ts';

/** Kinds of exercises that need no rule. */
const WITHOUT_RULE: readonly ExerciseKind[] = ['meeting', 'alone', 'worth', 'pay'];

/** Maximum absolute value of an outcome. */
const LARGEST_OUTCOME = 1000;

/**
 * Reads the exercises of a lesson. Exercise N has its text below `## Exercise N` and its hint below `## Hint N`.
 * @param usual run of an exercise that names no run
 * @param textOf returns the text below a heading of `lesson.md`, as HTML
 * @throws {LessonError} for an unknown kind, run, rule or control, and for a missing text
 */
export function readExercises(
  list: readonly Fields[],
  runs: readonly LessonRun[],
  usual: LessonRun,
  textOf: (title: string) => string,
): readonly LessonExercise[] {
  return list.map((fields, index) => {
    const kind = fields.option('kind', EXERCISE_KINDS);
    const run = fields.has('run') ? runOf(fields, runs) : usual;
    const exercise = {
      ...{ kind, run: run.name, text: textOf(`Exercise ${index + 1}`), hint: textOf(`Hint ${index + 1}`) },
      group: readGroupCondition(fields, run),
      ...(WITHOUT_RULE.includes(kind) ? { rule: '', parameters: {} } : readRule(fields)),
      against: kind === 'sign' ? ruleOf(fields, 'against') : '',
      ...(kind === 'pay' ? readGoal(fields, run) : { goal: GOALS[0], begin: {} }),
    };
    fields.end();
    return exercise;
  });
}

/**
 * Reads a formula.
 * @throws {LessonError} for an unknown formula or run
 */
export function readFormula(fields: Fields, runs: readonly LessonRun[]): LessonFormula {
  const of = fields.option('of', FORMULAS);
  const run = runOf(fields, runs);
  const group = readGroupCondition(fields, run);
  fields.end();
  return { of, run: run.name, group };
}

/** Reads the field `run`. */
export function runOf(fields: Fields, runs: readonly LessonRun[]): LessonRun {
  const names = runs.map(({ name }) => name);
  return runs[names.indexOf(fields.option('run', names))] as LessonRun;
}

function readRule(fields: Fields): Pick<LessonExercise, 'rule' | 'parameters'> {
  const rule = ruleOf(fields, 'rule');
  const parameters = fields.parameters('parameters');
  try {
    readParameters(findRule(rule).parameters, parameters);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    throw new LessonError(`${fields.position}: ${error.message}`);
  }
  return { rule, parameters };
}

function ruleOf(fields: Fields, field: string): string {
  const rule = fields.text(field);
  if (!RULES.some(({ name }) => name === rule)) throw fields.wrong(field, `a credit rule; there is no "${rule}"`);
  return rule;
}

function readGoal(fields: Fields, run: LessonRun): Pick<LessonExercise, 'goal' | 'begin'> {
  const goal = fields.option('goal', GOALS);
  const begin = Object.entries(fields.parameters('begin'));
  const { controls } = lessonRun(run);
  const amounts = begin.filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  if (begin.length > amounts.length || begin.some(([name]) => typeof controls[name] !== 'number')) {
    throw fields.wrong('begin', 'numbers by the names of controls of the run, such as "{ searchCost: 0.1 }"');
  }
  return { goal, begin: Object.fromEntries(amounts) };
}

/**
 * Reads the field `group` of a formula or an exercise. Without this field, every group is allowed.
 * @throws {LessonError} for an update that the run does not reach, for a kind of turn that its environment lacks, and
 * for a kind of attempt that allows every attempt
 */
function readGroupCondition(fields: Fields, run: LessonRun): GroupCondition {
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
