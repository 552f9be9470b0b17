import { readBuffer } from '../../gpu/buffers.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import type { Minibatch, Sequence } from '../../policy/batch.ts';
import type { Policy } from '../../policy/policy.ts';

/** Words of one target in `workspace.distribution`, and the places of two of them. */
const WORDS = 4;
export const LOG_PROBABILITY = 1;
export const VALUE = 3;

/** A sequence and which of its tokens are looked at; the first never is. */
interface Looked {
  readonly tokens: ArrayLike<number>;
  readonly counts: readonly boolean[];
}

/** What is recorded for a packed minibatch, and which word of its targets is wanted. */
interface Wanted {
  readonly record: (minibatch: Minibatch) => void;
  readonly word: number;
}

/** One forward pass for looking at it: nothing moves. @returns [counted tokens] the word of each */
export async function targetPass(
  { gpu, workspace }: Policy,
  recorder: Recorder,
  all: readonly Looked[],
  { record, word }: Wanted,
): Promise<Float32Array> {
  const sequences = all.map(({ tokens, counts }): Sequence => {
    const weights = Float32Array.from(counts, Number);
    return { tokens, weights, credits: weights, slot: 0 };
  });
  workspace.packer.clear();
  const minibatch = workspace.packer.add(sequences);
  workspace.uploadBatch();
  recorder.whole(() => record(minibatch));
  const words = new Float32Array(await readBuffer(gpu.device, workspace.distribution, WORDS * minibatch.targets));
  return Float32Array.from({ length: minibatch.targets }, (_, target) => words[WORDS * target + word]);
}

/**
 * Cuts sequences into as many passes as there is room for.
 * @throws {RangeError} for one that is longer than all the room
 */
export function* passes<Item extends { readonly tokens: ArrayLike<number> }>(
  { workspace: { rowCapacity } }: Policy,
  all: readonly Item[],
): Generator<{ readonly from: number; readonly items: readonly Item[] }> {
  let from = 0;
  while (from < all.length) {
    let [until, rows] = [from, 0];
    while (until < all.length && rows + all[until].tokens.length <= rowCapacity) rows += all[until++].tokens.length;
    if (until === from) {
      throw new RangeError(`a sequence of ${all[from].tokens.length} tokens is longer than ${rowCapacity}`);
    }
    yield { from, items: all.slice(from, until) };
    from = until;
  }
}
