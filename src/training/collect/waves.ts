import type { EngineCapacity } from '../../engine/engine.ts';
import type { StepResult } from '../../environments/environment.ts';
import type { PendingTurn, RunningSequence } from './runningSequence.ts';

/** Groups whose turns are sampled together. */
export interface Wave {
  /** Index of the first group, and index after the last group. */
  readonly from: number;
  readonly until: number;
  /** Turns that are sampled next or wait for feedback. */
  pendingTurns: readonly PendingTurn[];
  /** All sequences so far. */
  readonly sequences: RunningSequence[];
  /** [pending turns] number of tokens that the policy wrote. */
  lengths: readonly number[];
  /** [pending turns] tokens that the policy wrote; undefined after they were passed to the environment. */
  written: readonly (readonly number[])[] | undefined;
  /** [pending turns] step results of the environment; undefined before they are requested. */
  evaluated: readonly StepResult[] | Promise<readonly StepResult[]> | undefined;
}

/** Counter of the buffer space that groups need if all turns of their current level reach the token limit. */
export class CapacityTracker {
  /** Number of groups that fit; the first groups remain. */
  groups: number;
  private readonly tokens: number[];
  private readonly highest: number[];

  constructor(
    private readonly capacity: EngineCapacity,
    groups: number,
  ) {
    this.groups = groups;
    this.tokens = new Array<number>(groups).fill(0);
    this.highest = new Array<number>(groups).fill(0);
  }

  /**
   * Counts the next turns of a wave, and returns the number of groups that fit.
   * @param turnLimit returns the maximum number of tokens of a turn
   * @throws {RangeError} if not even the first group fits
   */
  reserve(wave: Wave, turnLimit: (turn: number) => number): number {
    const { tokens, highest } = this;
    tokens.fill(0, wave.from, wave.until);
    const count = ({ group, number, tokens: sequenceTokens }: RunningSequence, more: number) => {
      tokens[group] += sequenceTokens.length + more;
      highest[group] = Math.max(highest[group], number + 1);
    };
    for (const { sequence } of wave.pendingTurns) if (sequence.turns.length === 0) wave.sequences.push(sequence);
    const continuing = new Set(wave.pendingTurns.map(({ sequence }) => sequence));
    for (const sequence of wave.sequences) if (!continuing.has(sequence)) count(sequence, 0);
    for (const { sequence, turn } of wave.pendingTurns) count(sequence, turnLimit(turn));
    const { sequences, rows } = this.capacity;
    let [retained, sum] = [0, 0];
    while (retained < this.groups && sum + tokens[retained] <= rows && highest[retained] <= sequences) {
      sum += tokens[retained++];
    }
    if (retained === 0 && this.groups > 0) {
      throw new RangeError(
        `turn ${wave.pendingTurns[0].turn + 1} of a single task takes ${highest[0]} sequences and up to ${tokens[0]} tokens; there is ` +
          `room for ${sequences} and ${rows}`,
      );
    }
    this.groups = retained;
    return retained;
  }
}
