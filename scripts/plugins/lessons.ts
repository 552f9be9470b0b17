import type { Plugin } from 'vite';
import type { Lesson } from '../../src/lessons/lesson.ts';
import { lessonPaths, readAssessmentFiles, readLessons, readTeacherFiles } from '../../src/lessons/lessonFiles.ts';

const LIST = 'virtual:lessons';
const LESSON_PREFIX = 'virtual:lesson/';

/** Modules of the assessment and the notes for teachers. */
const COURSE_MODULES: Readonly<Record<string, (folder: string, terms: readonly string[]) => unknown>> = {
  'virtual:assessment': readAssessmentFiles,
  'virtual:teacher': readTeacherFiles,
};

/**
 * Provides the lessons, the assessment and the notes for teachers to the page. `virtual:lessons` is the list of lessons.
 * Each lesson is a separate module that is loaded when the user opens it, as are the assessment and the notes. An
 * invalid file stops the build.
 * @param folder folder that contains one folder per lesson, and the folder of the course
 * @param terms terms of the glossary
 */
export function lessons(folder: string, terms: readonly string[]): Plugin {
  const content = (id: string): unknown => {
    const read = COURSE_MODULES[id];
    if (read) return read(folder, terms);
    const lesson = readLessons(folder, terms).find(({ name }) => id === `${LESSON_PREFIX}${name}`);
    if (!lesson) throw new Error(`there is no lesson ${id.slice(LESSON_PREFIX.length)}`);
    return lesson;
  };
  const isProvided = (id: string) => id === LIST || id.startsWith(LESSON_PREFIX) || Object.hasOwn(COURSE_MODULES, id);
  return {
    name: 'turnwise-lessons',
    resolveId: (id) => (isProvided(id) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith('\0') || !isProvided(id.slice(1))) return undefined;
      for (const path of lessonPaths(folder)) this.addWatchFile(path);
      if (id === `\0${LIST}`) return `export const LESSONS = [${readLessons(folder, terms).map(listed).join(', ')}];`;
      return `export default ${JSON.stringify(content(id.slice(1)))};`;
    },
  };
}

function listed({ name, order, unit, minutes, seconds, title, sentence, picture, predict }: Lesson): string {
  const { run, line } = predict;
  const head = { name, order, unit, minutes, seconds, title, sentence, picture, predict: { run, line } };
  return `{ ...${JSON.stringify(head)}, load: () => import('${LESSON_PREFIX}${name}') }`;
}
