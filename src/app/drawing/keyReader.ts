/** Marks that the Page keys, and arrows with Shift, pass at once. */
const STRIDE = 10;

/**
 * Returns the mark to which a key moves in the order of the marks of a drawing. Arrows move to a neighbour, Page keys
 * and arrows with Shift move ten further, Home and End move to the ends. No key moves past an end.
 * @param now index of the mark that is read; -1 for none yet
 * @param count number of marks
 * @returns the index of the mark to read; undefined for other keys, and if there is no mark to read
 */
export function indexByKey(
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  now: number,
  count: number,
): number | undefined {
  const stride = shiftKey ? STRIDE : 1;
  const positions: Readonly<Record<string, number>> = {
    ...{ ArrowLeft: now - stride, ArrowDown: now - stride, ArrowRight: now + stride, ArrowUp: now + stride },
    ...{ PageDown: now - STRIDE, PageUp: now + STRIDE, Home: 0, End: count - 1 },
  };
  const index = positions[key];
  return index === undefined || count === 0 ? undefined : Math.min(count - 1, Math.max(0, index));
}
