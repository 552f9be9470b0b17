import type { ModelRewards, WrittenTurn } from '../../environments/environment.ts';
import { turnTokens } from '../collect/turnTokens.ts';
import type { Trainer } from '../run/trainer.ts';

/** Sampling plan for every task of a split. */
export interface TurnPlan {
  /** Rollouts of a task. */
  readonly samples: number;
  /** Most turns of a rollout. */
  readonly turns: number;
  readonly temperature: number;
  readonly seed: number;
  /** Added to the numbers of the batches: draws of another key are others. */
  readonly key: number;
}

/** A turn that was played, with the number of its task in the split. */
export interface SampledTurn extends WrittenTurn<unknown> {
  readonly number: number;
}

/** @throws {Error} for an environment whose turns no model pays */
export function requireModelRewards({ environment }: Pick<Trainer, 'environment'>): ModelRewards<unknown> {
  if (environment.learnedReward) return environment.learnedReward;
  throw new Error(`no learned model pays turns in the environment "${environment.name}"`);
}

/**
 * Samples every task of a split with the present policy, as in training: task after task, rollout after rollout, turn
 * after turn. Repeated turns appear repeatedly in the result.
 * @param progress called with the share of the tasks that are done; an error that it throws ends the work
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
