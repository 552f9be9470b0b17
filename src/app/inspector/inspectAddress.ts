import { GROUP_SORTS, type GroupSort } from '../../diagnosis/groupSignals.ts';
import { writeViewAddress } from '../address/viewAddress.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';

/** Group and sort order that a link to the Inspector selects. */
export interface InspectChoice {
  readonly sort?: GroupSort;
  /** Number of the group in the file, from 1. */
  readonly group?: number;
  /** Messages about invalid parts of the link. */
  readonly problems: readonly string[];
}

/** Parses the path of a link, for example `disagreement/17`. Invalid parts are ignored and reported in `problems`. */
export function readInspectPath([sortText, groupText]: readonly string[]): InspectChoice {
  const sort = GROUP_SORTS.find((name) => name === sortText);
  const isNumber = /^[1-9]\d{0,8}$/.test(groupText ?? '');
  const { unknownSort, noNumber } = inspectorStrings.link;
  return {
    ...(sort ? { sort } : {}),
    ...(isNumber ? { group: Number(groupText) } : {}),
    problems: [
      ...(sortText !== undefined && !sort ? [unknownSort(sortText, GROUP_SORTS.join(', '))] : []),
      ...(groupText !== undefined && !isNumber ? [noNumber(groupText)] : []),
    ],
  };
}

/** Returns the address of a group. @param at index of the group in the file */
export function inspectAddress(sort: GroupSort, at: number): string {
  return writeViewAddress('inspect', sort, String(at + 1));
}
