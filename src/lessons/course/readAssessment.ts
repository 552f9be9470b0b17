import { Fields } from '../fields.ts';
import { LessonError } from '../lesson.ts';
import { type References, toHtml } from '../markdown.ts';
import type { AssessmentQuestion } from './assessment.ts';
import { onlySections, type Sections, sectionAt, sectionsOf } from './sections.ts';

const DATA = 'course/assessment.yaml';
const TEXT = 'course/assessment.md';

/**
 * Reads and checks the assessment.
 * @param data content of `assessment.yaml`, which all languages share
 * @param text content of `assessment.md` in one language
 * @throws {LessonError} with the file, the question and the error
 */
export function readAssessment(data: string, text: string, references: References): readonly AssessmentQuestion[] {
  const fields = Fields.of(DATA, data);
  const sections = sectionsOf(text, 2, TEXT);
  const questions = fields.list('questions').map((question) => readQuestion(question, sections, references));
  const names = questions.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new LessonError(`${DATA}: the question "${twice}" comes twice`);
  onlySections(sections, names, TEXT);
  fields.end();
  return questions;
}

function readQuestion(fields: Fields, all: Sections, references: References): AssessmentQuestion {
  const name = fields.text('name');
  const lesson = fields.text('lesson');
  if (!references.lessons.has(lesson)) throw fields.wrong('lesson', 'the name of a lesson');
  const position = `${TEXT}, ${name}`;
  const subsections = sectionsOf(sectionAt(all, name, TEXT), 3, position);
  onlySections(subsections, ['Question', 'Choices', 'Why'], position);
  const names = fields.has('choices') ? fields.texts('choices') : [];
  const labels = names.length > 0 ? listOf(sectionAt(subsections, 'Choices', position), position) : [];
  if (labels.length !== names.length) throw new LessonError(`${position}: ${names.length} choices are required`);
  const right = names.length > 0 ? fields.text('right') : '';
  if (names.length > 0 && !names.includes(right)) throw fields.wrong('right', `one of ${names.join(', ')}`);
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
