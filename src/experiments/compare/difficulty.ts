import type { Passed } from '../../environments/repair/evaluation.ts';

/** Difficulty of a task, by how often the policy that runs start from solves the task at once. */
export const STRATA = ['hard', 'medium', 'easy'] as const;
export type Stratum = (typeof STRATA)[number];

/** [tasks] by their ids. */
export type Strata = ReadonlyMap<number, Stratum>;

/** Pass rates from which a task is medium, and easy. Set before anything was measured. */
export const MEDIUM_FROM = 1 / 4;
export const EASY_FROM = 3 / 4;

/** The draws from which strata are made belong to no run: a world has the same draws for every caller. */
export const STRATA_SEED = 0;
export const STRATA_RUN = 255;

/** @param rate share of first programs that pass */
export function stratumOf(rate: number): Stratum {
  if (rate < MEDIUM_FROM) return 'hard';
  return rate < EASY_FROM ? 'medium' : 'easy';
}

/** Episodes by the stratum of their task. @param tasks [episodes] ids */
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
