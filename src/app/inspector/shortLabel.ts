/**
 * Shortens a label to a number of letters. The label is cut before its last word, because neighbouring labels mostly
 * have equal beginnings and different ends: "answer v32" becomes "ans…v32".
 */
export function shortLabel(text: string, letters: number): string {
  if (text.length <= letters) return text;
  const capacity = Math.max(2, letters) - 1;
  const last = text.length - (text.lastIndexOf(' ') + 1);
  const end = last <= capacity ? last : endOf(capacity);
  return `${text.slice(0, capacity - end).trimEnd()}…${text.slice(text.length - end)}`;
}

/** Letters for the end of a last word that is too long: half of them, or all where the half would say nothing. */
function endOf(capacity: number): number {
  return capacity < 5 ? capacity : Math.ceil(capacity / 2);
}
