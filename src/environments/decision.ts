import type { RolloutTurn } from '../rollouts/rolloutBatch.ts';

/** A choice of the first turn that one token makes: an action is taken, or left. */
export interface WatchedDecision {
  /** For people, at the beginning of a sentence: "Searching", "Answering without a search". */
  readonly taken: string;
  readonly left: string;
  /** What can come of it: a rollout is of the first case that holds, and the last one always does. */
  readonly cases: readonly DecisionCase[];
}

/** Something that came of a decision. */
export interface DecisionCase {
  /** In files, camelCase. It never changes. */
  readonly name: string;
  /** For people, after "where": "the document held the answer". */
  readonly label: string;
  readonly taken: boolean;
  readonly holds: (turns: readonly RolloutTurn[]) => boolean;
}

/** The rule that another one is compared with: the first of the environment's switch, and for that one the second. */
export function comparedRule({ pinned }: { readonly pinned: readonly string[] }, rule: string): string {
  return pinned.find((name) => name !== rule) ?? rule;
}
