import {
  CheckpointError,
  checkpointMetadata,
  type PolicyConfiguration,
  type PolicyState,
  readCheckpoint,
  writeCheckpoint,
} from '../../engine/shared.ts';
import type { Reliability } from '../../environments/environment.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { RunConfiguration } from '../data/configuration.ts';
import { worldFlags } from '../data/worlds.ts';

/** Error for a reward model that does not exist or is not finished. The message has the next step. */
export class RewardModelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RewardModelError';
  }
}

/** Parameters that determine a reward model, in addition to its world. */
export interface RewardModelPlan extends Reliability {
  /** Number of optimiser steps. */
  readonly steps: number;
  /** Maximum number of training pairs; 0 for all. */
  readonly pairs: number;
  /** Number of rollouts per task from which the pairs are drawn. */
  readonly samples: number;
  readonly seed: number;
}

/** Default plan for the training of a model. */
export const STANDARD_REWARD_MODEL: RewardModelPlan = { steps: 400, pairs: 0, samples: 16, seed: 1, noise: 0, bias: 0 };

/** Returns the default plan for a model with given label errors. */
export function planOf({ noise, bias }: Reliability): RewardModelPlan {
  return { ...STANDARD_REWARD_MODEL, noise, bias };
}

/** Mean value of the training turns of a model; by kind if there are several kinds. */
export type Centre = number | Readonly<Record<string, number>>;

/** Returns the centre of a kind. @throws {RewardModelError} if the model was not trained on turns of this kind */
export function centreOf(centre: Centre, kind: string | undefined): number {
  const kindCentre = typeof centre === 'number' ? centre : centre[kind ?? ''];
  if (kindCentre === undefined)
    throw new RewardModelError(`the reward model has learned from no turns of the kind "${kind}"`);
  return kindCentre;
}

/** Progress of the training of a reward model. */
export interface RewardModelProgress extends RewardModelPlan {
  /** Number of finished steps. */
  readonly done: number;
  /** Mean value of the training turns; null until all steps are finished. */
  readonly centre: Centre | null;
}

/** Reward model on the CPU, finished or not. */
export interface SavedRewardModel {
  readonly progress: RewardModelProgress;
  readonly state: PolicyState;
}

/** Returns the shape of the reward model of a policy. */
const shapeOf = (policy: PolicyConfiguration): PolicyConfiguration => ({ ...policy, valueHead: true });

/**
 * Writes a reward model as a checkpoint (writeCheckpoint) with the tensors of the policy and `valueHead`. A finished
 * model is written without the moments of its optimiser.
 * @param metadata additional metadata of the checkpoint
 */
export function writeRewardModel(
  policy: PolicyConfiguration,
  { progress, state }: { progress: RewardModelProgress; state: Omit<PolicyState, 'reference' | 'critic'> },
  metadata: Readonly<Record<string, string>> = {},
): ArrayBuffer {
  const { parameters, firstMoment, secondMoment, steps } = state;
  const snapshot = progress.centre === null ? { parameters, firstMoment, secondMoment, steps } : { parameters };
  return writeCheckpoint(shapeOf(policy), snapshot, { ...metadata, rewardModel: JSON.stringify(progress) });
}

/**
 * Reads a reward model, finished or not.
 * @throws {CheckpointError} if the file is damaged, is of another policy, or is not a reward model
 */
export function readRewardModel(policy: PolicyConfiguration, file: ArrayBuffer): SavedRewardModel {
  const metadata = checkpointMetadata(file).rewardModel;
  if (typeof metadata !== 'string')
    throw new CheckpointError('the checkpoint is not a reward model: its metadata has no "rewardModel"');
  return { progress: readProgress(metadata), state: readCheckpoint(shapeOf(policy), file) };
}

function readProgress(text: string): RewardModelProgress {
  let parsed: Partial<RewardModelProgress> | null;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new CheckpointError('the checkpoint\'s metadata "rewardModel" is not JSON');
  }
  // Older files have neither noise nor bias.
  const { centre = null, noise = 0, bias = 0, ...counts } = parsed ?? {};
  const bad = (['steps', 'pairs', 'samples', 'seed', 'done'] as const).find((name) => !Number.isInteger(counts[name]));
  if (bad) throw new CheckpointError(`the checkpoint's metadata "rewardModel" has no whole number "${bad}"`);
  const shares = { noise, bias };
  const wrong = (['noise', 'bias'] as const).find((name) => !(shares[name] >= 0 && shares[name] <= 1));
  if (wrong)
    throw new CheckpointError(`the checkpoint's metadata "rewardModel" has a ${wrong} that is not from 0 to 1`);
  if (centre !== null && !(typeof centre === 'number' ? [centre] : Object.values(centre)).every(Number.isFinite)) {
    throw new CheckpointError('the checkpoint\'s metadata "rewardModel" has a centre that is no number');
  }
  return { ...(counts as Omit<RewardModelProgress, 'centre' | 'noise' | 'bias'>), noise, bias, centre };
}

/** Parts of a model that are necessary to compute rewards. */
export interface FinishedRewardModel extends Reliability {
  readonly parameters: Float32Array;
  readonly centre: Centre;
}

/** Returns the parts of a finished model. @throws {RewardModelError} if the model is not finished */
export function finished({ progress, state }: SavedRewardModel): FinishedRewardModel {
  const { done, steps, centre, noise, bias } = progress;
  if (centre === null) {
    throw new RewardModelError(
      `the reward model stopped at step ${done} of ${steps}; continue with reward-model --resume`,
    );
  }
  return { parameters: state.parameters, centre, noise, bias };
}

/** Returns the error for a world without a reward model. Its message has the command that trains the model. */
export function missingModel(
  world: Pick<RunConfiguration, 'environment' | 'settings'>,
  { noise, bias }: Reliability,
): RewardModelError {
  const flags = worldFlags(world, ENVIRONMENTS[world.environment].afterWarmStart);
  const unreliable = noise > 0 || bias > 0;
  const description = unreliable ? 'unreliable reward model' : 'reward model';
  const reliabilityFlags = unreliable ? ` --noise ${noise} --bias ${bias}` : '';
  return new RewardModelError(
    `there is no ${description} of this world; make it with\n  npm run turnwise -- reward-model${flags}${reliabilityFlags}`,
  );
}
