import { type Group, type Turn, trajectories } from '../../rollouts/forest.ts';

/** Turns of a group in lists, one list for each value of a key, for example its parent or its state. */
export function turnsBy(group: Group, key: (turn: Turn) => unknown): number[][] {
  const lists = new Map<string, number[]>();
  group.turns.forEach((turn, index) => {
    const name = String(key(turn));
    lists.set(name, [...(lists.get(name) ?? []), index]);
  });
  return [...lists.values()];
}

/** [trajectories]: the values [turns] of the last turns. */
export function lastTurnValues(group: Group, values: Float64Array): number[] {
  return trajectories(group).map((path) => values[path[path.length - 1]]);
}

/** [trajectories]: the values [turns] of the first turns. */
export function firstTurnValues(group: Group, values: Float64Array): number[] {
  return trajectories(group).map(([first]) => values[first]);
}

/** The values [turns] in lists of the turns that continue the same turn. */
export function siblingValues(group: Group, values: Float64Array): number[][] {
  return turnsBy(group, ({ parent }) => parent).map((turns) => turns.map((turn) => values[turn]));
}
