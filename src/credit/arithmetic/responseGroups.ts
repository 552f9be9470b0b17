import { checkParents, childrenOf, type Group } from '../../rollouts/forest.ts';
import { CreditError } from '../creditError.ts';
import { checkReward } from './chains.ts';

// Response groups: turns that were sampled from the same context and are therefore compared with each other. The first
// turns of a group form one response group. The children of a turn, its refinements, form another.

export interface ResponseGroup {
  /** Turn that the members continue, -1 for first turns. */
  readonly parent: number;
  /** s, the position of the members in their paths, from 1. */
  readonly turn: number;
  /** Indices of turns, ascending. */
  readonly members: readonly number[];
}

/**
 * Returns the response groups of a group, in the order of the turns that they continue. Each response group follows the
 * response group of its parent.
 * @throws {CreditError} for a reward that is not finite
 * @throws {ForestError} for a parent that is not an earlier turn
 */
export function responseGroups(group: Group): readonly ResponseGroup[] {
  group.turns.forEach(({ reward }, turn) => {
    checkReward(group.id, turn, reward);
  });
  checkParents(group);
  const children = childrenOf(group);
  const positions: number[] = [];
  for (const { parent } of group.turns) positions.push(parent < 0 ? 1 : positions[parent] + 1);
  const first = [...positions.keys()].filter((turn) => positions[turn] === 1);
  return [
    { parent: -1, turn: 1, members: first },
    ...children.map((members, parent) => ({ parent, turn: positions[parent] + 1, members })),
  ].filter(({ members }) => members.length > 0);
}

/**
 * Returns S, the turn budget.
 * @param maxTurns S of the environment; 0 means the deepest turn of the group
 * @throws {CreditError} that names the first turn beyond maxTurns
 */
export function turnBudget(group: Group, groups: readonly ResponseGroup[], maxTurns: number): number {
  if (maxTurns === 0) return groups.reduce((deepest, { turn }) => Math.max(deepest, turn), 0);
  const beyond = groups.filter(({ turn }) => turn > maxTurns).sort((a, b) => a.members[0] - b.members[0]);
  if (beyond.length > 0) throw budgetError(group.id, beyond[0].members[0], beyond[0].turn, maxTurns);
  return maxTurns;
}

/** Creates the error for a turn beyond the turn budget. @param position s, from 1 */
export function budgetError(group: string, turn: number, position: number, maxTurns: number): CreditError {
  return new CreditError(group, turn, 'parent', `this is turn ${position} of its path, beyond maxTurns ${maxTurns}`);
}
