/** Characters of a foreign text that a message shows. */
const MAX_CHARACTERS = 40;
/** Entries of a list that a message names. */
const NAMED = 5;

/**
 * A foreign text in a message: between quotes, cut, and with nothing in it that moves a cursor or clears a screen.
 * @param maximum number of displayed characters
 */
export function quoted(text: string, maximum = MAX_CHARACTERS): string {
  return `"${printable(text.slice(0, maximum))}${text.length > maximum ? '…' : ''}"`;
}

/** A value in a message, short; NaN and infinities by their names, which JSON lacks. */
export function show(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return cut(printable(JSON.stringify(value.slice(0, MAX_CHARACTERS + 1))));
  return cut(printable(truncate(value)));
}

/** Numbers in a message: "1, 2, 3", "1, 2, 3, 4, 5 and 300 more". */
export function some(numbers: readonly number[]): string {
  const rest = numbers.length - NAMED;
  return `${numbers.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A text with its control characters written out, as JSON writes them. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Control characters of both blocks, those that end lines, and those that turn the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a screen
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** The beginning of a value as JSON; `JSON.stringify` takes the whole of it, however large, and fails where it is nested deep. */
function truncate(value: unknown, limit = MAX_CHARACTERS + 1): string {
  if (typeof value !== 'object' || value === null) return scalar(value, limit);
  const list = Array.isArray(value);
  const names = list ? undefined : Object.keys(value);
  const size = names?.length ?? (value as readonly unknown[]).length;
  let text = list ? '[' : '{';
  for (let index = 0; index < size && text.length < limit; index++) {
    const name = names?.[index];
    if (index > 0) text += ',';
    if (name !== undefined) text += `${JSON.stringify(name.slice(0, limit))}:`;
    const entry = (value as Record<string | number, unknown>)[name ?? index];
    text += truncate(entry, limit - text.length);
  }
  return text.length < limit ? `${text}${list ? ']' : '}'}` : text;
}

function scalar(value: unknown, limit: number): string {
  return (typeof value === 'string' ? JSON.stringify(value.slice(0, limit)) : JSON.stringify(value)) ?? String(value);
}
