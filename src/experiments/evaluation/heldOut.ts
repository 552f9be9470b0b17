import { countEpisodes, type Facts } from '../../environments/fact.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { Passed } from '../../environments/repair/evaluation.ts';
import { type Rates, rates } from '../../environments/search/searchRates.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { Evaluation } from '../../training/collect/collector.ts';
import { environmentName } from '../../training/data/configurationTables.ts';
import type { Measurer } from '../../training/run/measurer.ts';
import type { Trainer } from '../../training/run/trainer.ts';

// Episodes of a policy that is evaluated and not trained: of all tasks of a split, or of drawn tasks.

/** Part of a trainer that an evaluation requires. */
export type EpisodeSampler = Pick<Measurer, 'environment' | 'seed' | 'capacityFor' | 'play'>;

/** Episodes of an evaluation, and their draws. */
export interface HeldOutOptions {
  readonly split: 'train' | 'held-out';
  /** Number of episodes per task. */
  readonly samples: number;
  /** Number of tasks, from the first task of the split; all tasks if absent. */
  readonly tasks?: number;
  readonly sampling: NonNullable<Evaluation['sampling']>;
  /** Number of an independent repetition, 0 to 255. Each repetition has separate draws. */
  readonly run?: number;
  /** Seed of the draws; by default the seed of the run. */
  readonly seed?: number;
  readonly progress?: (done: number, all: number) => void;
  /** Stops between batches. The results then cover the sampled episodes. */
  readonly signal?: AbortSignal;
}

/** Number of tasks and of episodes of an evaluation. */
export interface EvaluationCounts {
  readonly tasks: number;
  readonly episodes: number;
}

/**
 * Evaluates each variant in each run. Each run uses separate random draws.
 * @param evaluate evaluates a variant; undefined if the evaluation was stopped
 * @returns [variants] results of the complete runs; undefined if no run was complete
 */
export async function repeatRuns<Variant, Result>(
  { runs, progress, signal }: { readonly runs: number } & Pick<HeldOutOptions, 'progress' | 'signal'>,
  variants: readonly Variant[],
  evaluate: (
    variant: Variant,
    options: Required<Pick<HeldOutOptions, 'run' | 'progress'>>,
  ) => Promise<Result | undefined>,
): Promise<readonly { readonly variant: Variant; readonly runs: readonly Result[] }[] | undefined> {
  const complete: Result[][] = [];
  for (let run = 0; run < runs && complete.length === run; run++) {
    const results: Result[] = [];
    for (const variant of variants) {
      if (signal?.aborted) break;
      const before = run * variants.length + results.length;
      const result = await evaluate(variant, {
        run,
        progress: (done, all) => progress?.(before * all + done, runs * variants.length * all),
      });
      if (result === undefined) break;
      results.push(result);
    }
    if (results.length === variants.length) complete.push(results);
  }
  if (complete.length === 0) return undefined;
  return variants.map((variant, index) => ({ variant, runs: complete.map((results) => results[index]) }));
}

/** Reorders episodes from sample-major order, [samples x tasks], to [tasks][samples]. */
export function bySample<Episode>(episodes: readonly Episode[], tasks: number): Episode[][] {
  return Array.from({ length: tasks }, (_, task) => episodes.filter((_, episode) => episode % tasks === task));
}

/** Number of draw keys reserved for each repetition. */
const RUN_KEYS = 0x10_0000;

/**
 * Returns the key of the draws of a batch, or of another part of a repetition with separate draws.
 * @param batch index in the repetition, below RUN_KEYS
 */
export function drawKey(run: number, batch: number): number {
  return run * RUN_KEYS + batch;
}

/**
 * Samples each task `samples` times, all tasks of a sample before the next.
 * @param sequences maximum sequences of an episode
 */
export async function sampleAll(
  trainer: EpisodeSampler,
  pool: readonly unknown[],
  { samples, sampling, run = 0, seed, progress, signal }: HeldOutOptions,
  sequences: number,
  evaluation: (batch: number) => Evaluation,
): Promise<RolloutBatch[]> {
  const episodes = Array.from({ length: samples }, () => pool).flat();
  const size = trainer.capacityFor(sequences);
  const batches: RolloutBatch[] = [];
  for (let first = 0; first < episodes.length && !signal?.aborted; first += size) {
    const tasks = episodes.slice(first, first + size);
    const key = drawKey(run, batches.length);
    const drawn = seed === undefined ? {} : { seed };
    batches.push(await trainer.play(tasks, key, { sampling, ...drawn, ...evaluation(batches.length) }));
    progress?.(Math.min(first + size, episodes.length), episodes.length);
  }
  return batches;
}

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

/** Classes of difficulty, by the rate at which the initial policy solves a task with its first program or episode. */
export const STRATA = ['hard', 'medium', 'easy'] as const;
export type Stratum = (typeof STRATA)[number];

/** Difficulty of each task, by task ID or position. */
export type Strata = ReadonlyMap<number, Stratum>;

/** Minimum solve rates of medium and of easy tasks. They were set before the first measurement. */
export const MEDIUM_FROM = 1 / 4;
export const EASY_FROM = 3 / 4;

/**
 * Seed and run of the draws that determine difficulty. No training run uses them, so a world has the same strata
 * everywhere.
 */
export const STRATA_SEED = 0;
export const STRATA_RUN = 255;

/** Returns the stratum of a task. @param rate share of first programs that pass [0 to 1] */
export function stratumOf(rate: number): Stratum {
  if (rate < MEDIUM_FROM) return 'hard';
  return rate < EASY_FROM ? 'medium' : 'easy';
}

/** Groups episodes by the stratum of their task. @param tasks [episodes] task IDs */
export function byStratum(
  episodes: readonly (readonly Passed[])[],
  tasks: readonly number[],
  strata: Strata,
): Readonly<Record<Stratum, readonly (readonly Passed[])[]>> {
  const of = (stratum: Stratum) => episodes.filter((_, episode) => strata.get(tasks[episode]) === stratum);
  return { hard: of('hard'), medium: of('medium'), easy: of('easy') };
}

/** Returns the number of tasks of a stratum. */
export function tasksOf(strata: Strata, stratum: Stratum): number {
  return [...strata.values()].filter((value) => value === stratum).length;
}
