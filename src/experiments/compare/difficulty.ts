import type { Passed } from '../../environments/repair/evaluation.ts';

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
