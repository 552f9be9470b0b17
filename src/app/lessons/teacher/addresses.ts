import { writeViewAddress } from '../../address/viewAddress.ts';

/** Name after `#learn/` of the pages for teachers. */
export const TEACH = 'teach';

export const SHEETS = ['worksheet', 'key'] as const;
export type Sheet = (typeof SHEETS)[number];

/** Returns the address of a sheet of a lesson. */
export function sheetAddress(lesson: string, sheet: Sheet): string {
  return writeViewAddress('learn', TEACH, lesson, sheet);
}
