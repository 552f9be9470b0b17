/** What was read from a file, before anybody has looked at it. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields, and no list. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value for messages: as JSON, cut where it is long. */
export function show(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 40) ?? String(value));
}
