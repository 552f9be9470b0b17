import { childrenOf, type Group, type Turn } from '../rollouts/forest.ts';

/** An attempt at a task: its first turn and all turns that follow it, in a tree all branches. */
export interface Attempt {
  readonly first: Turn;
  readonly following: readonly Turn[];
}

/** Tests for kinds of first turns, by their names in `lesson.yaml` (docs/learn/lessons.md). */
export type FirstTurnKinds = Readonly<Record<string, (attempt: Attempt) => boolean>>;

/** Returns the attempts of a group, in the order of its first turns. */
export function attemptsOf(group: Group): readonly Attempt[] {
  const children = childrenOf(group);
  const after = (turn: number): readonly Turn[] =>
    (children[turn] ?? []).flatMap((child) => [group.turns[child] as Turn, ...after(child)]);
  return group.turns.flatMap((first, index) => (first.parent === -1 ? [{ first, following: after(index) }] : []));
}
