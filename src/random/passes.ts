/**
 * Returns the items of a step, `batch` of them, or all if there are fewer: pass after pass over all of them, each in a
 * separate order.
 * @param step from 0
 * @param orderOf [items] the order of a pass, from 0: a permutation
 */
export function itemsOfStep<Item>(
  items: readonly Item[],
  batch: number,
  step: number,
  orderOf: (pass: number) => readonly number[],
): readonly Item[] {
  const size = Math.min(batch, items.length);
  const first = Math.floor((step * size) / items.length);
  const orders = [first, first + 1].map(orderOf);
  return Array.from({ length: size }, (_, index) => {
    const position = step * size + index - first * items.length;
    return items[orders[Math.floor(position / items.length)][position % items.length]];
  });
}
