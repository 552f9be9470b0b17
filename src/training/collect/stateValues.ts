import { mean } from '../../credit/arithmetic/normalize.ts';
import type { AnyEnvironment } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { SampledBatch } from './collectRequest.ts';
import { type ContinuationSampler, continuations, histories } from './continuations.ts';

// Values of the visited states of a batch: the policy samples continuations from the state before each turn.

/** First key of the draws, number of keys per batch, and number of batches before the keys repeat. */
const KEYS = 0x2000_0000;
const KEYS_A_BATCH = 0x100;
const BATCHES = 0x10_0000;

/** Trainer that samples the continuations. */
interface ValueSampler extends ContinuationSampler {
  readonly environment: AnyEnvironment;
  readonly controls: ParameterValues;
}

/**
 * Returns the batch with `stateValue` of each turn: the mean return of `vineContinuations` continuations from before
 * the turn, with the discount `vineGamma` per turn. Rollouts with equal first turns share these values.
 * @param key number of the batch
 */
export async function estimateStateValues<Batch extends SampledBatch>(
  sampler: ValueSampler,
  batch: Batch,
  key: number,
): Promise<Batch> {
  const { environment, controls } = sampler;
  const groupHistories = await Promise.all(
    batch.groups.map((_, group) => histories(environment, batch.tasks[group], controls, batch, group)),
  );
  const returns = await continuations(sampler, {
    starts: groupHistories.flatMap(({ starts }) => starts),
    count: controls.vineContinuations as number,
    counts: { kind: 'outcome', gamma: controls.vineGamma as number, bonus: 0 },
    sequences: environment.freshPrompts ? environment.maxTurns : 1,
    key: KEYS + (key % BATCHES) * KEYS_A_BATCH,
  });
  const stateValue = new Float64Array(batch.forest.parent.length);
  let first = 0;
  groupHistories.forEach(({ starts, before }, group) => {
    const trajectories = batch.trajectories.filter((trajectory) => trajectory.group === group);
    trajectories.forEach(({ turns }, rollout) => {
      turns.forEach(({ forestTurn }, turn) => {
        stateValue[forestTurn] = mean(returns[first + before[rollout][turn]]);
      });
    });
    first += starts.length;
  });
  const { forest } = batch;
  const groups = batch.groups.map((group, index) => ({
    ...group,
    turns: group.turns.map((turn, at) => ({ ...turn, stateValue: stateValue[forest.groupOffset[index] + at] })),
  }));
  return { ...batch, groups, forest: { ...forest, groups } };
}
