/**
 * Shortens a label by an ellipsis before its last word, because neighbouring labels mostly differ at the end. For
 * example, "answer v32" becomes "ans…v32".
 * @param letters maximum number of characters
 */
export function shortLabel(text: string, letters: number): string {
  if (text.length <= letters) return text;
  const capacity = Math.max(2, letters) - 1;
  const last = text.length - (text.lastIndexOf(' ') + 1);
  const end = last <= capacity ? last : endOf(capacity);
  return `${text.slice(0, capacity - end).trimEnd()}…${text.slice(text.length - end)}`;
}

/**
 * Returns the number of characters from the end of a last word that is too long: half of them, or all if there are few.
 */
function endOf(capacity: number): number {
  return capacity < 5 ? capacity : Math.ceil(capacity / 2);
}
