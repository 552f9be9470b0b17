import type { Engine } from '../../engine/engine.ts';
import type { AnyEnvironment } from '../../environments/environment.ts';
import { completeRollouts } from '../../rollouts/rolloutBatch.ts';
import type { SampledBatch } from '../collect/collectRequest.ts';
import { logProbabilities } from '../update/logProbabilities.ts';

/** Effect of an update on the turns of a group. */
export interface Push {
  /** Index of the group in the batch. */
  readonly group: number;
  /** [rollouts][turns] log-probability of each turn before the update (`before`) and after it (`after`) [nats]. */
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

/**
 * Measures the log-probabilities of a group's turns before an update.
 * @returns a function that measures them again after the update and returns both
 */
export async function watchedGroup(
  { engine, environment }: { engine: Engine; environment: AnyEnvironment },
  batch: SampledBatch,
  group: number,
): Promise<() => Promise<Push>> {
  const sequences = batch.rollouts.slice(batch.rolloutOffset[group], batch.rolloutOffset[group + 1]);
  const rollouts = environment.freshPrompts ? sequences : completeRollouts(sequences, batch.forest);
  const measure = () => logProbabilities(engine, rollouts);
  const before = await measure();
  return async () => ({ group, before, after: await measure() });
}
