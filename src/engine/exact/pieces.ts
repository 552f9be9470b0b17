import type { Sequence } from '../../policy/batch.ts';
import type { Space } from './space.ts';

/** Whole sequences that go through the network together, their rows and targets in the space. */
export interface Piece {
  readonly rows: number;
  readonly targets: number;
  /** [targets] where the log-probabilities of its token are saved, its advantage, its weight. */
  readonly slots: Int32Array;
  readonly credits: Int32Array;
  readonly weights: Float64Array;
  /** [targets] first target that each shares its ratio with. */
  readonly sharers: Int32Array;
}

/** Cuts minibatches into pieces. The arrays of a piece are those of the next one too. */
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
   * Packs sequences without padding, in order, and passes each piece to `act`. Positions after a sequence's last target are left out.
   * @param together neighbours that are in one piece: 2 for pairs
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

  /** Position of the last target; 0 for none. */
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
