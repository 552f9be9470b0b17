import { writePlace } from '../../address/place.ts';

/** What stands behind `#learn/` where teachers find what they need. */
export const TEACH = 'teach';

export const SHEETS = ['worksheet', 'key'] as const;
export type Sheet = (typeof SHEETS)[number];

/** Where a sheet of a lesson is. */
export function sheetAddress(lesson: string, sheet: Sheet): string {
  return writePlace('learn', TEACH, lesson, sheet);
}
