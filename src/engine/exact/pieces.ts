import type { Sequence } from '../../policy/batch.ts';
import type { Space } from './space.ts';

/** Complete sequences that are computed together. Their rows and targets are in the space. */
export interface Piece {
  readonly rows: number;
  readonly targets: number;
  /** Slot of the recorded log-probabilities of each target [targets]. */
  readonly slots: Int32Array;
  /** Index of the advantage of each target [targets]. */
  readonly credits: Int32Array;
  /** Weight of each target in the loss [targets]. */
  readonly weights: Float64Array;
  /** First target with which each target shares its ratio [targets]. */
  readonly sharers: Int32Array;
}

/** Splits minibatches into pieces. All pieces use the same arrays. */
export class Pieces {
  private readonly slots: Int32Array;
  private readonly credits: Int32Array;
  private readonly weights: Float64Array;
  private readonly sharers: Int32Array;
  private rows = 0;
  private targets = 0;

  constructor(private readonly space: Space) {
    const { rowLimit } = space;
    this.slots = new Int32Array(rowLimit);
    this.credits = new Int32Array(rowLimit);
    this.weights = new Float64Array(rowLimit);
    this.sharers = new Int32Array(rowLimit);
  }

  /**
   * Packs sequences without padding, in order, and passes each piece to `act`. Positions after the last target of a
   * sequence are omitted.
   * @param together number of adjacent sequences in the same piece: 2 for pairs
   * @throws {RangeError} for a sequence that is longer than the context
   */
  each(sequences: readonly Sequence[], act: (piece: Piece) => void, together = 1): void {
    for (let from = 0; from < sequences.length; from += together) {
      const group = sequences.slice(from, from + together);
      const lasts = group.map((sequence) => this.lastTarget(sequence));
      if (this.rows + lasts.reduce((sum, last) => sum + last, 0) > this.space.rowLimit) this.submit(act);
      group.forEach((sequence, index) => {
        this.add(sequence, lasts[index]);
      });
    }
    this.submit(act);
  }

  /** Returns the position of the last target, or 0 if there is no target. */
  private lastTarget({ weights }: Sequence): number {
    let last = weights.length - 1;
    while (last > 0 && weights[last] === 0) last--;
    const { context } = this.space.config;
    if (last > context) throw new RangeError(`a sequence of ${last + 1} tokens is longer than ${context}`);
    return Math.max(last, 0);
  }

  private submit(act: (piece: Piece) => void): void {
    const { rows, targets, slots, credits, weights, sharers } = this;
    [this.rows, this.targets] = [0, 0];
    if (targets > 0) act({ rows, targets, slots, credits, weights, sharers });
  }

  private add({ tokens, weights, credits, shares, slot }: Sequence, last: number): void {
    const { space } = this;
    const { i32 } = space.arena;
    const first = this.rows;
    for (let position = 0; position < last; position++) {
      const at = space.rows / 4 + 4 * this.rows++;
      i32[at] = tokens[position];
      i32[at + 1] = position > 0 ? tokens[position - 1] : -1;
      i32[at + 2] = position;
      i32[at + 3] = first;
    }
    let [sharer, share]: [number, number | undefined] = [0, undefined];
    for (let position = 1; position <= last; position++) {
      if (weights[position] === 0) continue;
      if (share === undefined || share !== shares?.[position]) sharer = this.targets;
      share = shares?.[position];
      const target = this.targets++;
      i32[space.targets / 4 + 2 * target] = first + position - 1;
      i32[space.targets / 4 + 2 * target + 1] = tokens[position];
      this.slots[target] = slot + position;
      this.credits[target] = credits[position];
      this.weights[target] = weights[position];
      this.sharers[target] = sharer;
    }
  }
}
