import type { LessonSheet } from '../../../lessons/sheets.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { aloneSheet } from './aloneSheet.ts';
import { meetingSheet } from './meetingSheet.ts';
import { paySheet } from './paySheet.ts';
import type { Sheet } from './sheet.ts';
import { silentSheet } from './silentSheet.ts';
import { worthSheet } from './worthSheet.ts';

/**
 * The sheet of an exercise, made from groups of the reader's own run.
 * @param controls of that run
 * @returns undefined where its groups have nothing that the exercise could ask about
 */
export function sheetOf(
  { kind, rule, goal, begin, group }: LessonSheet,
  groups: readonly GroupView[],
  controls: ParameterValues,
): Sheet | undefined {
  const rtmc = { kappa: Number(controls.kappa), bonus: Number(controls.bonus) };
  switch (kind) {
    case 'silent':
      return silentSheet(groups, rule);
    case 'meeting':
      return meetingSheet(groups, rtmc);
    case 'alone':
      return aloneSheet(groups, rtmc.bonus);
    case 'worth':
      return worthSheet(groups, group);
    case 'pay':
      return paySheet(groups, goal, begin);
  }
}
