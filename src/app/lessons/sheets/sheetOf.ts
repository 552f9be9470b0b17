import type { LessonSheet } from '../../../lessons/sheets.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { meetingSheet } from './meetingSheet.ts';
import { paySheet } from './paySheet.ts';
import type { Sheet } from './sheet.ts';
import { singleActionSheet } from './singleVisitSheet.ts';
import { stateValueSheet } from './stateValueSheet.ts';
import { tiedGroupSheet } from './zeroAdvantageSheet.ts';

/**
 * Creates the sheet of an exercise from groups of the user's run.
 * @param controls controls of the run
 * @returns undefined if no group is suitable
 */
export function sheetOf(
  { kind, rule, goal, begin, group }: LessonSheet,
  groups: readonly GroupView[],
  controls: ParameterValues,
): Sheet | undefined {
  const rtmc = { kappa: Number(controls.kappa), bonus: Number(controls.bonus) };
  switch (kind) {
    case 'silent':
      return tiedGroupSheet(groups, rule);
    case 'meeting':
      return meetingSheet(groups, rtmc);
    case 'alone':
      return singleActionSheet(groups, rtmc.bonus);
    case 'worth':
      return stateValueSheet(groups, group);
    case 'pay':
      return paySheet(groups, goal, begin);
  }
}
