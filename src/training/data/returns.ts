/** Rewards of an episode that a return sums, and their discount. */
export interface Return {
  /** `outcome`: what the episode ends with. `rewards`: that, and what every turn earns. */
  readonly kind: 'outcome' | 'rewards';
  /** Discount a turn. */
  readonly gamma: number;
  /** Added to the reward of a turn that validates; for `rewards` alone. */
  readonly bonus: number;
}
