import { LessonError } from '../lesson.ts';

/** Texts of a Markdown file below headings of one level, by heading. */
export type Sections = ReadonlyMap<string, string>;

/**
 * Returns the text below each heading of a level, by the heading.
 * @param level level of the headings, 2 for `##`
 * @throws {LessonError} for a repeated heading, or text above the first heading
 */
export function sectionsOf(text: string, level: number, file: string): Sections {
  const [before = '', ...parts] = `\n${text.replaceAll('\r\n', '\n')}`.split(new RegExp(`\\n#{${level}} `));
  if (before.trim() !== '') throw new LessonError(`${file}: there is text above the first heading`);
  const sections = new Map<string, string>();
  for (const part of parts) {
    const [title = '', ...lines] = part.split('\n');
    if (sections.has(title.trim())) throw new LessonError(`${file}: the heading "${title.trim()}" comes twice`);
    sections.set(title.trim(), lines.join('\n').trim());
  }
  return sections;
}

/**
 * Returns the text below a heading.
 * @throws {LessonError} if the section is missing or empty
 */
export function sectionAt(sections: Sections, title: string, position: string): string {
  const text = sections.get(title);
  if (!text) throw new LessonError(`${position}: the section "${title}" is missing or empty`);
  return text;
}

/**
 * Checks that all headings are known.
 * @throws {LessonError} with an unknown heading
 */
export function onlySections(sections: Sections, known: readonly string[], position: string): void {
  const unknownTitle = [...sections.keys()].find((title) => !known.includes(title));
  if (unknownTitle !== undefined) throw new LessonError(`${position}: the section "${unknownTitle}" is not known`);
}
