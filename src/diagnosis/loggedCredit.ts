import type { Group, Turn } from '../rollouts/forest.ts';

/**
 * Returns [turns] the advantages that the trainer logged; undefined if a rollout has none. The advantage of a turn is
 * the mean over its tokens. A turn without an advantage gets the advantage of the last turn of its rollout.
 * @param paths [rollouts][turns] indices of turns
 */
export function loggedCredit(group: Group, paths: readonly (readonly number[])[]): Float64Array | undefined {
  const credit = new Float64Array(group.turns.length);
  for (const path of paths) {
    const values = path.map((turn) => loggedOf(group.turns[turn]));
    const last = values[values.length - 1];
    if (last === undefined) return undefined;
    for (const [at, turn] of path.entries()) credit[turn] = values[at] ?? last;
  }
  return credit;
}

function loggedOf({ advantage, advantages }: Turn): number | undefined {
  if (!Array.isArray(advantages)) return isFiniteNumber(advantage) ? advantage : undefined;
  const numbers = advantages.filter(isFiniteNumber);
  return numbers.length === 0 ? undefined : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
