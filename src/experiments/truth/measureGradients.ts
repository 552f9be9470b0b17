import { square } from '../../numbers/exponential.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { discountedSum, turnRewards } from '../../training/collect/continuations.ts';
import type { GradientReport, MeasuredGroup, Return, TruthPlan } from '../../training/data/truthReport.ts';
import { bootstrapIntervals } from '../inference/inference.ts';
import { mean } from '../statistics.ts';
import type { TruthSampler } from './measuredGroup.ts';

/** Group, and the batch in which it was sampled. */
interface SampledGroup {
  readonly batch: RolloutBatch;
  readonly group: number;
}

interface Work {
  /** Samples groups for the large batch. @param batch index of the part of the large batch */
  readonly play: (batch: number, groups: number) => Promise<{ readonly batch: RolloutBatch }>;
  /** Number of groups to sample at a time. */
  readonly capacity: number;
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch and each group; a returned promise is awaited. */
  readonly onSampled: () => unknown;
}

/**
 * Compares the gradient of each measured group under each rule with the gradient of a large batch of other groups. The
 * advantages of the large batch are unbiased: the return minus the mean return of the other rollouts (leave-one-out,
 * Kool et al. 2019).
 * @returns undefined if no gradients are requested or the measurement was stopped
 */
export async function measureGradients(
  measurer: TruthSampler,
  sampledGroups: readonly SampledGroup[],
  measured: readonly MeasuredGroup[],
  { rules, counts, gradientGroups }: TruthPlan,
  { play, capacity, signal, onSampled: report }: Work,
): Promise<GradientReport | undefined> {
  const large = await largeGradient(
    measurer,
    { gradientGroups, counts },
    { play, capacity, signal, onSampled: report },
  );
  if (!large) return undefined;
  const names = [...rules, 'truth'];
  const cosines: number[][] = names.map(() => []);
  const sums: (Float64Array | undefined)[] = names.map(() => undefined);
  for (const [index, { batch, group }] of sampledGroups.entries()) {
    if (signal?.aborted) return undefined;
    for (const [rule, name] of names.entries()) {
      const advantage = new Float64Array(batch.forest.parent.length);
      const first = batch.forest.groupOffset[group];
      for (const turn of measured[index].turns) {
        advantage[first + turn.forestTurn] = (name === 'truth' ? turn.advantage.mean : turn.rules[name]) ?? 0;
      }
      const gradient = await measurer.gradient(batch, advantage);
      cosines[rule].push(cosine(gradient, large.gradient));
      sums[rule] = plus(sums[rule], gradient, batch.policyTokens);
    }
    await report();
  }
  return {
    groups: gradientGroups,
    halves: large.halves,
    rules: names.map((rule, index) => ({
      rule,
      cosine: bootstrapIntervals([...cosines[index].keys()], measurer.seed, (members) => [
        mean(members.map((member) => cosines[index][member])),
      ])[0],
      summed: cosine(sums[index] as Float64Array, large.gradient),
      error: relativeDistance(sums[index] as Float64Array, sums.at(-1) as Float64Array),
      cosines: cosines[index],
    })),
  };
}

/**
 * Computes the gradient of the large batch, and the cosine of the gradients of its two halves.
 * @returns undefined if no gradients are requested or the measurement was stopped
 */
export async function largeGradient(
  measurer: Pick<TruthSampler, 'gradient'>,
  { gradientGroups, counts }: Pick<TruthPlan, 'gradientGroups' | 'counts'>,
  { play, capacity, signal, onSampled: report }: Work,
): Promise<{ readonly gradient: Float64Array; readonly halves: number } | undefined> {
  if (gradientGroups === 0) return undefined;
  const halves: (Float64Array | undefined)[] = [undefined, undefined];
  for (const [number, count] of largeBatch(gradientGroups, capacity).entries()) {
    if (signal?.aborted) return undefined;
    const { batch } = await play(number, count);
    const batchGradient = await measurer.gradient(batch, computeRlooAdvantages(batch, counts));
    halves[number % 2] = plus(halves[number % 2], batchGradient, batch.policyTokens);
    await report();
  }
  const [even, odd] = halves as [Float64Array, Float64Array];
  return { gradient: plus(even, odd, 1), halves: cosine(even, odd) };
}

/**
 * Returns the number of groups of each part of the large batch: at least two parts of nearly equal size, largest first.
 */
export function largeBatch(groups: number, capacity: number): number[] {
  const batches = groups === 0 ? 0 : Math.max(2, Math.ceil(groups / capacity));
  return Array.from({ length: batches }, (_, batch) => Math.floor((groups + batches - 1 - batch) / batches));
}

/**
 * Computes [turns of the forest] the return from the turn, minus the mean return of the other rollouts of the group.
 */
export function computeRlooAdvantages(batch: RolloutBatch, counts: Return): Float64Array {
  const advantage = new Float64Array(batch.forest.parent.length);
  batch.groups.forEach((_, group) => {
    const trajectories = batch.trajectories.filter((trajectory) => trajectory.group === group);
    const rewards = trajectories.map((trajectory) => turnRewards(batch, trajectory, counts));
    const totals = rewards.map((list) => discountedSum(list, counts.gamma));
    trajectories.forEach(({ turns }, rollout) => {
      const baseline = mean(totals.filter((_, index) => index !== rollout));
      turns.forEach(({ forestTurn }, turn) => {
        advantage[forestTurn] = discountedSum(rewards[rollout].slice(turn), counts.gamma) - baseline;
      });
    });
  });
  return advantage;
}

/** Computes the cosine of two vectors; 0 if one of them is 0. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [aa, ab, bb] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    aa += square(a[index]);
    ab += a[index] * b[index];
    bb += square(b[index]);
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : 0;
}

/** Computes the norm of `a - b` relative to the norm of `b`; NaN if `b` is 0. */
export function relativeDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [difference, size] = [0, 0];
  for (let index = 0; index < b.length; index++) {
    difference += square(a[index] - b[index]);
    size += square(b[index]);
  }
  return size > 0 ? Math.sqrt(difference / size) : NaN;
}

function plus(sum: Float64Array | undefined, more: ArrayLike<number>, weight: number): Float64Array {
  return Float64Array.from(more, (value, index) => (sum?.[index] ?? 0) + weight * value);
}
