import type { Engine } from '../../engine/engine.ts';
import type { Sequence } from '../../engine/shared.ts';

/** Returns a sequence for a pass without training. @param counts [tokens] true for the targets of the pass */
export function targetsOf(tokens: ArrayLike<number>, counts: readonly boolean[]): Sequence {
  const weights = Float32Array.from(counts, Number);
  return { tokens, weights, credits: weights, slot: 0 };
}

/**
 * Splits sequences into passes that fit the capacity of an engine.
 * @throws {RangeError} if a sequence is longer than the capacity
 */
export function* passes<Item extends { readonly tokens: ArrayLike<number> }>(
  { capacity: { rows: rowLimit } }: Pick<Engine, 'capacity'>,
  all: readonly Item[],
): Generator<{ readonly from: number; readonly items: readonly Item[] }> {
  let from = 0;
  while (from < all.length) {
    let [until, rows] = [from, 0];
    while (until < all.length && rows + all[until].tokens.length <= rowLimit) rows += all[until++].tokens.length;
    if (until === from) {
      throw new RangeError(`a sequence of ${all[from].tokens.length} tokens is longer than ${rowLimit}`);
    }
    yield { from, items: all.slice(from, until) };
    from = until;
  }
}
