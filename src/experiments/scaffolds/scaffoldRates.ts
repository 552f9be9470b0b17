import type { ReflectionMatch } from '../../environments/repair/reflection.ts';
import { integerPower } from '../../numbers/powers.ts';
import { STRATA, type Strata, type Stratum, tasksOf } from '../compare/difficulty.ts';
import type { EvaluationCounts } from '../compare/heldOutEvaluation.ts';
import { computeStatistics, mean, type SummaryStatistics } from '../statistics.ts';
import { isNewReflection } from './dot.ts';
import type { Search } from './runScaffold.ts';
import type { Scaffold, ScaffoldName } from './scaffold.ts';

/** Results of reflections, as shares. */
export interface ReflectionRates<Share> {
  /** Share of the programs for which a reflection was requested and that have a reflection with content. */
  readonly written: Share;
  /** Share of these programs that make the announced changes and no other changes. */
  readonly followed: Share;
  /** Of the edits that were announced: those that were made. */
  readonly editShare: Share;
}

/** One repetition of one scaffold. */
export interface ScaffoldRun extends EvaluationCounts {
  /** [budgets] share of searches whose answer among the first so many programs passes all hidden tests. */
  readonly solved: readonly number[];
  /** Programs that a search sampled, the mean. */
  readonly programCount: number;
  /** Of a scaffold that asks for reflections, where a program followed one. */
  readonly reflections?: ReflectionRates<number>;
  /** Of all programs that followed one: those whose reflection says something that was not yet said of what they refine. */
  readonly newReflections?: number;
  /** Of reflections that were remembered from other tasks; they count above too. */
  readonly cached?: ReflectionRates<number>;
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
  readonly solved: readonly SummaryStatistics[];
  readonly programCount: SummaryStatistics;
  readonly reflections?: ReflectionRates<SummaryStatistics>;
  readonly newReflections?: SummaryStatistics;
  readonly cached?: ReflectionRates<SummaryStatistics>;
  readonly strata?: readonly {
    readonly stratum: Stratum;
    readonly tasks: number;
    readonly solved: readonly SummaryStatistics[];
  }[];
  readonly runs: readonly ScaffoldRun[];
}

/** 1, 2, 4, ... below a number, and the number itself. */
export function budgetsTo(limit: number): readonly number[] {
  const powers = Array.from({ length: 32 - Math.clz32(limit - 1) }, (_, exponent) => integerPower(2, exponent));
  return [...powers, limit];
}

/**
 * Computes the results of searches.
 * @param answer of a scaffold
 * @param strata difficulty of the tasks, if results are reported by stratum
 */
export function ratesOf(
  searches: readonly Search[],
  { answer }: Pick<Scaffold, 'answer'>,
  { budget, samples, strata }: { readonly budget: number; readonly samples: number; readonly strata?: Strata },
): ScaffoldRun {
  const solved = (selected: readonly Search[]) =>
    budgetsTo(budget).map((limit) =>
      mean(selected.map(({ attempts, right }) => Number(right[answer(attempts.slice(0, limit))]))),
    );
  const apart = (stratum: Stratum) => searches.filter(({ task }) => strata?.get(task.id) === stratum);
  return {
    tasks: searches.length / samples,
    episodes: searches.length,
    solved: solved(searches),
    programCount: mean(searches.map(({ attempts }) => attempts.length)),
    ...rated('reflections', reflectionRates(searches.flatMap(({ followed = [] }) => followed))),
    ...newReflections(searches),
    ...rated('cached', reflectionRates(searches.flatMap(({ cached = [] }) => cached))),
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

function reflectionRates(all: readonly ReflectionMatch[]): ReflectionRates<number> | undefined {
  const readable = all.filter((entry) => entry.readable);
  if (readable.length === 0) return undefined;
  const sum = (of: (entry: ReflectionMatch) => number) => readable.reduce((total, entry) => total + of(entry), 0);
  return {
    written: readable.length / all.length,
    followed: sum(({ followed }) => Number(followed)) / readable.length,
    editShare:
      sum(({ editShare }) => editShare) /
      Math.max(
        1,
        sum(({ announced }) => announced),
      ),
  };
}

function newReflections(searches: readonly Search[]): Pick<ScaffoldRun, 'newReflections'> {
  const novelty = searches.flatMap(({ attempts }) =>
    attempts.flatMap(({ reflection }, index) => (reflection === undefined ? [] : [isNewReflection(attempts, index)])),
  );
  return novelty.length > 0 ? { newReflections: mean(novelty.map(Number)) } : {};
}

/** Returns an object with one entry, or an empty object if the value is undefined. */
function rated<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [_ in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [_ in Key]?: Value };
}

/** Means and deviations over runs of the same plan. */
export function overRuns(scaffold: ScaffoldName, budget: number, runs: readonly ScaffoldRun[]): ScaffoldReport {
  const budgets = budgetsTo(budget);
  const [{ strata }] = runs;
  return {
    scaffold,
    budgets,
    solved: budgets.map((_, at) => computeStatistics(runs.map(({ solved }) => solved[at]))),
    programCount: computeStatistics(runs.map(({ programCount }) => programCount)),
    ...rated('reflections', reflectionsOver(runs.map(({ reflections }) => reflections))),
    ...rated('newReflections', summarizeKnown(runs.map((run) => run.newReflections))),
    ...rated('cached', reflectionsOver(runs.map(({ cached }) => cached))),
    ...(strata
      ? {
          strata: strata.flatMap(({ stratum, tasks, solved }, index) =>
            solved
              ? [
                  {
                    ...{ stratum, tasks },
                    solved: solved.map((_, at) =>
                      computeStatistics(runs.map((run) => run.strata?.[index].solved?.[at] ?? Number.NaN)),
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
function reflectionsOver(
  runs: readonly (ReflectionRates<number> | undefined)[],
): ReflectionRates<SummaryStatistics> | undefined {
  const reported = runs.filter((rates) => rates !== undefined);
  if (reported.length === 0) return undefined;
  const over = (of: (rates: ReflectionRates<number>) => number) => computeStatistics(reported.map(of));
  return {
    written: over(({ written }) => written),
    followed: over(({ followed }) => followed),
    editShare: over(({ editShare }) => editShare),
  };
}

function summarizeKnown(values: readonly (number | undefined)[]): SummaryStatistics | undefined {
  const there = values.filter((value) => value !== undefined);
  return there.length > 0 ? computeStatistics(there) : undefined;
}
