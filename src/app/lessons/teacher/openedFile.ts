import type { CourseResult } from '../../../lessons/results/courseResult.ts';

/** A result file that was opened. */
export interface OpenedFile {
  readonly file: string;
  readonly result: CourseResult;
}
