import type { Forest, Group } from './forest.ts';

/** One turn of a rollout with what its environment said to it. */
export interface RolloutTurn {
  /** Index in the forest, by which advantages are looked up. */
  readonly forestTurn: number;
  readonly reward: number;
  readonly components: Readonly<Record<string, number>>;
  readonly facts: Readonly<Record<string, number>>;
  readonly outcome?: number;
  readonly summary: string;
}

/** One rollout with its tokens. Three masks, three arrays: length is attention, turnOf >= 0 is the policy's tokens. */
export interface Rollout {
  /** Row in the GPU's token and log-probability tables. */
  readonly sequence: number;
  /** [tokens] */
  readonly tokens: Uint32Array;
  /** [tokens] turn of this rollout that wrote the token, -1 for the environment's tokens. */
  readonly turnOf: Int32Array;
  /** [tokens] log-probability when sampled, nats; NaN for the environment's tokens. */
  readonly logProb: Float32Array;
  /** [tokens] entropy of the distribution it was drawn from, nats; NaN for the environment's tokens. */
  readonly entropy: Float32Array;
  readonly turns: readonly RolloutTurn[];
  /** Probability of using the tool where that was decided, where the environment has such a place. */
  readonly toolProbability: number | undefined;
}

/** Everything sampled for one update. Rollouts stand in the order of the forest's trajectories. */
export interface RolloutBatch {
  readonly step: number;
  readonly groups: readonly Group[];
  readonly forest: Forest;
  readonly rollouts: readonly Rollout[];
  /** [groups + 1] first rollout of each group. */
  readonly rolloutOffset: readonly number[];
  /** [groups] the prompts in words. */
  readonly questions: readonly string[];
  /** Tokens that the policy wrote. */
  readonly policyTokens: number;
}
