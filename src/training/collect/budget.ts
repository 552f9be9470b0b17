import type { CreditRule } from '../../credit/rule.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';

/** Distribution of the continuations of a level over the turns that continue. */
export type Continuations = 'even' | 'spread';

/** Shape of the rollouts of a task under a rule. */
export interface Layout {
  /** Number of first turns of a task, then of continuations per turn at each level (CollectRequest.branching). */
  readonly branching: readonly number[];
  /** Distribution of the continuations; even if absent. */
  readonly continuations?: Continuations;
  /** Maximum number of turns of a trajectory. */
  readonly turns: number;
}

/**
 * Returns the layout of a rule: trees for rules that read trees, chains for other rules. In trees of programs, each
 * turn has several continuations. If turns continue in their sequence, the last possible turn is sampled once from each
 * state.
 * @param maxTurns maximum number of turns in the environment
 */
export function layoutOf(
  rule: CreditRule,
  controls: ParameterValues,
  { singleTurn }: Pick<RegisteredEnvironment, 'singleTurn'>,
  maxTurns: number,
): Layout {
  const number = (name: string) => controls[name] as number;
  if (rule.input === 'forest' && controls.treeRoots !== undefined) {
    const continuations = controls.continuations as Continuations;
    return { branching: [number('treeRoots'), number('treeChildren')], continuations, turns: maxTurns };
  }
  if (rule.input === 'forest' && controls.branches !== undefined) {
    const between = Array.from({ length: maxTurns - 2 }, () => number('branches'));
    return { branching: [number('groupSize'), ...between, 1], turns: maxTurns };
  }
  if (!singleTurn.includes(rule.name)) return { branching: [number('groupSize'), 1], turns: maxTurns };
  return { branching: [number(controls.singleSize === undefined ? 'groupSize' : 'singleSize')], turns: 1 };
}

/** Returns the maximum number of turns of one task. */
export function computeMaxTurns({ branching, turns }: Layout): number {
  let [level, sum] = [1, 0];
  for (let depth = 0; depth < turns; depth++) {
    level *= branching[Math.min(depth, branching.length - 1)];
    sum += level;
  }
  return sum;
}

/**
 * Returns the maximum number of sequences of one task, if an only continuation continues in the sequence of its parent.
 */
export function computeMaxSequences({ branching, turns }: Layout): number {
  let [level, sum] = [1, 0];
  for (let depth = 0; depth < turns; depth++) {
    const width = branching[Math.min(depth, branching.length - 1)];
    level *= width;
    if (depth === 0 || width > 1) sum += level;
  }
  return sum;
}

/** Error for trees that exceed the capacity of the engine. */
export class TooLargeError extends Error {}

/**
 * Checks that one tree fits. Skipped for environments with a budget of programs, in which each turn is a sequence and
 * the number of turns is not known in advance. There, the Collector leaves out groups that do not fit.
 * @param sequences capacity of the engine
 * @throws {TooLargeError} if a tree can exceed the capacity
 */
export function checkTreeCapacity(layout: Layout, { programs, branches }: ParameterValues, sequences: number): void {
  const maximum = computeMaxSequences(layout);
  if (programs !== undefined || maximum <= sequences) return;
  throw new TooLargeError(
    `with ${layout.branching[0]} first turns, ${branches} turns from a state and up to ${layout.turns} turns a tree can take ` +
      `${maximum} sequences, and there is room for ${sequences}; lower branches or groupSize`,
  );
}

/** Weight of the newest update in a running mean. */
const NEW = 0.3;

/**
 * Computes the sampled share of the possible turns, 0 to 1, as a running mean over updates. It is a metric, so that a
 * resumed run continues with the same value.
 * @param before value after the previous update; undefined at the first update
 * @param turns number of turns of the batch
 * @param tasks number of tasks of the batch
 */
export function computeUtilization(before: number | undefined, turns: number, tasks: number, layout: Layout): number {
  const share = turns / (tasks * computeMaxTurns(layout));
  return before === undefined ? share : (1 - NEW) * before + NEW * share;
}

/**
 * Computes the number of tasks of an update. If the environment has no control `programs`, it is the requested number,
 * limited so that all possible turns fit. Otherwise it is the number that is expected to use the budget of programs, at
 * least two. For the budget 0, it is the requested number. In both cases, all first turns fit.
 * @param fill computeUtilization() after the previous update. At the first update it is undefined, and all possible
 *   turns are expected
 * @param sequences capacity of the engine
 */
export function taskCount(
  controls: ParameterValues,
  layout: Layout,
  fill: number | undefined,
  sequences: number,
): number {
  const { programs, questions } = controls as Readonly<Record<string, number>>;
  const countFitting = (each: number) => Math.max(1, Math.floor(sequences / each));
  if (programs === undefined) return Math.min(countFitting(computeMaxSequences(layout)), questions);
  const maximum = countFitting(layout.branching[0]);
  if (programs === 0) return Math.min(maximum, questions);
  const expected = computeMaxTurns(layout) * (fill ?? 1);
  return Math.min(maximum, Math.max(2, Math.round(programs / expected)));
}
