import { type ChallengeResult, isChallengeFile, readChallengeFile } from '../../lessons/results/challengeFile.ts';
import type { CourseResult } from '../../lessons/results/courseResult.ts';
import { ResultError } from '../../lessons/results/resultError.ts';
import { readResultFile } from '../../lessons/results/resultFile.ts';
import { UsageError } from '../framework/errors.ts';
import { textOf } from '../framework/inputs.ts';
import { show } from '../framework/policyFiles.ts';

/** A file as it was handed in: what it holds, or why it cannot be read. */
export type HandedIn =
  | (Handed & { readonly result: CourseResult; readonly challenge?: undefined; readonly problem?: undefined })
  | (Handed & { readonly challenge: ChallengeResult; readonly result?: undefined; readonly problem?: undefined })
  | (Handed & { readonly problem: string; readonly result?: undefined; readonly challenge?: undefined });

interface Handed {
  readonly file: string;
}

/** Reads a file; what cannot be read is told, so that the others are graded. */
export function handedIn(file: string): HandedIn {
  const name = show(file);
  try {
    const text = textOf(file, name);
    return isChallengeFile(text)
      ? { file: name, challenge: readChallengeFile(text) }
      : { file: name, result: readResultFile(text) };
  } catch (error) {
    if (error instanceof ResultError) return { file: name, problem: error.message };
    if (error instanceof UsageError) return { file: name, problem: error.message.replace(`${name} `, 'it ') };
    throw error;
  }
}
