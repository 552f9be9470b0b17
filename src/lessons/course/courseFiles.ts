import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, LessonError } from '../lesson.ts';
import { COURSE, lessonNames } from '../lessonFiles.ts';
import type { References } from '../markdown.ts';
import type { AssessmentQuestion } from './assessment.ts';
import { readAssessment } from './readAssessment.ts';

/**
 * Reads the assessment of a folder of lessons.
 * @param words of the glossary, which texts may link to; not checked without
 * @throws {LessonError} naming the file and what is wrong with it
 */
export function readAssessmentFiles(folder: string, words?: readonly string[]): readonly AssessmentQuestion[] {
  const data = fileOf(folder, 'assessment.yaml');
  return readAssessment(data, fileOf(folder, `${LANGUAGES[0]}/assessment.md`), referencesOf(folder, words));
}

function referencesOf(folder: string, words: readonly string[] | undefined): References {
  return { words: words && new Set(words), lessons: new Set(lessonNames(folder)) };
}

function fileOf(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, COURSE, file), 'utf8');
  } catch {
    throw new LessonError(`${COURSE}: the file ${file} is missing`);
  }
}
