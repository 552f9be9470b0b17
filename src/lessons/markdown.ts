import { Marked } from 'marked';
import { LessonError } from './lesson.ts';

/** Allowed targets of links in a text. */
export interface References {
  /** Terms of the glossary. undefined accepts all terms without a check. */
  readonly glossaryTerms: ReadonlySet<string> | undefined;
  /** Names of lessons. */
  readonly lessons: ReadonlySet<string>;
}

/**
 * Converts Markdown to HTML. A link is `word:NAME` (a term of the glossary), `lesson:NAME`, `lab:CLAIM`, `paper:NUMBER`
 * (of arXiv) or an address.
 * @param file file name for messages
 * @throws {LessonError} for an invalid link, a picture, or HTML
 */
export function toHtml(markdown: string, file: string, references: References): string {
  const marked = new Marked({ async: false, gfm: true });
  let fault: string | undefined;
  const refuse = (message: string): never => {
    fault = `${file}: ${message}`;
    throw new LessonError(fault);
  };
  marked.use({
    renderer: {
      html: ({ text }) => refuse(`HTML is not allowed in a lesson: ${text.trim()}`),
      image: ({ href }) => refuse(`pictures are not read yet: ${href}`),
      // A formula can be wider than a phone. The focus allows users to scroll it with the keyboard.
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      link({ href, tokens }) {
        return linked(href, this.parser.parseInline(tokens), references, refuse);
      },
    },
  });
  try {
    return (marked.parse(markdown) as string).trim();
  } catch (error) {
    // The library adds a request to report the error to its authors, so the original message is used.
    throw fault === undefined ? error : new LessonError(fault);
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function linked(
  href: string,
  text: string,
  { glossaryTerms, lessons }: References,
  refuse: (message: string) => never,
): string {
  const [, kind = '', name = ''] = /^(\w+):(.*)$/.exec(href) ?? [];
  switch (kind) {
    case 'word':
      if (glossaryTerms?.has(name) === false) refuse(`the glossary has no word "${name}"`);
      return `<button type="button" class="word" data-word="${name}">${text}</button>`;
    case 'lesson':
      if (!lessons.has(name)) refuse(`there is no lesson "${name}"`);
      return `<a href="#learn/${name}">${text}</a>`;
    case 'lab':
      // test/unit/house/labPages.test.ts tests that the claim exists.
      return `<a href="#lab/${name}">${text}</a>`;
    case 'paper':
      if (!/^\d{4}\.\d{4,5}$/.test(name)) refuse(`"${name}" is no number of arXiv`);
      return outward(`https://arxiv.org/abs/${name}`, text);
    case 'https':
      return outward(href, text);
    default:
      return refuse(`the link "${href}" is none of word:, lesson:, lab:, paper: and https:`);
  }
}

function outward(href: string, text: string): string {
  return `<a href="${href.replaceAll('"', '%22')}" target="_blank" rel="noopener">${text}</a>`;
}

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
