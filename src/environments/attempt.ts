import { childrenOf, type Group, type Turn } from '../rollouts/forest.ts';

/** Attempt at a task: the first turn and all turns after it. In a tree, these are the turns of all branches. */
export interface Attempt {
  readonly first: Turn;
  readonly following: readonly Turn[];
}

/** Predicates for kinds of first turns, by their names in `lesson.yaml` (docs/learn/lessons.md). */
export type FirstTurnKinds = Readonly<Record<string, (attempt: Attempt) => boolean>>;

/** Returns the attempts of a group, in the order of its first turns. */
export function attemptsOf(group: Group): readonly Attempt[] {
  const children = childrenOf(group);
  const after = (turn: number): readonly Turn[] =>
    (children[turn] ?? []).flatMap((child) => [group.turns[child] as Turn, ...after(child)]);
  return group.turns.flatMap((first, index) => (first.parent === -1 ? [{ first, following: after(index) }] : []));
}
