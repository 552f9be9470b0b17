import type { PolicyState } from '../../policy/policy.ts';
import { mislabelled, type Pair, pairsOf, type Scored } from '../../training/rewardModel/pairs.ts';
import type {
  RewardModelPlan,
  RewardModelProgress,
  SavedRewardModel,
} from '../../training/rewardModel/rewardModelFile.ts';
import { RewardModelTraining, scoredTurns } from '../../training/rewardModel/trainRewardModel.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { Interrupted } from './errors.ts';
import { Progress, type Terminal } from './terminal.ts';

/** A reward model that was trained, or stopped on the way. */
interface MadeRewardModel {
  readonly model: { readonly progress: RewardModelProgress; readonly state: Omit<PolicyState, 'reference' | 'critic'> };
  readonly training: RewardModelTraining;
  /** What it was trained on, in the order in which it was told. */
  readonly pairs: readonly Pair[];
}

/**
 * Makes a reward model with progress on the terminal, from what the trainer's policy writes. After Ctrl-C it is what it
 * has become by then.
 * @param saved goes on with one that was stopped
 * @throws {Interrupted} where there is nothing yet
 */
export async function makeRewardModel(
  trainer: Trainer,
  plan: RewardModelPlan,
  terminal: Terminal,
  saved?: SavedRewardModel,
): Promise<MadeRewardModel> {
  return trainedOn(trainer, await sampledTurns(trainer, 'train', plan, terminal), plan, terminal, saved);
}

/**
 * Trains a reward model on these turns, from the trunk of the trainer's policy, with progress on the terminal. After
 * Ctrl-C it is what it has become by then.
 * @param saved goes on with one that was stopped; one that is done stays as it is
 */
export async function trainedOn(
  trainer: Trainer,
  turns: readonly Scored[],
  { steps, pairs: most, samples, seed, noise, bias }: RewardModelPlan,
  terminal: Terminal,
  saved?: SavedRewardModel,
): Promise<MadeRewardModel> {
  const plan = { steps, pairs: most, samples, seed, noise, bias };
  const pairs = mislabelled(pairsOf(turns, seed, most), noise, seed);
  terminal.err(`${pairs.length} pairs to train on\n`);
  const training = await RewardModelTraining.open(trainer, plan);
  if (saved) training.model.writeState({ ...saved.state, rule: '', updates: 0 });
  // Its moments are not kept: another step would begin anew.
  if (saved && saved.progress.centre !== null) {
    const { progress, state } = saved;
    return { model: { progress, state: { ...state, steps } }, training, pairs };
  }
  const progress = new Progress(terminal, steps, training.done);
  try {
    const told = ({ loss, right }: { loss: number; right: number }) =>
      progress.advance('step', `loss ${loss.toFixed(3)} · right ${right.toFixed(2)}`);
    await training.train(pairs, told, terminal.signal);
  } finally {
    progress.close();
  }
  const { done } = training;
  const centre = done === steps ? await training.centre(turns) : null;
  return { model: { progress: { ...plan, done, centre }, state: await training.model.readState() }, training, pairs };
}

/** Turns of a split with progress on the terminal (scoredTurns). @throws {Interrupted} after Ctrl-C */
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
