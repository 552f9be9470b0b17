import type { AssessmentQuestion, CourseNotes, LessonNotes, TalkStep } from './course.ts';
import { Fields } from './fields.ts';
import { LEVELS, LessonError } from './lesson.ts';
import { onlySections, type References, type Sections, sectionAt, sectionsOf, toHtml } from './markdown.ts';

const ASSESSMENT_DATA = 'course/assessment.yaml';
const ASSESSMENT_TEXT = 'course/assessment.md';

/**
 * Reads and checks the assessment.
 * @param data content of `assessment.yaml`
 * @param text content of `assessment.md`
 * @throws {LessonError} with the file, the question and the error
 */
export function readAssessment(data: string, text: string, references: References): readonly AssessmentQuestion[] {
  const fields = Fields.of(ASSESSMENT_DATA, data);
  const sections = sectionsOf(text, 2, ASSESSMENT_TEXT);
  const questions = fields.list('questions').map((question) => readQuestion(question, sections, references));
  const names = questions.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new LessonError(`${ASSESSMENT_DATA}: the question "${twice}" comes twice`);
  onlySections(sections, names, ASSESSMENT_TEXT);
  fields.end();
  return questions;
}

function readQuestion(fields: Fields, all: Sections, references: References): AssessmentQuestion {
  const name = fields.text('name');
  const lesson = fields.text('lesson');
  if (!references.lessons.has(lesson)) throw fields.wrong('lesson', 'the name of a lesson');
  const position = `${ASSESSMENT_TEXT}, ${name}`;
  const subsections = sectionsOf(sectionAt(all, name, ASSESSMENT_TEXT), 3, position);
  onlySections(subsections, ['Question', 'Choices', 'Why'], position);
  const names = fields.has('choices') ? fields.texts('choices') : [];
  const labels = names.length > 0 ? listOf(sectionAt(subsections, 'Choices', position), position) : [];
  if (labels.length !== names.length) throw new LessonError(`${position}: ${names.length} choices are required`);
  const right = names.length > 0 ? fields.option('right', names) : '';
  fields.end();
  const html = (title: string) => toHtml(sectionAt(subsections, title, position), position, references);
  const choices = names.map((choice, index) => ({ name: choice, label: labels[index] ?? '' }));
  return { name, lesson, question: html('Question'), choices, right, why: html('Why') };
}

/** Returns the entries of a Markdown list with one entry per line. */
function listOf(text: string, position: string): readonly string[] {
  return text.split('\n').map((line) => {
    const [, entry] = /^- (.+)$/.exec(line) ?? [];
    if (entry === undefined) throw new LessonError(`${position}: a choice is a line that begins with "- "`);
    return entry.trim();
  });
}

const NOTES = 'course/teacher.md';
const PLANS = [10, 45, 90] as const;
const PARTS = ['Goals', 'Talk track', 'Misunderstandings', 'Worksheet', 'Key'] as const;

/**
 * Reads the notes for teachers about the course.
 * @throws {LessonError} with the invalid section
 */
export function readCourseNotes(text: string, references: References): Omit<CourseNotes, 'lessons'> {
  const sections = sectionsOf(text, 2, NOTES);
  onlySections(sections, ['About', ...PLANS.map((minutes) => `${minutes} minutes`)], NOTES);
  const html = (title: string) => toHtml(sectionAt(sections, title, NOTES), NOTES, references);
  return { about: html('About'), plans: PLANS.map((minutes) => ({ minutes, text: html(`${minutes} minutes`) })) };
}

/**
 * Reads the notes for teachers of a lesson.
 * @param text content of `teacher.md`
 * @throws {LessonError} with the file, the section and the error
 */
export function readLessonNotes(lesson: string, text: string, references: References): Omit<LessonNotes, 'seconds'> {
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
  };
}

/** Reads the steps of a talk. Each step begins with `### TITLE (2 min) LEVEL`. */
function readTalk(text: string, file: string, references: References): readonly TalkStep[] {
  return [...sectionsOf(text, 3, file)].map(([heading, step]) => {
    const [, title = '', minutes, name] = /^(.+) \((\d+) min\) ([a-z-]+)$/.exec(heading) ?? [];
    const level = LEVELS.find((candidate) => candidate === name);
    if (!level) {
      throw new LessonError(
        `${file}: the step "${heading}" has to be "TITLE (2 min) LEVEL", LEVEL one of ${LEVELS.join(', ')}`,
      );
    }
    return { title, minutes: Number(minutes), level, text: toHtml(step, file, references) };
  });
}
