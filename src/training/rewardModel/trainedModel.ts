import type { Trainer } from '../run/trainer.ts';
import { mislabelled, type Pair, pairsOf, type Scored } from './pairs.ts';
import type { RewardModelPlan, RewardModelProgress, SavedRewardModel } from './rewardModelFile.ts';
import { type PreferenceStep, RewardModelTraining } from './trainRewardModel.ts';

/** A reward model that was trained, or stopped on the way. */
export interface TrainedModel {
  readonly model: {
    readonly progress: RewardModelProgress;
    readonly state: Omit<SavedRewardModel['state'], 'reference' | 'critic'>;
  };
  readonly training: RewardModelTraining;
  /** Pairs that the model was trained on, in the order of training. */
  readonly pairs: readonly Pair[];
}

export interface ModelHooks {
  /** The training begins, on so many pairs, with so many steps done before. */
  readonly onStart?: (pairs: number, done: number) => void;
  readonly step?: (step: PreferenceStep) => void;
  /** Stops after the step at hand; the model is then what it has become, without a centre. */
  readonly signal?: AbortSignal;
}

/**
 * Trains a reward model on these turns, from the trunk of the trainer's policy.
 * @param saved model to resume if its training was stopped; a finished model does not change
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
  // The moments of a finished model are not saved: another step would start with new moments.
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
