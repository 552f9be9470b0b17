import { sheetOf } from '../../../../src/app/lessons/sheets/sheetOf.ts';
import { ANY_GROUP } from '../../../../src/lessons/groupCondition.ts';
import type { LessonRun } from '../../../../src/lessons/lesson.ts';
import type { LessonSheet } from '../../../../src/lessons/sheets.ts';
import { lessonGroups } from '../../lessons/lessonGroups.ts';

/** Returns a sheet of a lesson with these fields. */
export const sheetWith = (fields: Partial<LessonSheet>): LessonSheet => ({
  ...{
    kind: 'silent',
    run: 'end',
    rule: 'grpo-or',
    goal: 'once',
    begin: {},
    group: ANY_GROUP,
    text: '',
    hint: '',
    ...fields,
  },
});

/** Trains a preset and creates a sheet with these fields from its groups. */
export async function trainedSheet(preset: string, fields: Partial<LessonSheet>, controls: LessonRun['controls'] = {}) {
  const { groups, configuration } = await lessonGroups({ preset, controls, schedule: [] });
  const result = sheetOf(sheetWith(fields), groups, configuration.controls);
  if (!result) throw new Error(`${preset} gives no sheet`);
  return result;
}
