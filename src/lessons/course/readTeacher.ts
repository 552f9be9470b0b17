import { LEVELS, LessonError, type Level } from '../lesson.ts';
import { type References, toHtml } from '../markdown.ts';
import { readMeasured } from '../readMeasured.ts';
import { onlySections, sectionAt, sectionsOf } from './sections.ts';
import type { CourseNotes, LessonNotes, TalkStep } from './teacher.ts';

const FILE = 'course/teacher.md';
const PLANS = [10, 45, 90] as const;
const PARTS = ['Goals', 'Talk track', 'Misunderstandings', 'Worksheet', 'Key'] as const;

/**
 * Reads the notes for teachers about the course.
 * @throws {LessonError} with the invalid section
 */
export function readCourseNotes(text: string, references: References): Omit<CourseNotes, 'lessons'> {
  const sections = sectionsOf(text, 2, FILE);
  onlySections(sections, ['About', ...PLANS.map((minutes) => `${minutes} minutes`)], FILE);
  const html = (title: string) => toHtml(sectionAt(sections, title, FILE), FILE, references);
  return { about: html('About'), plans: PLANS.map((minutes) => ({ minutes, text: html(`${minutes} minutes`) })) };
}

/**
 * Reads the notes for teachers of a lesson.
 * @param text content of `teacher.md` in one language
 * @param measured content of `measured.yaml`; undefined if the file does not exist
 * @throws {LessonError} with the file, the section and the error
 */
export function readLessonNotes(
  lesson: string,
  text: string,
  measured: string | undefined,
  references: References,
): LessonNotes {
  const file = `${lesson}/teacher.md`;
  const sections = sectionsOf(text, 2, file);
  onlySections(sections, PARTS, file);
  const html = (title: (typeof PARTS)[number]) => toHtml(sectionAt(sections, title, file), file, references);
  return {
    lesson,
    goals: html('Goals'),
    talk: readTalk(sectionAt(sections, 'Talk track', file), file, references),
    misunderstandings: html('Misunderstandings'),
    worksheet: html('Worksheet'),
    key: html('Key'),
    seconds: measured === undefined ? undefined : readMeasured(`${lesson}/measured.yaml`, measured),
  };
}

/** Reads the steps of a talk. Each step begins with `### TITLE (2 min) LEVEL`. */
function readTalk(text: string, file: string, references: References): readonly TalkStep[] {
  return [...sectionsOf(text, 3, file)].map(([heading, step]) => {
    const [, title = '', minutes, name] = /^(.+) \((\d+) min\) ([a-z-]+)$/.exec(heading) ?? [];
    const level = LEVELS.find((candidate): candidate is Level => candidate === name);
    if (!level) {
      throw new LessonError(
        `${file}: the step "${heading}" has to be "TITLE (2 min) LEVEL", LEVEL one of ${LEVELS.join(', ')}`,
      );
    }
    return { title, minutes: Number(minutes), level, text: toHtml(step, file, references) };
  });
}
