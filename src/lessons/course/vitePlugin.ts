import type { Plugin } from 'vite';
import { lessonPaths } from '../lessonFiles.ts';
import { readAssessmentFiles, readTeacherFiles } from './courseFiles.ts';

const MODULES: Readonly<Record<string, (folder: string, terms: readonly string[]) => unknown>> = {
  'virtual:assessment': readAssessmentFiles,
  'virtual:teacher': readTeacherFiles,
};

/**
 * Gives the page what belongs to all lessons, each as a module that is loaded when its place is opened. What has a fault stops the
 * build.
 * @param folder with a folder a lesson, and one of the course
 * @param terms of the glossary
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
