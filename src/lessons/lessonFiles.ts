import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, type Language, type Lesson, LessonError } from './lesson.ts';
import { type LessonFiles, readLesson } from './readLesson.ts';

/** Name of the folder with the assessment and the notes for teachers. */
export const COURSE = 'course';

/** Returns the names of the lessons in a folder. Their order has no meaning. */
export function lessonNames(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== COURSE)
    .map(({ name }) => name)
    .sort();
}

/**
 * Reads all lessons of a folder in one language, in the order of the course.
 * @param glossaryTerms terms that texts may link to; undefined skips the check of these links
 * @throws {LessonError} with the file and the error
 */
export function readLessons(folder: string, language: Language, glossaryTerms?: readonly string[]): readonly Lesson[] {
  const names = lessonNames(folder);
  const references = { glossaryTerms: glossaryTerms && new Set(glossaryTerms), lessons: new Set(names) };
  const lessons = names.map((name) => readLesson({ name, ...filesOf(join(folder, name), language) }, references));
  const ordered = [...lessons].sort((a, b) => a.order - b.order);
  const twice = ordered.find(({ order }, index) => ordered[index + 1]?.order === order);
  if (twice) throw new LessonError(`${twice.name}/lesson.yaml: another lesson has the order ${twice.order} too`);
  return ordered;
}

/** Returns the files that a build watches. */
export function lessonPaths(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(md|yaml|svg)$/.test(path))
    .map((path) => join(folder, path));
}

function filesOf(folder: string, language: Language): Omit<LessonFiles, 'name'> {
  const data = join(folder, 'lesson.yaml');
  if (!existsSync(data)) throw new LessonError(`${folder}: the file lesson.yaml is missing`);
  const languageFolder = join(folder, existsSync(join(folder, language)) ? language : LANGUAGES[0]);
  if (!existsSync(languageFolder)) throw new LessonError(`${folder}: the folder ${LANGUAGES[0]} is missing`);
  const texts = readdirSync(languageFolder).map((file) => [file, readFileSync(join(languageFolder, file), 'utf8')]);
  const optional = (file: string) =>
    existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : undefined;
  return {
    data: readFileSync(data, 'utf8'),
    texts: Object.fromEntries(texts),
    picture: optional('picture.svg'),
    measured: optional('measured.yaml'),
  };
}
