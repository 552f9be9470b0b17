/** Attributes of a drawing that describe its content, in addition to its geometry. */
const TEXT_ATTRIBUTES = [
  'class',
  'role',
  'aria-label',
  'aria-hidden',
  'aria-selected',
  'text-anchor',
  'stroke-dasharray',
];
const NUMBERS = [
  ...['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'rx', 'width', 'height', 'points', 'transform'],
];

/**
 * Returns the structure of all drawings of the gallery except icons as text. The text has tags, classes, roles, labels,
 * words, and whole numbers of pixels. A path is described by its number of points and its bounding box.
 * @returns one text for all states of an element, by the name of the element
 */
export function readPictures(): Record<string, string> {
  const pictures: Record<string, string> = {};
  for (const stage of document.querySelectorAll<HTMLElement>('.stage')) {
    const { name = '', picture = '' } = stage.dataset;
    const drawings = stage.querySelector(name)?.shadowRoot?.querySelectorAll('svg[role]') ?? [];
    for (const drawing of drawings)
      pictures[name] = `${pictures[name] ?? ''}${picture}\n${describeElement(drawing, '  ')}\n`;
  }
  return pictures;
}

function describeElement(element: Element, indent: string): string {
  const textAttributes = TEXT_ATTRIBUTES.flatMap((name) => attribute(element, name, (value) => value));
  const numbers = NUMBERS.flatMap((name) => attribute(element, name, roundNumbers));
  const text = [...element.childNodes]
    .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
    .map(({ data }: ChildNode & { data?: string }) => data?.trim() ?? '')
    .join('');
  const parts = [
    element.localName,
    ...textAttributes,
    ...numbers,
    ...path(element),
    ...(text ? [JSON.stringify(text)] : []),
  ];
  const inside = [...element.children].map((child) => describeElement(child, `${indent}  `));
  return `${indent}${parts.join(' ')}\n${inside.join('')}`;
}

function attribute(element: Element, name: string, shorten: (value: string) => string): string[] {
  const value = element.getAttribute(name);
  if (value === null || value === '') return [];
  const short = shorten(value);
  return [`${name}=${/[\s"]/.test(short) ? JSON.stringify(short) : short}`];
}

/** Rounds the numbers in a text to whole numbers. A rounded 0 has no sign. */
function roundNumbers(text: string): string {
  return text.replace(/-?\d+\.\d+/g, (number) => String(Math.round(Number(number)) || 0));
}

function path(element: Element): string[] {
  const d = element.getAttribute('d');
  if (d === null || !(element instanceof SVGGeometryElement)) return [];
  const points = d.match(/[A-Za-z]?[^A-Za-z]*/g)?.filter(Boolean).length ?? 0;
  const { x, y, width, height } = element.getBBox();
  const [left, top, right, bottom] = [x, y, x + width, y + height].map(Math.round);
  return [`path of ${points}, ${left}..${right}, ${top}..${bottom}`];
}
