import type { Group, Turn } from '../../rollouts/forest.ts';

/** Cached groups by granularity of their states. Caches of credit require that all elements use the same object. */
const cache = new WeakMap<Group, Map<string, Group>>();

/**
 * Returns the names of the granularities at which all turns of a group have a state; empty if there are fewer than two.
 */
export function granularities({ turns }: Group): readonly string[] {
  const [first, ...rest] = turns.map(statesOf);
  const names = Object.keys(first ?? {}).filter((name) => rest.every((states) => states?.[name] !== undefined));
  return names.length > 1 ? names : [];
}

/** Returns the granularity at which a group was recorded; undefined if its states match no available granularity. */
export function recordedGranularity(group: Group): string | undefined {
  return granularities(group).find((name) => group.turns.every((turn) => statesOf(turn)?.[name] === turn.state));
}

/**
 * Returns a group with the states of another granularity; the same group if it has no such states or already uses them.
 */
export function atGranularity(group: Group, name: string | undefined): Group {
  if (name === undefined) return group;
  const ofGroup = cache.get(group) ?? new Map<string, Group>();
  cache.set(group, ofGroup);
  const result = ofGroup.get(name) ?? withStates(group, name);
  ofGroup.set(name, result);
  return result;
}

function withStates(group: Group, name: string): Group {
  if (!granularities(group).includes(name) || recordedGranularity(group) === name) return group;
  return { ...group, turns: group.turns.map((turn): Turn => ({ ...turn, state: statesOf(turn)?.[name] ?? '' })) };
}

/** Returns `states` of a turn; undefined if the value, which may come from a file, is not a record of strings. */
export function statesOf({ states }: Turn): Readonly<Record<string, string>> | undefined {
  const given: unknown = states;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  return Object.values(given).every((state) => typeof state === 'string') ? states : undefined;
}
