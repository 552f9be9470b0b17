/** A sentence at the control of a reward. */
export interface RewardNote {
  readonly text: string;
  /** The reward has no effect at present. */
  readonly isInactive?: true;
  /** Preset that shows its effect. */
  readonly preset?: string;
}
