import { Marked } from 'marked';
import { LessonError } from './lesson.ts';

/** Targets to which a text may refer. */
export interface References {
  /** Words of the glossary; undefined if the caller has no glossary and accepts all words without a check. */
  readonly glossaryTerms: ReadonlySet<string> | undefined;
  /** Names of lessons. */
  readonly lessons: ReadonlySet<string>;
}

/**
 * Markdown as HTML. Links are `word:NAME` (a word of the glossary), `lesson:NAME`, `lab:CLAIM`,
 * `paper:NUMBER` (of arXiv) or an address.
 * @param file for messages
 * @throws {LessonError} for a link that leads nowhere, a picture, or HTML
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
      // On a phone a formula is wider than the page: who uses keys has to be able to move it.
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      link({ href, tokens }) {
        return linked(href, this.parser.parseInline(tokens), references, refuse);
      },
    },
  });
  try {
    return (marked.parse(markdown) as string).trim();
  } catch (error) {
    // The library adds to every message a request to report the error to the authors of the library.
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
