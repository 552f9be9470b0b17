import type { Scored } from '../../training/rewardModel/pairs.ts';
import type { RewardModelPlan, SavedRewardModel } from '../../training/rewardModel/rewardModelFile.ts';
import { type ModelHooks, type TrainedModel, trainedOnTurns } from '../../training/rewardModel/trainedModel.ts';
import { scoredTurns } from '../../training/rewardModel/trainRewardModel.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { Interrupted } from './errors.ts';
import { Progress, type Terminal } from './terminal.ts';

/**
 * Trains a reward model on turns sampled from the trainer's policy, with progress on the terminal. Returns the
 * unfinished model after Ctrl-C.
 * @param saved a stopped model, whose training continues
 * @throws {Interrupted} if there is no model yet
 */
export async function fitRewardModel(
  trainer: Trainer,
  plan: RewardModelPlan,
  terminal: Terminal,
  saved?: SavedRewardModel,
): Promise<TrainedModel> {
  return trainedOn(trainer, await sampledTurns(trainer, 'train', plan, terminal), plan, terminal, saved);
}

/**
 * Trains a reward model on these turns, from the trunk of the trainer's policy, with progress on the terminal. Returns
 * the unfinished model after Ctrl-C.
 * @param saved a stopped model, whose training continues; a finished model remains unchanged
 */
export async function trainedOn(
  trainer: Trainer,
  turns: readonly Scored[],
  plan: RewardModelPlan,
  terminal: Terminal,
  saved?: SavedRewardModel,
): Promise<TrainedModel> {
  let progress: Progress | undefined;
  const hooks: ModelHooks = {
    onStart: (pairs, done) => {
      terminal.err(`${pairs} pairs to train on\n`);
      progress = new Progress(terminal, plan.steps, done);
    },
    step: ({ loss, right }) => progress?.advance('step', `loss ${loss.toFixed(3)} · right ${right.toFixed(2)}`),
    signal: terminal.signal,
  };
  try {
    return await trainedOnTurns(trainer, turns, plan, hooks, saved);
  } finally {
    progress?.close();
  }
}

/**
 * Samples turns of a split with progress on the terminal (`scoredTurns`).
 * @throws {Interrupted} after Ctrl-C
 */
export async function sampledTurns(
  trainer: Trainer,
  split: 'train' | 'held-out',
  plan: RewardModelPlan,
  terminal: Terminal,
): Promise<readonly Scored[]> {
  let progress: Progress | undefined;
  let before = 0;
  try {
    return await scoredTurns(trainer, split, plan, (done, of) => {
      if (terminal.signal.aborted) throw new Interrupted();
      progress ??= new Progress(terminal, of);
      for (; before < done; before++) progress.advance('task', split);
    });
  } finally {
    progress?.close();
  }
}
