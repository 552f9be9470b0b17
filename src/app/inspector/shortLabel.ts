/**
 * A label that fits into so many letters. It is cut before its last word, because labels that stand together mostly begin
 * alike and end differently: "answer v32" becomes "ans…v32".
 */
export function shortLabel(text: string, letters: number): string {
  if (text.length <= letters) return text;
  const room = Math.max(2, letters) - 1;
  const last = text.length - (text.lastIndexOf(' ') + 1);
  // Where the last word alone is too long, half the room goes to its end.
  const end = last < room ? last : Math.ceil(room / 2);
  return `${text.slice(0, room - end).trimEnd()}…${text.slice(text.length - end)}`;
}
