import type { GroupSignals, GroupSort } from '../../diagnosis/groupSignals.ts';
import { LOGGED } from '../../diagnosis/ruleCredits.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';

/**
 * Returns sentences about the signals of a group.
 * @param rank position of the group in the sort order, from 0
 * @param groups number of groups
 */
export function signalLines(
  { tie, opposed, rules, deviation }: GroupSignals,
  sort: GroupSort,
  rank: number,
  groups: number,
): readonly string[] {
  const texts = inspectorStrings.sort;
  const titles = rules.map((rule) => (rule === LOGGED ? texts.logged : ruleTitle(rule)));
  return [
    ...(sort === 'file' ? [] : [texts.rank(rank + 1, groups)]),
    ...(tie ? [texts.tie(tie)] : [texts.deviation(deviation.toFixed(2))]),
    ...(titles.length > 0 && !tie ? [texts.opposed(`${(100 * opposed).toFixed(0)} %`, titles)] : []),
  ];
}
