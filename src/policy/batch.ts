/** Previous token at position 0, which has no previous token. */
export const NONE = 0xffffffff;

/** Input sequence of the network. All arrays have one entry per token. */
export interface Sequence {
  readonly tokens: ArrayLike<number>;
  /** Weight of each token in the mean of the loss; 0 for tokens that the loss excludes (policy-token mask). */
  readonly weights: ArrayLike<number>;
  /**
   * Index of the advantage of each token: its turn in the forest, or under a token rule its index among the batch's
   * policy tokens. Unused if the weight is 0.
   */
  readonly credits: ArrayLike<number>;
  /**
   * Group of tokens that share an importance ratio: adjacent tokens with equal numbers. Undefined if each token has a
   * separate ratio.
   */
  readonly shares?: ArrayLike<number> | undefined;
  /** Slot of the first token in the recorded log-probabilities: token t has slot + t. */
  readonly slot: number;
}

/** Position and size of a packed minibatch in the uploaded arrays. */
export interface Minibatch {
  readonly rowBase: number;
  readonly rows: number;
  readonly targetBase: number;
  readonly targets: number;
  /** Index of the row count in `counts`. The target count follows it. */
  readonly countIndex: number;
  readonly listBase: number;
}

/**
 * Packer of sequences without padding. `rows` are the positions that the network computes. `targets` are the tokens
 * whose log-probability is required; each is predicted at the row before it. Positions after the last target of a
 * sequence are omitted.
 */
export class BatchPacker {
  /** Token, previous token, position and first cache row of each row [rows]. */
  readonly rows: Uint32Array<ArrayBuffer>;
  /** Row, token, slot and credit of each target [targets]. */
  readonly targets: Uint32Array<ArrayBuffer>;
  readonly weights: Float32Array<ArrayBuffer>;
  /** First target of the minibatch with which each target shares an importance ratio [targets]. */
  readonly sharers: Uint32Array<ArrayBuffer>;
  readonly counts: Uint32Array<ArrayBuffer>;
  /** Lists of each minibatch: [2 vocabulary + 1] offsets, then rows by token and rows by previous token. */
  readonly lists: Uint32Array<ArrayBuffer>;
  private readonly minibatches: Minibatch[] = [];
  private rowCount = 0;
  private targetCount = 0;
  private listCount = 0;

  constructor(
    readonly capacity: BatchCapacity,
    private readonly vocab: number,
  ) {
    this.rows = new Uint32Array(4 * capacity.rows);
    this.targets = new Uint32Array(4 * capacity.rows);
    this.weights = new Float32Array(capacity.rows);
    this.sharers = new Uint32Array(capacity.rows);
    this.counts = new Uint32Array(2 * capacity.minibatches);
    this.lists = new Uint32Array(2 * capacity.rows + capacity.minibatches * (2 * vocab + 1));
  }

  /** Number of used words of each array, which limits the upload. */
  get used() {
    return {
      rows: 4 * this.rowCount,
      targets: 4 * this.targetCount,
      weights: this.targetCount,
      sharers: this.targetCount,
      counts: 2 * this.minibatches.length,
      lists: this.listCount,
    };
  }

  clear(): void {
    this.minibatches.length = 0;
    this.rowCount = 0;
    this.targetCount = 0;
    this.listCount = 0;
  }

  /**
   * Adds one minibatch.
   * @throws {RangeError} if the capacity is exceeded
   */
  add(sequences: readonly Sequence[]): Minibatch {
    const rowBase = this.rowCount;
    const targetBase = this.targetCount;
    if (this.minibatches.length === this.capacity.minibatches) throw new RangeError('too many minibatches in a batch');
    for (const sequence of sequences) this.addSequence(sequence, rowBase, targetBase);
    const minibatch: Minibatch = {
      rowBase,
      rows: this.rowCount - rowBase,
      targetBase,
      targets: this.targetCount - targetBase,
      countIndex: 2 * this.minibatches.length,
      listBase: this.listCount,
    };
    this.counts[minibatch.countIndex] = minibatch.rows;
    this.counts[minibatch.countIndex + 1] = minibatch.targets;
    this.addLists(minibatch);
    this.minibatches.push(minibatch);
    return minibatch;
  }

  private addSequence(sequence: Sequence, rowBase: number, targetBase: number): void {
    const { tokens, weights, credits, shares, slot } = sequence;
    let last = weights.length - 1;
    while (last > 0 && weights[last] === 0) last--;
    if (this.rowCount + last > this.capacity.rows)
      throw new RangeError(`more than ${this.capacity.rows} rows in a batch`);
    const first = this.rowCount - rowBase;
    for (let position = 0; position < last; position++) {
      const at = 4 * this.rowCount++;
      this.rows[at] = tokens[position];
      this.rows[at + 1] = position > 0 ? tokens[position - 1] : NONE;
      this.rows[at + 2] = position;
      this.rows[at + 3] = first;
    }
    let [sharer, share]: [number, number | undefined] = [0, undefined];
    for (let position = 1; position <= last; position++) {
      if (weights[position] === 0) continue;
      if (share === undefined || share !== shares?.[position]) sharer = this.targetCount - targetBase;
      share = shares?.[position];
      this.sharers[this.targetCount] = sharer;
      const at = 4 * this.targetCount;
      this.targets[at] = first + position - 1;
      this.targets[at + 1] = tokens[position];
      this.targets[at + 2] = slot + position;
      this.targets[at + 3] = credits[position];
      this.weights[this.targetCount++] = weights[position];
    }
  }

  /** Sorts the rows by token and by previous token, with a counting sort. */
  private addLists({ rowBase, rows, listBase }: Minibatch): void {
    const { vocab, lists } = this;
    const offsets = lists.subarray(listBase, listBase + 2 * vocab + 1).fill(0);
    const keys = (row: number): [number, number] => [
      this.rows[4 * (rowBase + row)],
      this.rows[4 * (rowBase + row) + 1],
    ];
    for (let row = 0; row < rows; row++) {
      const [token, previous] = keys(row);
      offsets[token + 1]++;
      if (previous !== NONE) offsets[vocab + previous + 1]++;
    }
    for (let i = 0; i < 2 * vocab; i++) offsets[i + 1] += offsets[i];
    const next = offsets.slice();
    const members = listBase + 2 * vocab + 1;
    for (let row = 0; row < rows; row++) {
      const [token, previous] = keys(row);
      lists[members + next[token]++] = row;
      if (previous !== NONE) lists[members + next[vocab + previous]++] = row;
    }
    this.listCount = members + offsets[2 * vocab];
  }
}

export interface BatchCapacity {
  /** Maximum number of rows of all minibatches of a batch. */
  readonly rows: number;
  readonly minibatches: number;
}
