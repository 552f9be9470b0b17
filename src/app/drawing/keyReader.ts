/** Number of marks by which the Page keys, and arrow keys with Shift, move. */
const STRIDE = 10;

/**
 * Returns the index of the mark to which a key moves in a drawing. Arrow keys move by one mark. Page keys, and arrow
 * keys with Shift, move by ten marks. Home and End move to the first and the last mark. No key moves past them.
 * @param now index of the current mark, or -1 if no mark is current
 * @param count number of marks
 * @returns undefined for other keys, and if there are no marks
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
