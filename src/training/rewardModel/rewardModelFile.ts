import { CheckpointError, checkpointMetadata, readCheckpoint, writeCheckpoint } from '../../policy/checkpoint.ts';
import type { PolicyState } from '../../policy/policy.ts';
import type { PolicyConfiguration } from '../../policy/policyConfiguration.ts';

/** There is no reward model that could pay, or it is not finished; the message says what to do. */
export class RewardModelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RewardModelError';
  }
}

/** What decides a reward model, beside its world. */
export interface RewardModelPlan {
  /** Optimiser steps. */
  readonly steps: number;
  /** Most pairs that it is trained on; 0 for all. */
  readonly pairs: number;
  /** Rollouts of each problem that the programs are taken from. */
  readonly samples: number;
  readonly seed: number;
}

/** What a model is trained by where nobody says otherwise. */
export const STANDARD_REWARD_MODEL: RewardModelPlan = { steps: 400, pairs: 0, samples: 16, seed: 1 };

/** How far the training of a reward model is. */
export interface RewardModelProgress extends RewardModelPlan {
  /** Steps done. */
  readonly done: number;
  /** Mean value of the programs that it was trained on; null until all steps are done. */
  readonly centre: number | null;
}

/** A reward model on the CPU. */
export interface SavedRewardModel {
  readonly progress: RewardModelProgress;
  readonly state: PolicyState;
}

/** Shape of the reward model of a policy. */
const modelOf = (policy: PolicyConfiguration): PolicyConfiguration => ({ ...policy, valueHead: true });

/**
 * Writes a reward model as a checkpoint (writeCheckpoint): the tensors of the policy, and `valueHead`. A finished one is
 * written without the moments of its optimiser.
 * @param metadata strings that go along
 */
export function writeRewardModel(
  policy: PolicyConfiguration,
  { progress, state }: { progress: RewardModelProgress; state: Omit<PolicyState, 'reference' | 'critic'> },
  metadata: Readonly<Record<string, string>> = {},
): ArrayBuffer {
  const { parameters, firstMoment, secondMoment, steps } = state;
  const kept = progress.centre === null ? { parameters, firstMoment, secondMoment, steps } : { parameters };
  return writeCheckpoint(modelOf(policy), kept, { ...metadata, rewardModel: JSON.stringify(progress) });
}

/**
 * Reads a reward model, finished or not.
 * @throws {CheckpointError} for a damaged file, one of another policy, or one that is no reward model
 */
export function readRewardModel(policy: PolicyConfiguration, file: ArrayBuffer): SavedRewardModel {
  const told = checkpointMetadata(file).rewardModel;
  if (typeof told !== 'string')
    throw new CheckpointError('the checkpoint is no reward model: its metadata tells of none');
  return { progress: readProgress(told), state: readCheckpoint(modelOf(policy), file) };
}

function readProgress(text: string): RewardModelProgress {
  let told: Partial<RewardModelProgress> | null;
  try {
    told = JSON.parse(text);
  } catch {
    throw new CheckpointError('the checkpoint\'s metadata "rewardModel" is not JSON');
  }
  const { centre = null, ...counts } = told ?? {};
  const bad = (['steps', 'pairs', 'samples', 'seed', 'done'] as const).find((name) => !Number.isInteger(counts[name]));
  if (bad) throw new CheckpointError(`the checkpoint's metadata "rewardModel" has no whole number "${bad}"`);
  if (centre !== null && !Number.isFinite(centre)) {
    throw new CheckpointError('the checkpoint\'s metadata "rewardModel" has a centre that is no number');
  }
  return { ...(counts as Omit<RewardModelProgress, 'centre'>), centre };
}

/** What of a finished model pays. @throws {RewardModelError} where it is not finished */
export function finished({ progress, state }: SavedRewardModel): { parameters: Float32Array; centre: number } {
  const { done, steps, centre } = progress;
  if (centre === null) {
    throw new RewardModelError(
      `the reward model stopped at step ${done} of ${steps}; go on with reward-model --resume`,
    );
  }
  return { parameters: state.parameters, centre };
}
