/**
 * Moves the labels of a figure apart along one axis, as little as that takes: the curves of the page and the files of the
 * terminal label the ends of their lines with it.
 * @param wanted centres, in any order, in pixels as all the others
 * @param gap the least distance of two centres
 * @returns centres at least `gap` apart, within `low`..`high` where they fit; in the order of `wanted`
 */
export function spreadLabels(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed = [...wanted];
  let least = low;
  for (const index of order) {
    placed[index] = Math.max(placed[index] ?? 0, least);
    least = (placed[index] ?? 0) + gap;
  }
  let most = high;
  for (const index of order.reverse()) {
    placed[index] = Math.min(placed[index] ?? 0, most);
    most = (placed[index] ?? 0) - gap;
  }
  return placed;
}
