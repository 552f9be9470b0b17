import type { ParameterValues } from '../parameters/parameters.ts';

/** A sentence at the control of a reward. */
export interface RewardNote {
  readonly text: string;
  /** The reward has no effect at present. */
  readonly isInactive?: true;
  /** Preset that shows its effect. */
  readonly preset?: string;
}

/** Sentences of an environment for panels that load after the first screen. */
export interface EnvironmentNotes {
  /** Sentence about the reward that measured turn values count. Absent: the training reward. */
  readonly truth?: (settings: ParameterValues) => string;
  /**
   * Notes about rewards under the present controls, by name.
   * @param usesTurnRewards the advantages of the active rule depend on turn rewards
   */
  readonly rewards: (
    controls: ParameterValues,
    settings: ParameterValues,
    usesTurnRewards: boolean,
  ) => Readonly<Record<string, RewardNote>>;
}
