/**
 * Returns the items of one step, drawn from consecutive passes over all items. Each pass has a separate order.
 * @param batch number of items per step; a step has all items if there are fewer
 * @param step index from 0
 * @param orderOf returns the order of a pass (index from 0) as a permutation of the item indices [items]
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
