import { countEpisodes, type Facts } from '../../environments/fact.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { type Rates, rates } from '../../environments/search/searchRates.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { environmentName } from '../../training/data/configurationTables.ts';
import type { Trainer } from '../../training/run/trainer.ts';

/** Maximum number of episodes per batch of an evaluation, which is the maximum of a trainer's buffers. */
const BATCH = 256;

/**
 * Computes the rates of the current policy over `episodes` tasks of a split, without training.
 * @param signal stops between batches; the rates then cover the sampled episodes
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
 * Computes the facts that an environment declares (EnvironmentDescriptor.facts), over episodes of drawn tasks.
 * @param signal stops between batches; the facts then cover the sampled episodes
 */
export async function evaluateFacts(
  trainer: Trainer,
  episodes: number,
  split: 'train' | 'held-out',
  signal?: AbortSignal,
): Promise<Facts> {
  const { facts } = ENVIRONMENTS[environmentName(trainer.environment.name)];
  const batches = await evaluateDrawn(trainer, episodes, trainer.measurer.capacityFor(), split, signal);
  const trajectories = batches.flatMap((batch) => batch.trajectories);
  return { episodes: trajectories.length, ...countEpisodes(facts, { trajectories }) };
}

/** Samples one episode per drawn task. @param size number of episodes per batch */
async function evaluateDrawn(
  trainer: Trainer,
  episodes: number,
  size: number,
  split: 'train' | 'held-out',
  signal: AbortSignal | undefined,
): Promise<RolloutBatch[]> {
  const batches: RolloutBatch[] = [];
  for (let completed = 0; completed < episodes && !signal?.aborted; completed += size) {
    batches.push(await trainer.measurer.evaluate(Math.min(size, episodes - completed), split, batches.length));
  }
  return batches;
}
