/** Definition of a return: its rewards and its discount. */
export interface Return {
  /** `outcome`: only the outcome of the episode. `rewards`: the outcome and the turn rewards. */
  readonly kind: 'outcome' | 'rewards';
  /** Discount per turn, 0 to 1. */
  readonly gamma: number;
  /** Bonus that is added to the reward of a validating turn. Only for `rewards`. */
  readonly bonus: number;
}
