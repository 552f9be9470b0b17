import type { Group, Turn } from '../../rollouts/forest.ts';

/** Groups by the granularity of their states: several elements ask for the same one, and know it again. */
const cache = new WeakMap<Group, Map<string, Group>>();

/**
 * Returns the names under which every turn of a group has a state; an empty list if there is no choice between several.
 */
export function granularities({ turns }: Group): readonly string[] {
  const [first, ...rest] = turns.map(statesOf);
  const names = Object.keys(first ?? {}).filter((name) => rest.every((states) => states?.[name] !== undefined));
  return names.length > 1 ? names : [];
}

/** The granularity at which the group was recorded; undefined where its states are none of those it can choose from. */
export function recordedGranularity(group: Group): string | undefined {
  return granularities(group).find((name) => group.turns.every((turn) => statesOf(turn)?.[name] === turn.state));
}

/** The group as it would be at another granularity; the group itself where it has no such states, or has them already. */
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

/** `states` of a turn, where it has the form; files may hold anything there. */
export function statesOf({ states }: Turn): Readonly<Record<string, string>> | undefined {
  const given: unknown = states;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  return Object.values(given).every((state) => typeof state === 'string') ? states : undefined;
}
