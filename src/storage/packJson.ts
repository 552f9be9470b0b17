/**
 * JSON in little room, for files that a page loads: the names of an object's fields are written once for all objects of that
 * shape, and a text that comes twice is written once. NaN, which JSON lacks, is kept.
 */
export interface Packed {
  /** Texts that come more than once, and those that would be taken for something else. */
  readonly texts: readonly string[];
  /** [shapes][fields] */
  readonly shapes: readonly (readonly string[])[];
  /** Numbers, booleans and null as they are; texts as they are or by their place; lists and objects as lists. */
  readonly value: unknown;
}

/** Begins a text that stands for something else: `~` for NaN, `~1a` for a text by its place, in base 36. */
const MARK = '~';
/** Stands where objects have their shape. */
const LIST = -1;
/** Shorter texts are not worth a place of their own. */
const LEAST_SHARED = 4;

type Fields = Readonly<Record<string, unknown>>;

/** @param value what JSON can hold, and NaN; fields that are undefined are left out */
export function pack(value: unknown): Packed {
  const counts = new Map<string, number>();
  countTexts(value, counts);
  const texts = [...counts].flatMap(([text, count]) => (isShared(text, count) ? [text] : []));
  const places = new Map(texts.map((text, place) => [text, `${MARK}${place.toString(36)}`]));
  const shapes: string[][] = [];
  const known = new Map<string, number>();
  const shapeOf = (names: string[]): number => {
    const key = JSON.stringify(names);
    const shape = known.get(key) ?? shapes.push(names) - 1;
    known.set(key, shape);
    return shape;
  };
  const write = (part: unknown): unknown => {
    if (typeof part === 'string') return places.get(part) ?? part;
    if (typeof part === 'number' && Number.isNaN(part)) return MARK;
    if (Array.isArray(part)) return [LIST, ...part.map(write)];
    if (typeof part !== 'object' || part === null) return part;
    const fields = Object.entries(part).filter(([, field]) => field !== undefined);
    return [shapeOf(fields.map(([name]) => name)), ...fields.map(([, field]) => write(field))];
  };
  return { texts, shapes, value: write(value) };
}

/** @throws {RangeError} where a text or a shape is named that is not there */
export function unpack({ texts, shapes, value }: Packed): unknown {
  const read = (part: unknown): unknown => {
    if (typeof part === 'string') return part.startsWith(MARK) ? textOf(part) : part;
    if (!Array.isArray(part)) return part;
    const [shape, ...items] = part;
    if (shape === LIST) return items.map(read);
    const names = shapes[shape as number];
    if (names?.length !== items.length) throw new RangeError(`there is no shape ${shape} of ${items.length} fields`);
    return Object.fromEntries(names.map((name, index) => [name, read(items[index])]));
  };
  const textOf = (part: string): unknown => {
    if (part === MARK) return Number.NaN;
    const text = texts[Number.parseInt(part.slice(1), 36)];
    if (text === undefined) throw new RangeError(`there is no text ${part}`);
    return text;
  };
  return read(value);
}

function isShared(text: string, count: number): boolean {
  return text.startsWith(MARK) || (count > 1 && text.length >= LEAST_SHARED);
}

function countTexts(part: unknown, counts: Map<string, number>): void {
  if (typeof part === 'string') counts.set(part, (counts.get(part) ?? 0) + 1);
  else if (Array.isArray(part)) for (const item of part) countTexts(item, counts);
  else if (typeof part === 'object' && part !== null)
    for (const field of Object.values(part as Fields)) countTexts(field, counts);
}
