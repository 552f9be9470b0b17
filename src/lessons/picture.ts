import { LessonError } from './lesson.ts';

/** Elements of a picture. Shapes need no translation, load no files and run no code. */
const ELEMENTS = new Set(['svg', 'g', 'path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon']);
const ATTRIBUTES = new Set(
  (
    'xmlns viewBox d cx cy r rx ry x y x1 y1 x2 y2 width height points ' +
    'fill stroke stroke-width stroke-linecap stroke-linejoin stroke-dasharray opacity transform'
  ).split(' '),
);
/** Colours of the page's themes, with a fallback colour outside of the page. */
const COLOUR = /^(none|currentColor|var\(--[\w-]+, #[0-9a-f]{3,6}\))$/;

/**
 * Checks the picture of a lesson.
 * @returns the SVG in one line
 * @throws {LessonError} for other content than shapes in the colours of the themes
 */
export function readPicture(file: string, svg: string): string {
  const text = svg.replaceAll(/\s+/g, ' ').trim();
  if (!/^<svg [^>]*viewBox="0 0 \d+ \d+"[^>]*>.*<\/svg>$/.test(text)) {
    throw new LessonError(`${file}: a picture is one <svg> with a viewBox that begins at 0 0`);
  }
  for (const [, name = '', attributes = ''] of text.matchAll(/<\/?([^\s/>]+)([^>]*)>/g)) {
    if (!ELEMENTS.has(name)) throw new LessonError(`${file}: <${name}> is no shape`);
    for (const [, key = '', value = ''] of attributes.matchAll(/([^\s=/]+)(?:="([^"]*)")?/g)) {
      if (!ATTRIBUTES.has(key)) throw new LessonError(`${file}: the attribute "${key}" is not known`);
      if ((key === 'fill' || key === 'stroke') && !COLOUR.test(value)) {
        throw new LessonError(
          `${file}: the colour "${value}" has to be currentColor, none or such as "var(--series-1, #1f5fbf)"`,
        );
      }
    }
  }
  return text.replaceAll('> <', '><');
}
