import type { Plugin } from 'vite';
import { lessonPaths } from '../lessonFiles.ts';
import { readAssessmentFiles, readTeacherFiles } from './courseFiles.ts';

const MODULES: Readonly<Record<string, (folder: string, terms: readonly string[]) => unknown>> = {
  'virtual:assessment': readAssessmentFiles,
  'virtual:teacher': readTeacherFiles,
};

/**
 * Provides the assessment and the notes for teachers to the page. Each is a module that is loaded when the user opens
 * its view. An invalid file stops the build.
 * @param folder folder that contains one folder per lesson, and the folder of the course
 * @param terms terms of the glossary
 */
export function course(folder: string, terms: readonly string[]): Plugin {
  return {
    name: 'turnwise-course',
    resolveId: (id) => (id in MODULES ? `\0${id}` : undefined),
    load(id) {
      const read = id.startsWith('\0') ? MODULES[id.slice(1)] : undefined;
      if (!read) return undefined;
      for (const path of lessonPaths(folder)) this.addWatchFile(path);
      return `export default ${JSON.stringify(read(folder, terms))};`;
    },
  };
}
