import type { Engine } from '../../engine/engine.ts';
import type { AnyEnvironment } from '../../environments/environment.ts';
import { completeRollouts } from '../../rollouts/completeRollouts.ts';
import type { SampledBatch } from '../collect/collectRequest.ts';
import { logProbabilities } from '../update/logProbabilities.ts';

/** Effect of an update on the turns of a group. */
export interface Push {
  /** Index of the group in the batch. */
  readonly group: number;
  /** [rollouts][turns] log-probability of each turn before and after the update, nats. */
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

/** Looks at a group as a policy sees it now. @returns what looks at it again, after an update */
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
