import type { Plugin } from 'vite';
import type { Lesson } from './lesson.ts';
import { lessonPaths, readLessons } from './lessonFiles.ts';

const LIST = 'virtual:lessons';
const LESSON_PREFIX = 'virtual:lesson/';

/**
 * Provides the lessons to the page. `virtual:lessons` is the list. Each lesson is a separate module that is loaded when
 * the user opens it. An invalid lesson stops the build.
 * @param folder folder that contains one folder per lesson
 * @param terms terms of the glossary
 */
export function lessons(folder: string, terms: readonly string[]): Plugin {
  const read = () => readLessons(folder, 'en', terms);
  return {
    name: 'turnwise-lessons',
    resolveId: (id) => (id === LIST || id.startsWith(LESSON_PREFIX) ? `\0${id}` : undefined),
    load(id) {
      if (id !== `\0${LIST}` && !id.startsWith(`\0${LESSON_PREFIX}`)) return undefined;
      for (const path of lessonPaths(folder)) this.addWatchFile(path);
      if (id === `\0${LIST}`) return `export const LESSONS = [${read().map(listed).join(', ')}];`;
      const lesson = read().find(({ name }) => id === `\0${LESSON_PREFIX}${name}`);
      if (!lesson) throw new Error(`there is no lesson ${id.slice(LESSON_PREFIX.length + 1)}`);
      return `export default ${JSON.stringify(lesson)};`;
    },
  };
}

function listed({ name, order, unit, minutes, seconds, title, sentence, picture, predict }: Lesson): string {
  const { run, line } = predict;
  const head = JSON.stringify({
    name,
    order,
    unit,
    minutes,
    seconds,
    title,
    sentence,
    picture,
    predict: { run, line },
  });
  return `{ ...${head}, load: () => import('${LESSON_PREFIX}${name}') }`;
}
