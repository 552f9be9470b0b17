import type { Reliability } from '../../environments/environment.ts';
import type { ModelProgress } from '../data/protocol.ts';

/** The training of a reward model was told to stop. What it has done is kept: it goes on when the model is asked for again. */
export class ModelStopped extends Error {}

/** Who watches the training of a reward model. */
export interface MakingHooks {
  progress(progress: ModelProgress): void;
  /** Stops what is being made when it is asked. */
  signal(): AbortSignal;
}

/** Makes a reward model for a run that waits for it. @returns its file @throws {ModelStopped} */
export type MakeModel = (reliability: Reliability, hooks: MakingHooks) => Promise<ArrayBuffer>;
