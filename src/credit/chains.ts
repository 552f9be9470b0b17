import { checkParents, childrenOf, type Group, trajectories } from '../rollouts/forest.ts';
import { CreditError } from './rule.ts';

/** One trajectory of a group: K turns, of which the last carries the outcome. */
export interface Chain {
  /** [K]: indices of the turns in their group, in order; never empty. */
  readonly turns: readonly number[];
  /** R^O, the trajectory's reward. */
  readonly outcome: number;
}

/**
 * The trajectories of a group, for rules that need groups without branches, in the order of their first turns.
 * @throws {CreditError} naming group and turn: a turn with two children, a last turn without an outcome, a reward or
 *   an outcome that is not finite.
 * @throws {ForestError} for a parent that is not an earlier turn of the group.
 */
export function chains(group: Group): readonly Chain[] {
  group.turns.forEach(({ reward }, turn) => {
    if (!Number.isFinite(reward)) throw new CreditError(group.id, turn, `reward ${reward} is not a finite number`);
  });
  return paths(group).map((turns) => {
    const last = turns[turns.length - 1];
    const { outcome } = group.turns[last];
    if (outcome === undefined || outcome === null) {
      throw new CreditError(group.id, last, 'outcome is missing on the last turn of a trajectory');
    }
    if (!Number.isFinite(outcome)) throw new CreditError(group.id, last, `outcome ${outcome} is not a finite number`);
    return { turns, outcome };
  });
}

function paths(group: Group): number[][] {
  checkParents(group);
  const children = childrenOf(group);
  const branching = children.findIndex((list) => list.length > 1);
  if (branching >= 0) {
    const list = children[branching].join(', ');
    throw new CreditError(
      group.id,
      branching,
      `this rule needs trajectories, but turns ${list} all continue this turn`,
    );
  }
  return trajectories(group);
}

/** The intermediate turns of a chain (R^I): all but the last, whose reward is the outcome. */
export function intermediateTurns(chain: Chain): readonly number[] {
  return chain.turns.slice(0, -1);
}

/**
 * The turns that stand at the same place of their trajectories: level l holds turn l of every trajectory in which it
 * is an intermediate turn (l < K_i), in the order of the trajectories.
 */
export function turnLevels(all: readonly Chain[]): readonly (readonly number[])[] {
  const levels: number[][] = [];
  for (const chain of all) {
    intermediateTurns(chain).forEach((turn, level) => {
      levels[level] ??= [];
      levels[level].push(turn);
    });
  }
  return levels;
}

/** Gives each turn the value of its trajectory. @returns [turns] */
export function spread(group: Group, all: readonly Chain[], value: (index: number) => number): Float64Array {
  const result = new Float64Array(group.turns.length);
  all.forEach((chain, index) => {
    for (const turn of chain.turns) result[turn] = value(index);
  });
  return result;
}
