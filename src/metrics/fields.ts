/** Fields read from a file, before any check. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns true if a value is an object with fields, and not a list. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Formats a value for a message as JSON, cut to 40 characters. */
export function show(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 40) ?? String(value));
}
