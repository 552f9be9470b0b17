/**
 * Moves the labels of a figure apart along one axis, by the smallest possible distance. The curves of the page and the
 * figures of the terminal use it for the labels at the ends of their lines.
 * @param requested centres in any order [pixels]
 * @param gap minimum distance of two centres [pixels]
 * @param low minimum centre [pixels]
 * @param high maximum centre [pixels]
 * @returns centres at least `gap` apart, from `low` to `high` if they fit, in the order of `requested`
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
