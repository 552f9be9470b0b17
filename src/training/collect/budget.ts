import type { CreditRule } from '../../credit/rule.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';

/** Method of spreading the continuations of a level over the turns that continue. */
export type Continuations = 'even' | 'spread';

/** Layout of the rollouts of a task under a rule. */
export interface Layout {
  /** First turns of a task, then continuations of a turn, level by level (CollectRequest.branching). */
  readonly branching: readonly number[];
  /** Evenly where absent. */
  readonly continuations?: Continuations;
  /** Most turns of a trajectory. */
  readonly turns: number;
}

/**
 * Returns the layout of a rule: rules that read trees get trees, the others chains. Programs have several continuations
 * at every turn. If a turn continues in its sequence, the last turn that the environment allows is taken once from each
 * state.
 * @param maxTurns the environment's
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

/** Most turns that one task can take. */
export function computeMaxTurns({ branching, turns }: Layout): number {
  let [level, sum] = [1, 0];
  for (let depth = 0; depth < turns; depth++) {
    level *= branching[Math.min(depth, branching.length - 1)];
    sum += level;
  }
  return sum;
}

/**
 * Returns the maximum number of sequences that one task can take, if a turn continues in the sequence of the only turn
 * before it.
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

/** Trees that are larger than what there is room for. */
export class TooLargeError extends Error {}

/**
 * Refuses trees of which one may not fit. If every turn takes a sequence, the number of turns is not known in advance.
 * Groups that do not fit are left out when they are sampled (Collector).
 * @throws {TooLargeError}
 */
export function checkTreeCapacity(layout: Layout, { programs, branches }: ParameterValues, sequences: number): void {
  const maximum = computeMaxSequences(layout);
  if (programs !== undefined || maximum <= sequences) return;
  throw new TooLargeError(
    `with ${layout.branching[0]} first turns, ${branches} turns from a state and up to ${layout.turns} turns a tree can take ` +
      `${maximum} sequences, and there is room for ${sequences}; lower branches or groupSize`,
  );
}

/** Weight of an update in a running mean. */
const NEW = 0.3;

/**
 * Computes the share of a task's possible turns that were taken, running mean over updates. It is a metric, so that a
 * run that is resumed continues with the number at which it stopped.
 * @param before undefined at the first update
 */
export function computeUtilization(before: number | undefined, turns: number, tasks: number, layout: Layout): number {
  const share = turns / (tasks * computeMaxTurns(layout));
  return before === undefined ? share : (1 - NEW) * before + NEW * share;
}

/**
 * Computes the number of tasks that an update samples: the requested number or, on a budget of programs, the number
 * that is expected to take them. The number is at least two, if there is room, and no more than have room for their
 * first turns. Without programs it is no more than have room for all of their turns, because it is not known how early
 * rollouts end.
 * @param fill computeUtilization() of the update before; undefined at the first one, when all turns are expected to be taken
 * @param sequences that there is room for
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
