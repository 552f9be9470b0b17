import type { ReflectionMatch } from '../../environments/repair/reflection.ts';
import { integerPower } from '../../numbers/powers.ts';
import { type EvaluationCounts, STRATA, type Strata, type Stratum, tasksOf } from '../evaluation/heldOut.ts';
import { mean, type Summary, summarize } from '../statistics.ts';
import type { Search } from './runScaffold.ts';
import { isNewReflection, type Scaffold, type ScaffoldName } from './scaffold.ts';

/** Rates of reflections. */
export interface ReflectionRates {
  /** Share of readable reflections with content among the requested reflections. */
  readonly written: number;
  /** Share of these reflections whose program makes exactly the announced changes. */
  readonly followed: number;
  /** Share of the announced edits that the programs make. */
  readonly editShare: number;
}

/** Results of one repetition of one scaffold. */
export interface ScaffoldRun extends EvaluationCounts {
  /** [budgets] share of searches whose answer, with this budget, passes all hidden tests. */
  readonly solved: readonly number[];
  /** Mean number of programs of a search. */
  readonly programCount: number;
  /** Rates of reflections; absent if no program follows a readable reflection. */
  readonly reflections?: ReflectionRates;
  /** Share of reflections that announce a change not announced before for the refined program. */
  readonly newReflections?: number;
  /** Rates of the cached reflections of other tasks. `reflections` includes them. */
  readonly cached?: ReflectionRates;
  /** [budgets] the same shares for each stratum; `solved` is absent if the stratum has no task. */
  readonly strata?: readonly {
    readonly stratum: Stratum;
    readonly tasks: number;
    readonly solved?: readonly number[];
  }[];
}

/** Results of all repetitions of one scaffold. */
export type ScaffoldReport = Summary<ScaffoldRun> & {
  readonly scaffold: ScaffoldName;
  /** Budgets of the shares: 1, 2, 4, ... and the full budget [programs]. */
  readonly budgets: readonly number[];
  readonly runs: readonly ScaffoldRun[];
};

/** Returns the powers of 2 below a limit, and the limit. */
export function budgetsTo(limit: number): readonly number[] {
  const powers = Array.from({ length: 32 - Math.clz32(limit - 1) }, (_, exponent) => integerPower(2, exponent));
  return [...powers, limit];
}

/**
 * Computes the results of searches.
 * @param answer function of the scaffold that selects the answer
 * @param strata difficulty of the tasks, for results by stratum
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

function reflectionRates(all: readonly ReflectionMatch[]): ReflectionRates | undefined {
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

/** Computes means and sample deviations over runs of the same plan. */
export function scaffoldReport(scaffold: ScaffoldName, budget: number, runs: readonly ScaffoldRun[]): ScaffoldReport {
  return { scaffold, budgets: budgetsTo(budget), ...summarize(runs), runs };
}
