import type { ModelRewards, WrittenTurn } from '../../environments/environment.ts';
import { turnTokens } from '../collect/turnTokens.ts';
import type { Trainer } from '../run/trainer.ts';

/** Sampling plan for all tasks of a split. */
export interface TurnPlan {
  /** Number of rollouts per task. */
  readonly samples: number;
  /** Maximum number of turns of a rollout. */
  readonly turns: number;
  readonly temperature: number;
  readonly seed: number;
  /** Key of the draws, to which the index of each batch is added. */
  readonly key: number;
}

/** Sampled turn, with the number of its task in the split. */
export interface SampledTurn extends WrittenTurn<unknown> {
  readonly number: number;
}

/** Returns the model rewards of the environment. @throws {Error} if the environment does not support reward models */
export function requireModelRewards({ environment }: Pick<Trainer, 'environment'>): ModelRewards<unknown> {
  if (environment.learnedReward) return environment.learnedReward;
  throw new Error(`no learned model pays turns in the environment "${environment.name}"`);
}

/**
 * Samples all tasks of a split with the current policy, as in training. The turns are sorted by task, rollout and turn.
 * Repeated turns are not merged.
 * @param progress called with the number of finished tasks and of all tasks. An error that it throws ends the sampling
 */
export async function sampleTurns(
  trainer: Pick<Trainer, 'environment' | 'capacityFor' | 'play'>,
  split: 'train' | 'held-out',
  { samples, turns, temperature, seed, key }: TurnPlan,
  progress: (done: number, of: number) => void,
): Promise<readonly SampledTurn[]> {
  const tasks = requireModelRewards(trainer).tasks(split);
  const capacity = trainer.capacityFor(samples * (trainer.environment.freshPrompts ? turns : 1));
  if (capacity === 0) throw new RangeError(`there is no room for ${samples} rollouts of ${turns} turns`);
  const all: SampledTurn[] = [];
  for (let from = 0; from < tasks.length; from += capacity) {
    const batch = tasks.slice(from, from + capacity);
    const { rollouts } = await trainer.play(batch, key + from, {
      branching: [samples, 1],
      sampling: { temperature, topP: 1, topK: 0 },
      seed,
      play: { mode: 'train', maxTurns: turns },
    });
    for (const rollout of rollouts) {
      rollout.turns.forEach((result, index) => {
        all.push({
          number: from + rollout.group,
          task: batch[rollout.group],
          ...turnTokens(rollout, index),
          stepResult: result,
        });
      });
    }
    progress(Math.min(from + capacity, tasks.length), tasks.length);
  }
  return all;
}
