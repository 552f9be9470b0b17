import { writeViewAddress } from '../address/viewAddress.ts';

/** Name of the assessment page in the address, after `#learn/`. */
export const QUESTIONS = 'questions';

/** Name of the pages for teachers in the address, after `#learn/`. */
export const TEACH = 'teach';

export const SHEETS = ['worksheet', 'key'] as const;
export type Sheet = (typeof SHEETS)[number];

/** Returns the address of the worksheet or the answer key of a lesson. */
export function sheetAddress(lesson: string, sheet: Sheet): string {
  return writeViewAddress('learn', TEACH, lesson, sheet);
}
