import type { CreditRule } from '../../credit/rule.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';

/** How the continuations of a level are spread over the turns that go on. */
export type Continuations = 'even' | 'spread';

/** How the rollouts of a task are laid out under a rule. */
export interface Layout {
  /** First turns of a task, then continuations of a turn, level by level (CollectRequest.branching). */
  readonly branching: readonly number[];
  /** Evenly where absent. */
  readonly continuations?: Continuations;
  /** Most turns of a trajectory. */
  readonly turns: number;
}

/**
 * The layout of a rule: rules that read trees get trees, the others chains. Programs are continued by several at every turn;
 * where a turn goes on in its sequence, the last turn that the environment allows is taken once from each state.
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
export function mostTurns({ branching, turns }: Layout): number {
  let [level, sum] = [1, 0];
  for (let depth = 0; depth < turns; depth++) {
    level *= branching[Math.min(depth, branching.length - 1)];
    sum += level;
  }
  return sum;
}

/** Most sequences that one task can take, where a turn goes on in the sequence of the only turn before it. */
export function mostSequences({ branching, turns }: Layout): number {
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
 * Refuses trees of which one may not fit. Where every turn takes a sequence nobody knows how many turns there will be, and
 * groups that do not fit are left out as they are played (Collector).
 * @throws {TooLargeError}
 */
export function checkRoom(layout: Layout, { programs, branches }: ParameterValues, sequences: number): void {
  const most = mostSequences(layout);
  if (programs !== undefined || most <= sequences) return;
  throw new TooLargeError(
    `with ${layout.branching[0]} first turns, ${branches} turns from a state and up to ${layout.turns} turns a tree can take ` +
      `${most} sequences, and there is room for ${sequences}; lower branches or groupSize`,
  );
}

/** How much of a running mean an update is worth. */
const NEW = 0.3;

/**
 * Share of a task's possible turns that were taken, running mean over updates. It is a metric, so that a run that is
 * continued goes on with the number that it stopped with.
 * @param before undefined at the first update
 */
export function nextFill(before: number | undefined, turns: number, tasks: number, layout: Layout): number {
  const share = turns / (tasks * mostTurns(layout));
  return before === undefined ? share : (1 - NEW) * before + NEW * share;
}

/**
 * How many tasks an update samples: as many as asked for, or, on a budget of programs, as many as are expected to take
 * them. Two at least, where there is room, and no more than have room for their first turns; without programs, where nothing
 * is known of how early rollouts end, no more than have room for all of their turns.
 * @param fill nextFill() of the update before; undefined at the first one, when all turns are expected to be taken
 * @param sequences that there is room for
 */
export function taskCount(
  controls: ParameterValues,
  layout: Layout,
  fill: number | undefined,
  sequences: number,
): number {
  const { programs, questions } = controls as Readonly<Record<string, number>>;
  const room = (each: number) => Math.max(1, Math.floor(sequences / each));
  if (programs === undefined) return Math.min(room(mostSequences(layout)), questions);
  const most = room(layout.branching[0]);
  if (programs === 0) return Math.min(most, questions);
  const expected = mostTurns(layout) * (fill ?? 1);
  return Math.min(most, Math.max(2, Math.round(programs / expected)));
}
