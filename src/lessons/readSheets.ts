import { RULES } from '../credit/rules.ts';
import type { Fields } from './fields.ts';
import type { LessonRun } from './lesson.ts';
import { lessonRun } from './lessonRun.ts';
import { readGroupCondition } from './readGroupCondition.ts';
import { GOALS, type Goal, type LessonSheet, SHEETS } from './sheets.ts';

/** Empty name of a rule, for a sheet that needs no rule. */
const NO_RULE = '';

/**
 * Reads the exercises that are sheets. The nth sheet has the texts below `## Sheet N` and `## Hint N`.
 * @param textOf returns the text below a heading of the language's file, as HTML
 * @throws {LessonError} for an unknown kind, run, rule or control, and for a missing text
 */
export function readSheets(
  list: readonly Fields[],
  runs: readonly LessonRun[],
  textOf: (title: string) => string,
): readonly LessonSheet[] {
  return list.map((fields, index) => {
    const kind = SHEETS.find((candidate) => candidate === fields.text('kind'));
    if (!kind) throw fields.wrong('kind', `one of ${SHEETS.join(', ')}`);
    const run = runs.find(({ name }) => name === fields.text('run'));
    if (!run) throw fields.wrong('run', `one of ${runs.map(({ name }) => name).join(', ')}`);
    const sheet = {
      ...{ kind, run: run.name, text: textOf(`Sheet ${index + 1}`), hint: textOf(`Hint ${index + 1}`) },
      group: readGroupCondition(fields, run),
      rule: kind === 'silent' ? ruleOf(fields) : NO_RULE,
      ...(kind === 'pay' ? payOf(fields, run) : { goal: GOALS[0], begin: {} }),
    };
    fields.end();
    return sheet;
  });
}

function ruleOf(fields: Fields): string {
  const rule = fields.text('rule');
  if (!RULES.some(({ name }) => name === rule)) throw fields.wrong('rule', `a credit rule; there is no "${rule}"`);
  return rule;
}

function payOf(fields: Fields, run: LessonRun): { goal: Goal; begin: Readonly<Record<string, number>> } {
  const goal = GOALS.find((candidate) => candidate === fields.text('goal'));
  if (!goal) throw fields.wrong('goal', `one of ${GOALS.join(', ')}`);
  const begin = Object.entries(fields.parameters('begin'));
  const { controls } = lessonRun(run);
  const amounts = begin.filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  if (begin.length > amounts.length || begin.some(([name]) => typeof controls[name] !== 'number')) {
    throw fields.wrong('begin', 'numbers by the names of controls of the run, such as "{ searchCost: 0.1 }"');
  }
  return { goal, begin: Object.fromEntries(amounts) };
}
