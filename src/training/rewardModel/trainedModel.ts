import type { Trainer } from '../run/trainer.ts';
import { mislabelled, type Pair, pairsOf, type Scored } from './pairs.ts';
import type { RewardModelPlan, RewardModelProgress, SavedRewardModel } from './rewardModelFile.ts';
import { type PreferenceStep, RewardModelTraining } from './trainRewardModel.ts';

/** Trained reward model, finished or stopped. */
export interface TrainedModel {
  readonly model: {
    readonly progress: RewardModelProgress;
    readonly state: Omit<SavedRewardModel['state'], 'reference' | 'critic'>;
  };
  readonly training: RewardModelTraining;
  /** Training pairs of the model, in the order of pairsOf. */
  readonly pairs: readonly Pair[];
}

export interface ModelHooks {
  /** Called at the start of the training with the number of pairs and of finished steps. */
  readonly onStart?: (pairs: number, done: number) => void;
  readonly step?: (step: PreferenceStep) => void;
  /** Stops the training after the current step. The model then has no centre. */
  readonly signal?: AbortSignal;
}

/**
 * Trains a reward model on turns, from the trunk of the trainer's policy.
 * @param saved model to resume. A finished model is returned unchanged
 */
export async function trainedOnTurns(
  trainer: Trainer,
  turns: readonly Scored[],
  { steps, pairs: pairLimit, samples, seed, noise, bias }: RewardModelPlan,
  { onStart, step, signal }: ModelHooks,
  saved?: SavedRewardModel,
): Promise<TrainedModel> {
  const plan = { steps, pairs: pairLimit, samples, seed, noise, bias };
  const pairs = mislabelled(pairsOf(turns, seed, pairLimit), noise, seed);
  const training = await RewardModelTraining.open(trainer, plan);
  if (saved) training.model.writeState(saved.state);
  // A finished model has no saved moments, so a further step would start with new moments.
  if (saved && saved.progress.centre !== null) {
    const { progress, state } = saved;
    return { model: { progress, state: { ...state, steps } }, training, pairs };
  }
  onStart?.(pairs.length, training.done);
  await training.train(pairs, (progress) => step?.(progress), signal);
  const { done } = training;
  const centre = done === steps ? await training.centre(turns) : null;
  return { model: { progress: { ...plan, done, centre }, state: await training.model.readState() }, training, pairs };
}
