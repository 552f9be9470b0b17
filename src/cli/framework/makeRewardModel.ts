import type { PolicyState } from '../../policy/policy.ts';
import { type Pair, pairsOf, type Scored } from '../../training/rewardModel/pairs.ts';
import type {
  RewardModelPlan,
  RewardModelProgress,
  SavedRewardModel,
} from '../../training/rewardModel/rewardModelFile.ts';
import { RewardModelTraining, scoredPrograms } from '../../training/rewardModel/trainRewardModel.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { Interrupted } from './errors.ts';
import { Progress, type Terminal } from './terminal.ts';

/** A reward model that was trained, or stopped on the way. */
interface MadeRewardModel {
  readonly model: { readonly progress: RewardModelProgress; readonly state: Omit<PolicyState, 'reference' | 'critic'> };
  readonly training: RewardModelTraining;
  /** What it was trained on. */
  readonly pairs: readonly Pair[];
}

/**
 * Makes a reward model with progress on the terminal, from programs of the trainer's policy. After Ctrl-C it is what it
 * has become by then.
 * @param saved goes on with one that was stopped
 * @throws {Interrupted} where there is nothing yet
 */
export async function makeRewardModel(
  trainer: Trainer,
  { steps, pairs: most, samples, seed }: RewardModelPlan,
  terminal: Terminal,
  saved?: SavedRewardModel,
): Promise<MadeRewardModel> {
  const plan = { steps, pairs: most, samples, seed };
  const programs = await sampledPrograms(trainer, 'train', plan, terminal);
  const pairs = pairsOf(programs, seed, most);
  terminal.err(`${pairs.length} pairs to train on\n`);
  const training = await RewardModelTraining.open(trainer, plan);
  if (saved) training.model.writeState({ ...saved.state, rule: '', updates: 0 });
  const progress = new Progress(terminal, steps, training.done);
  try {
    const told = ({ loss, right }: { loss: number; right: number }) =>
      progress.advance('step', `loss ${loss.toFixed(3)} · right ${right.toFixed(2)}`);
    await training.train(pairs, told, terminal.signal);
  } finally {
    progress.close();
  }
  const { done } = training;
  const centre = done === steps ? await training.centre(programs) : null;
  return { model: { progress: { ...plan, done, centre }, state: await training.model.readState() }, training, pairs };
}

/** Programs of a split with progress on the terminal (scoredPrograms). @throws {Interrupted} after Ctrl-C */
export async function sampledPrograms(
  trainer: Trainer,
  split: 'train' | 'held-out',
  plan: RewardModelPlan,
  terminal: Terminal,
): Promise<readonly Scored[]> {
  let progress: Progress | undefined;
  let before = 0;
  try {
    return await scoredPrograms(trainer, split, plan, (done, of) => {
      if (terminal.signal.aborted) throw new Interrupted();
      progress ??= new Progress(terminal, of);
      for (; before < done; before++) progress.advance('problem', split);
    });
  } finally {
    progress?.close();
  }
}
