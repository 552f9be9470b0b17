import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AssessmentQuestion, CourseNotes } from './course.ts';
import { type Lesson, LessonError } from './lesson.ts';
import type { References } from './markdown.ts';
import { readAssessment, readCourseNotes, readLessonNotes } from './readCourse.ts';
import { readLesson } from './readLesson.ts';

/** Name of the folder with the assessment and the notes for teachers. */
const COURSE = 'course';
/** Name of the folders with the texts. */
const TEXTS = 'en';

/**
 * Reads all lessons of a folder, in the order of the course.
 * @param glossaryTerms terms that texts may link to; undefined skips the check of these links
 * @throws {LessonError} with the file and the error
 */
export function readLessons(folder: string, glossaryTerms?: readonly string[]): readonly Lesson[] {
  const references = referencesOf(folder, glossaryTerms);
  const lessons = [...references.lessons].map((name) => {
    const read = (file: string) => textIn(join(folder, name, file));
    const data = read('lesson.yaml');
    if (data === undefined) throw new LessonError(`${join(folder, name)}: the file lesson.yaml is missing`);
    const textFolder = join(folder, name, TEXTS);
    if (!existsSync(textFolder)) throw new LessonError(`${join(folder, name)}: the folder ${TEXTS} is missing`);
    const texts = readdirSync(textFolder).map((file) => [file, read(join(TEXTS, file)) ?? ''] as const);
    const files = { name, data, picture: read('picture.svg'), measured: read('measured.yaml') };
    return readLesson({ ...files, texts: Object.fromEntries(texts) }, references);
  });
  const ordered = lessons.sort((a, b) => a.order - b.order);
  const twice = ordered.find(({ order }, index) => ordered[index + 1]?.order === order);
  if (twice) throw new LessonError(`${twice.name}/lesson.yaml: another lesson has the order ${twice.order} too`);
  return ordered;
}

/**
 * Reads the assessment of a folder of lessons.
 * @param glossaryTerms terms that texts may link to; undefined skips the check of these links
 * @throws {LessonError} with the file and the error
 */
export function readAssessmentFiles(folder: string, glossaryTerms?: readonly string[]): readonly AssessmentQuestion[] {
  const [data, text] = ['assessment.yaml', join(TEXTS, 'assessment.md')].map((file) => courseFile(folder, file));
  return readAssessment(data ?? '', text ?? '', referencesOf(folder, glossaryTerms));
}

/**
 * Reads the notes for teachers of the course and of the lessons that have notes, in the order of the course.
 * @param glossaryTerms terms that texts may link to; undefined skips the check of these links
 * @throws {LessonError} with the file and the error
 */
export function readTeacherFiles(folder: string, glossaryTerms?: readonly string[]): CourseNotes {
  const references = referencesOf(folder, glossaryTerms);
  const lessons = readLessons(folder, glossaryTerms).flatMap(({ name, seconds }) => {
    const text = textIn(join(folder, name, TEXTS, 'teacher.md'));
    return text === undefined ? [] : [{ ...readLessonNotes(name, text, references), seconds }];
  });
  return { ...readCourseNotes(courseFile(folder, join(TEXTS, 'teacher.md')), references), lessons };
}

/** Returns the files that a build watches. */
export function lessonPaths(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(md|yaml|svg)$/.test(path))
    .map((path) => join(folder, path));
}

function referencesOf(folder: string, glossaryTerms: readonly string[] | undefined): References {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map(({ name }) => name).filter((name) => name !== COURSE);
  return { glossaryTerms: glossaryTerms && new Set(glossaryTerms), lessons: new Set(names.sort()) };
}

function courseFile(folder: string, file: string): string {
  const text = textIn(join(folder, COURSE, file));
  if (text === undefined) throw new LessonError(`${COURSE}: the file ${file} is missing`);
  return text;
}

function textIn(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
