import { countEpisodes, type Facts } from '../../environments/fact.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { type Rates, rates } from '../../environments/search/searchRates.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { environmentName } from '../../training/data/configurationTables.ts';
import type { Trainer } from '../../training/run/trainer.ts';

/** Episodes of one batch of an evaluation; the most that a trainer's buffers hold. */
const BATCH = 256;

/**
 * Lets the present policy play `episodes` tasks of a split once each, without learning.
 * @param signal stops between batches; the rates are then over what was played
 */
export async function evaluate(
  trainer: Trainer,
  episodes: number,
  split: 'train' | 'held-out',
  signal?: AbortSignal,
): Promise<Rates> {
  return rates(await evaluateDrawn(trainer, episodes, BATCH, split, signal));
}

/**
 * The facts that an environment counts itself (EnvironmentDescriptor.facts), over episodes of drawn tasks.
 * @param signal stops between batches; the facts are then of what was played
 */
export async function evaluateFacts(
  trainer: Trainer,
  episodes: number,
  split: 'train' | 'held-out',
  signal?: AbortSignal,
): Promise<Facts> {
  const { facts } = ENVIRONMENTS[environmentName(trainer.environment.name)];
  const batches = await evaluateDrawn(trainer, episodes, trainer.capacityFor(), split, signal);
  const trajectories = batches.flatMap((batch) => batch.trajectories);
  return { episodes: trajectories.length, ...countEpisodes(facts, { trajectories }) };
}

/** Plays drawn tasks once each, so many at a time. */
async function evaluateDrawn(
  trainer: Trainer,
  episodes: number,
  size: number,
  split: 'train' | 'held-out',
  signal: AbortSignal | undefined,
): Promise<RolloutBatch[]> {
  const batches: RolloutBatch[] = [];
  for (let completed = 0; completed < episodes && !signal?.aborted; completed += size) {
    batches.push(await trainer.evaluate(Math.min(size, episodes - completed), split, batches.length));
  }
  return batches;
}
