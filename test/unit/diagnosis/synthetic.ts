import type { Group, Turn } from '../../../src/rollouts/forest.ts';

/** A rollout: its turns, and additional fields of its last turn. */
export interface SyntheticRollout {
  readonly turns: readonly Omit<Partial<Turn>, 'parent'>[];
  readonly last?: Record<string, unknown>;
}

/** Creates a group from rollouts. */
export function syntheticGroup(
  id: string,
  step: number,
  rollouts: readonly SyntheticRollout[],
  fields: Record<string, unknown> = { prompt: 'q' },
): Group {
  const turns: Turn[] = [];
  for (const { turns: list, last } of rollouts)
    for (const [at, turn] of list.entries()) {
      const parent = at === 0 ? -1 : turns.length - 1;
      turns.push({ reward: 0, ...turn, ...(at === list.length - 1 ? last : {}), parent });
    }
  return { id, step, ...fields, turns };
}

/** Creates a rollout of one turn with an outcome. */
export function answer(outcome: number, fields: Record<string, unknown> = {}): SyntheticRollout {
  return { turns: [{ text: 'It is 8.' }], last: { outcome, ...fields } };
}
