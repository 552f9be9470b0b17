/**
 * Maximum depth of nested lists and objects in a field. Recursive readers and writers of JSON overflow the stack at a
 * few thousand levels; typical data have about ten.
 */
const DEEPEST = 500;

/** Error message for a field that exceeds the maximum depth. */
export const TOO_DEEP = `nested deeper than ${DEEPEST} levels`;

/** Returns true if lists and objects of a value exceed the maximum depth. Not recursive, so it accepts any depth. */
export function tooDeep(value: unknown): boolean {
  if (!isObject(value)) return false;
  let level = [value];
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const below: object[] = [];
    for (const item of level) {
      for (const entry of Array.isArray(item) ? item : Object.values(item)) if (isObject(entry)) below.push(entry);
    }
    level = below;
  }
  return level.length > 0;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
