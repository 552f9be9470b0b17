import type { ParameterValues } from '../parameters/parameters.ts';

/** Sentence at the control of a reward. */
export interface RewardNote {
  readonly text: string;
  /** True if the reward has no effect at present. */
  readonly isInactive?: true;
  /** Name of a preset that shows the effect of the reward. */
  readonly preset?: string;
}

/** Texts of an environment for panels that load after the first screen. */
export interface EnvironmentNotes {
  /**
   * Returns a sentence about the reward in measured turn values. If absent, the page states that it is the training
   * reward.
   */
  readonly truth?: (settings: ParameterValues) => string;
  /**
   * Returns notes about rewards under the present controls, by name of the reward.
   * @param usesTurnRewards true if the advantages of the active rule depend on turn rewards
   */
  readonly rewards: (
    controls: ParameterValues,
    settings: ParameterValues,
    usesTurnRewards: boolean,
  ) => Readonly<Record<string, RewardNote>>;
}
