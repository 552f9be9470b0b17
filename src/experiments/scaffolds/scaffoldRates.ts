import type { Kept } from '../../environments/repair/reflection.ts';
import { STRATA, type Strata, type Stratum, tasksOf } from '../compare/difficulty.ts';
import type { Played } from '../compare/heldOutEvaluation.ts';
import { mean, type Spread, spreadOf } from '../statistics.ts';
import type { Search } from './playScaffold.ts';
import type { Scaffold, ScaffoldName } from './scaffold.ts';

/** What came of reflections, as shares. */
export interface ReflectionRates<Share> {
  /** Of the programs that were asked for one: those that have one which says something. */
  readonly written: Share;
  /** Of these: the program changes what was announced and nothing else. */
  readonly kept: Share;
  /** Of the edits that were announced: those that were made. */
  readonly made: Share;
}

/** One repetition of one scaffold. */
export interface ScaffoldRun extends Played {
  /** [budgets] share of searches whose answer among the first so many programs passes all hidden tests. */
  readonly solved: readonly number[];
  /** Programs that a search sampled, the mean. */
  readonly spent: number;
  /** Of a scaffold that asks for reflections, where a program followed one. */
  readonly reflections?: ReflectionRates<number>;
  /** [budgets] the same share of each stratum; undefined where it has no task. */
  readonly strata?: readonly {
    readonly stratum: Stratum;
    readonly tasks: number;
    readonly solved?: readonly number[];
  }[];
}

/** All repetitions of one scaffold. */
export interface ScaffoldReport {
  readonly scaffold: ScaffoldName;
  /** Programs: 1, 2, 4, ... and as many as there may be. */
  readonly budgets: readonly number[];
  readonly solved: readonly Spread[];
  readonly spent: Spread;
  readonly reflections?: ReflectionRates<Spread>;
  readonly strata?: readonly {
    readonly stratum: Stratum;
    readonly tasks: number;
    readonly solved: readonly Spread[];
  }[];
  readonly runs: readonly ScaffoldRun[];
}

/** 1, 2, 4, ... below a number, and the number itself. */
export function budgetsTo(most: number): readonly number[] {
  const powers = Array.from({ length: Math.ceil(Math.log2(most)) }, (_, exponent) => 2 ** exponent);
  return [...powers, most];
}

/**
 * What searches came to.
 * @param answer of a scaffold @param strata how hard the tasks are, where that is told apart
 */
export function ratesOf(
  searches: readonly Search[],
  { answer }: Pick<Scaffold, 'answer'>,
  { budget, samples, strata }: { readonly budget: number; readonly samples: number; readonly strata?: Strata },
): ScaffoldRun {
  const solved = (own: readonly Search[]) =>
    budgetsTo(budget).map((most) => mean(own.map(({ tried, right }) => Number(right[answer(tried.slice(0, most))]))));
  const apart = (stratum: Stratum) => searches.filter(({ task }) => strata?.get(task.id) === stratum);
  return {
    tasks: searches.length / samples,
    episodes: searches.length,
    solved: solved(searches),
    spent: mean(searches.map(({ tried }) => tried.length)),
    ...reflectionRates(searches.flatMap(({ kept = [] }) => kept)),
    ...(strata
      ? {
          strata: STRATA.map((stratum) => ({
            ...{ stratum, tasks: tasksOf(strata, stratum) },
            ...(apart(stratum).length > 0 ? { solved: solved(apart(stratum)) } : {}),
          })),
        }
      : {}),
  };
}

function reflectionRates(all: readonly Kept[]): Pick<ScaffoldRun, 'reflections'> {
  const readable = all.filter((one) => one.readable);
  if (readable.length === 0) return {};
  const sum = (of: (one: Kept) => number) => readable.reduce((total, one) => total + of(one), 0);
  return {
    reflections: {
      written: readable.length / all.length,
      kept: sum(({ kept }) => Number(kept)) / readable.length,
      made:
        sum(({ made }) => made) /
        Math.max(
          1,
          sum(({ announced }) => announced),
        ),
    },
  };
}

/** Means and deviations over runs of the same plan. */
export function overRuns(scaffold: ScaffoldName, budget: number, runs: readonly ScaffoldRun[]): ScaffoldReport {
  const budgets = budgetsTo(budget);
  const [{ strata }] = runs;
  return {
    scaffold,
    budgets,
    solved: budgets.map((_, at) => spreadOf(runs.map(({ solved }) => solved[at]))),
    spent: spreadOf(runs.map(({ spent }) => spent)),
    ...reflectionsOver(runs),
    ...(strata
      ? {
          strata: strata.flatMap(({ stratum, tasks, solved }, which) =>
            solved
              ? [
                  {
                    ...{ stratum, tasks },
                    solved: solved.map((_, at) =>
                      spreadOf(runs.map((run) => run.strata?.[which].solved?.[at] ?? Number.NaN)),
                    ),
                  },
                ]
              : [],
          ),
        }
      : {}),
    runs,
  };
}

/** Over the runs in which programs followed reflections. */
function reflectionsOver(runs: readonly ScaffoldRun[]): Pick<ScaffoldReport, 'reflections'> {
  const told = runs.flatMap(({ reflections }) => (reflections ? [reflections] : []));
  if (told.length === 0) return {};
  const over = (of: (one: ReflectionRates<number>) => number) => spreadOf(told.map(of));
  return {
    reflections: {
      written: over(({ written }) => written),
      kept: over(({ kept }) => kept),
      made: over(({ made }) => made),
    },
  };
}
