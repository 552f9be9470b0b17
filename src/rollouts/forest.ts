/**
 * The forest of turns: the one structure that carries rollouts about. A group is everything sampled for one prompt,
 * a turn is one generation by the policy, and `parent` links a turn to the one it continues. Search agents make
 * chains, feedback trees make trees. On disk the same thing is JSON Lines (jsonLines.ts), on the GPU the same arrays
 * are storage buffers.
 */

/** One turn, as on disk and as credit rules read it. Unknown fields are kept. */
export interface Turn {
  /** Index of the parent turn in this group, -1 for a first turn; parents stand before their children. */
  readonly parent: number;
  /** The turn's own reward (R^I of an intermediate turn). */
  readonly reward: number;
  /** The trajectory's reward R^O, on the last turn of a trajectory. */
  readonly outcome?: number;
  /** The turn ended the task with the best possible reward. */
  readonly solved?: boolean;
  /** Result of each unit test, 0 or 1 (VeRPO). */
  readonly passed?: readonly number[];
  /** State and action signatures (RTMC). */
  readonly state?: string;
  readonly action?: string;
  readonly validates?: boolean;
  /** Number of tokens that the policy wrote in this turn. */
  readonly tokens?: number;
  /** The critic's value at each of those tokens (PPO). */
  readonly values?: readonly number[];
  readonly [field: string]: unknown;
}

/** Everything sampled for one prompt. */
export interface Group {
  readonly id: string;
  readonly turns: readonly Turn[];
  readonly [field: string]: unknown;
}

/** A batch of groups as a struct of arrays; all turns of a group are adjacent, in the order of the group. */
export interface Forest {
  readonly ids: readonly string[];
  /** [groups + 1]: turns of group g are groupOffset[g] .. groupOffset[g + 1] - 1. */
  readonly groupOffset: Uint32Array;
  /** [turns]: index of the parent in the whole forest, -1 for a first turn. */
  readonly parent: Int32Array;
  /** [turns]: depth, 0 for a first turn. */
  readonly depth: Uint32Array;
  /** [turns]: number of the trajectory that a turn belongs to, counted over the forest; only for chains. */
  readonly trajectory: Uint32Array;
  /** [turns] */
  readonly reward: Float64Array;
  /** [turns]: NaN where a turn is not the last of a trajectory. */
  readonly outcome: Float64Array;
}
