/**
 * Moves the labels of a figure apart along one axis, as little as that takes: the curves of the page and the files of the
 * terminal label the ends of their lines with it.
 * @param requested centres, in any order, in pixels as all the others
 * @param gap the least distance of two centres
 * @returns centres at least `gap` apart, within `low`..`high` if they fit; in the order of `requested`
 */
export function separateLabels(requested: readonly number[], gap: number, low: number, high: number): number[] {
  const order = requested.map((_, index) => index).sort((a, b) => (requested[a] ?? 0) - (requested[b] ?? 0));
  const positions = [...requested];
  let least = low;
  for (const index of order) {
    positions[index] = Math.max(positions[index] ?? 0, least);
    least = (positions[index] ?? 0) + gap;
  }
  let maximum = high;
  for (const index of order.reverse()) {
    positions[index] = Math.min(positions[index] ?? 0, maximum);
    maximum = (positions[index] ?? 0) - gap;
  }
  return positions;
}
