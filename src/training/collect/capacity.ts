import type { EngineCapacity } from '../../engine/engine.ts';
import type { RunningSequence, Wave } from './batch.ts';

/** Counter of the buffer space that groups need if all turns of their current level reach the token limit. */
export class CapacityTracker {
  /** Number of groups that fit; the first groups remain. */
  groups: number;
  private readonly tokens: number[];
  private readonly sequences: RunningSequence[][];

  constructor(
    private readonly capacity: EngineCapacity,
    groups: number,
  ) {
    this.groups = groups;
    this.tokens = new Array<number>(groups).fill(0);
    this.sequences = Array.from({ length: groups }, () => []);
  }

  /**
   * Counts the next turns of a wave, and returns the number of groups that fit. Sequences are numbered in the order of
   * sampling, so the groups that were left out at earlier levels have used numbers. If the numbers therefore exceed the
   * capacity even for the first group, its new sequences get the numbers of further groups, which are left out.
   * @param turnLimit returns the maximum number of tokens of a turn
   * @throws {RangeError} if not even the first group fits
   */
  reserve(wave: Wave, turnLimit: (turn: number) => number): number {
    const { tokens, sequences } = this;
    for (let group = wave.from; group < wave.until; group++) [tokens[group], sequences[group]] = [0, []];
    const count = (sequence: RunningSequence, more: number) => {
      tokens[sequence.group] += sequence.tokens.length + more;
      sequences[sequence.group].push(sequence);
    };
    const fresh = wave.pendingTurns.flatMap(({ sequence }) => (sequence.turns.length === 0 ? [sequence] : []));
    wave.sequences.push(...fresh);
    const continuing = new Set(wave.pendingTurns.map(({ sequence }) => sequence));
    for (const sequence of wave.sequences) if (!continuing.has(sequence)) count(sequence, 0);
    for (const { sequence, turn } of wave.pendingTurns) count(sequence, turnLimit(turn));
    if (this.groups === 0) return 0;
    const retained = this.fitting(this.groups, (group) => 1 + maximum(sequences[group].map(({ number }) => number)));
    this.groups = retained || this.renumber(fresh);
    if (this.groups === 0) {
      throw new RangeError(
        `turn ${wave.pendingTurns[0].turn + 1} of a single task takes ${sequences[0].length} sequences and up to ${tokens[0]} tokens; ` +
          `there is room for ${this.capacity.sequences} and ${this.capacity.rows}`,
      );
    }
    return this.groups;
  }

  /** Returns the number of groups, up to a limit, whose tokens fit together and whose sequences fit. */
  private fitting(limit: number, sequencesUpTo: (group: number) => number): number {
    const { sequences, rows } = this.capacity;
    let [retained, sum] = [0, 0];
    while (retained < limit && sum + this.tokens[retained] <= rows && sequencesUpTo(retained) <= sequences) {
      sum += this.tokens[retained++];
    }
    return retained;
  }

  /**
   * Gives new sequences the lowest numbers that no retained group uses. Of the groups, at most the first half is
   * retained, which both halves of a split batch know.
   * @param fresh sequences that have no turn yet
   * @returns number of groups that fit
   */
  private renumber(fresh: readonly RunningSequence[]): number {
    const { sequences } = this;
    const limit = Math.min(this.groups, Math.ceil(sequences.length / 2));
    const retained = this.fitting(limit, (group) => sequences.slice(0, group + 1).flat().length);
    const renumbered = new Set(fresh.filter(({ group }) => group < retained));
    const used = new Set(
      sequences
        .slice(0, retained)
        .flatMap((all) => all.flatMap((sequence) => (renumbered.has(sequence) ? [] : [sequence.number]))),
    );
    let next = 0;
    for (const sequence of renumbered) {
      while (used.has(next)) next++;
      sequence.number = next++;
    }
    return retained;
  }
}

const maximum = (values: readonly number[]): number => values.reduce((highest, value) => Math.max(highest, value), -1);
