/** Maximum number of characters of a quoted text in a message. */
const MAX_CHARACTERS = 40;
/** Maximum number of list entries in a message. */
const NAMED = 5;

/**
 * Quotes and truncates a text for a message. Control characters are escaped, because they could move the cursor or
 * clear the screen.
 * @param maximum maximum number of characters
 */
export function quoted(text: string, maximum = MAX_CHARACTERS): string {
  return `"${printable(text.slice(0, maximum))}${text.length > maximum ? '…' : ''}"`;
}

/** Formats a value as short JSON for a message. NaN and infinities, which JSON lacks, have their JavaScript names. */
export function show(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return cut(printable(JSON.stringify(value.slice(0, MAX_CHARACTERS + 1))));
  return cut(printable(truncate(value)));
}

/** Formats a list of numbers for a message, for example "1, 2, 3" or "1, 2, 3, 4, 5 and 300 more". */
export function some(numbers: readonly number[]): string {
  const rest = numbers.length - NAMED;
  return `${numbers.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Returns a text with its control characters escaped as in JSON. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Control characters (C0 and C1), line separators, and characters that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a screen
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/**
 * Returns the start of a value's JSON. `JSON.stringify` would convert all of a large value, and overflows the stack for
 * a deeply nested one.
 */
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
