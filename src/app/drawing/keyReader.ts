/** Marks that the Page keys, and arrows with Shift, pass at once. */
const STRIDE = 10;

/**
 * Where a key leads a reader who goes through the marks of a drawing in their order: arrows to a neighbour, Page keys and
 * arrows with Shift ten further, Home and End to the ends. Nobody gets past an end.
 * @param now index of the mark that is read; -1 for none yet
 * @param count how many marks there are
 * @returns the index of the mark to read; undefined for other keys, and where there is nothing to read
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
