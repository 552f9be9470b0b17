/**
 * Returns the tokens before a turn of a sequence, and the tokens that the policy wrote in the turn.
 * @param turn index among the turns of the sequence
 */
export function turnTokens(
  { tokens, turnOf }: { readonly tokens: ArrayLike<number>; readonly turnOf: ArrayLike<number> },
  turn: number,
): { readonly before: readonly number[]; readonly written: readonly number[] } {
  const mask = Array.from(turnOf, (of) => of === turn);
  const all = Array.from(tokens);
  return { before: all.slice(0, mask.indexOf(true)), written: all.filter((_, at) => mask[at]) };
}
