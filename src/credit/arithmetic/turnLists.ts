import { type Group, type Turn, trajectories } from '../../rollouts/forest.ts';

/** Returns the turns of a group in one list per value of a key, for example the parent or the state. */
export function turnsBy(group: Group, key: (turn: Turn) => unknown): number[][] {
  const lists = new Map<string, number[]>();
  group.turns.forEach((turn, index) => {
    const name = String(key(turn));
    lists.set(name, [...(lists.get(name) ?? []), index]);
  });
  return [...lists.values()];
}

/** Returns the values of the last turns [trajectories]. @param values [turns] */
export function lastTurnValues(group: Group, values: Float64Array): number[] {
  return trajectories(group).map((path) => values[path[path.length - 1]]);
}

/** Returns the values of the first turns [trajectories]. @param values [turns] */
export function firstTurnValues(group: Group, values: Float64Array): number[] {
  return trajectories(group).map(([first]) => values[first]);
}

/** Returns the values of the turns in one list per parent. @param values [turns] */
export function siblingValues(group: Group, values: Float64Array): number[][] {
  return turnsBy(group, ({ parent }) => parent).map((turns) => turns.map((turn) => values[turn]));
}
