import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, LessonError } from '../lesson.ts';
import { COURSE, lessonNames, readLessons } from '../lessonFiles.ts';
import type { References } from '../markdown.ts';
import type { AssessmentQuestion } from './assessment.ts';
import { readAssessment } from './readAssessment.ts';
import { readCourseNotes, readLessonNotes } from './readTeacher.ts';
import type { CourseNotes } from './teacher.ts';

/**
 * Reads the assessment of a folder of lessons.
 * @param glossaryTerms terms that texts may link to; undefined skips the check of these links
 * @throws {LessonError} with the file and the error
 */
export function readAssessmentFiles(folder: string, glossaryTerms?: readonly string[]): readonly AssessmentQuestion[] {
  const data = fileOf(folder, 'assessment.yaml');
  return readAssessment(data, fileOf(folder, `${LANGUAGES[0]}/assessment.md`), referencesOf(folder, glossaryTerms));
}

/**
 * Reads the notes for teachers of the course and of the lessons that have notes, in the order of the course.
 * @param glossaryTerms terms that texts may link to; undefined skips the check of these links
 * @throws {LessonError} with the file and the error
 */
export function readTeacherFiles(folder: string, glossaryTerms?: readonly string[]): CourseNotes {
  const references = referencesOf(folder, glossaryTerms);
  const lessons = readLessons(folder, LANGUAGES[0], glossaryTerms).flatMap(({ name }) => {
    const text = textIn(join(folder, name, LANGUAGES[0], 'teacher.md'));
    return text === undefined
      ? []
      : readLessonNotes(name, text, textIn(join(folder, name, 'measured.yaml')), references);
  });
  return { ...readCourseNotes(fileOf(folder, `${LANGUAGES[0]}/teacher.md`), references), lessons };
}

function referencesOf(folder: string, glossaryTerms: readonly string[] | undefined): References {
  return { glossaryTerms: glossaryTerms && new Set(glossaryTerms), lessons: new Set(lessonNames(folder)) };
}

function fileOf(folder: string, file: string): string {
  const text = textIn(join(folder, COURSE, file));
  if (text === undefined) throw new LessonError(`${COURSE}: the file ${file} is missing`);
  return text;
}

function textIn(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
