/**
 * Levels of lists and objects inside one another that a field may have. What reads and writes JSON here and elsewhere
 * works level by level on the stack, which ends at some thousands; people's data have a dozen.
 */
const DEEPEST = 500;

/** Message about a field that is nested deeper. */
export const TOO_DEEP = `nested deeper than ${DEEPEST} levels`;

/** Returns true if lists and objects are nested deeper than that; works on values of any depth. */
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
