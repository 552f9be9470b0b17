import type { CourseResult } from '../../lessons/results/courseResult.ts';
import { ResultError } from '../../lessons/results/resultError.ts';
import { readResultFile } from '../../lessons/results/resultFile.ts';
import { UsageError } from '../framework/errors.ts';
import { textOf } from '../framework/inputs.ts';
import { show } from '../framework/policyFiles.ts';

/** A result file, or the reason that it cannot be read. */
export type HandedIn =
  | { readonly file: string; readonly result: CourseResult; readonly problem?: undefined }
  | { readonly file: string; readonly problem: string; readonly result?: undefined };

/** Reads a file; what cannot be read is told, so that the others are graded. */
export function handedIn(file: string): HandedIn {
  const name = show(file);
  try {
    return { file: name, result: readResultFile(textOf(file, name)) };
  } catch (error) {
    if (error instanceof ResultError) return { file: name, problem: error.message };
    if (error instanceof UsageError) return { file: name, problem: error.message.replace(`${name} `, 'it ') };
    throw error;
  }
}
