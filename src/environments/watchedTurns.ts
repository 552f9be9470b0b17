import type { Metrics } from '../metrics/metricTable.ts';
import { childrenOf, type Group, type Turn } from '../rollouts/forest.ts';
import type { RolloutTurn } from '../rollouts/rolloutBatch.ts';

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

/**
 * Turns whose rewards every update records by result (metric `decision`). An environment declares the kinds and results
 * in its terms. The credit of these turns under two rules is computed in the same way for all environments.
 */
export interface WatchedTurns {
  /** Turns to record: the first turn of each rollout, or all turns. */
  readonly of: 'first turns' | 'all turns';
  /** Unit of the counts, as text: "rollouts", "programs", "steps". */
  readonly counted: string;
  /** Kinds of turns. A turn belongs to the first case that is true for it, in this order. */
  readonly kinds: readonly TurnKind[];
  /** Property that turns of any case can have. The size of their advantages is reported separately. */
  readonly mark?: TurnMark;
  /** Action that one token of turn 1 starts (Environment.decision), as text inside a sentence: "searching". */
  readonly decided?: string;
  /**
   * Names of the rules with which rules are compared, by rule. A rule without an entry is compared with the toggle's
   * other rule.
   */
  readonly comparedWith?: Readonly<Record<string, string>>;
}

/** Turns that are reported together. */
export interface TurnKind {
  /** Title at the beginning of a sentence, in the plural: "Executed searches", "First programs". */
  readonly title: string;
  /** True if these turns have the token that starts the action (`decided`). The action itself can fail. */
  readonly starts?: true;
  /** Meaning of a large share of these turns, as text after a colon. */
  readonly meaning?: string;
  /** Possible results of these turns. */
  readonly cases: readonly TurnCase[];
  /** True if the kind is reported only when such turns occur, because some worlds do not have them. */
  readonly sometimes?: true;
}

/** Possible result of a turn. */
export interface TurnCase {
  /** Name in files, in camelCase. It never changes. */
  readonly name: string;
  /** Label for users, after "where": "the document held the answer". */
  readonly label: string;
  /** Label in the line that summarises all turns, if cases are more specific than kinds: "right at once". */
  readonly brief?: string;
  readonly holds: (context: ReportedTurn) => boolean;
}

/** Property that a turn can have in addition to its result. */
export interface TurnMark {
  /** Name in files, in camelCase. It never changes. */
  readonly name: string;
  /** Label for users, after "In 30 % of the steps": "another rollout visited the same state". */
  readonly label: string;
  readonly holds: (context: ReportedTurn) => boolean;
}

/** Turn with the other turns of its rollouts and of its group. */
export interface ReportedTurn {
  readonly turn: RolloutTurn;
  /** Earlier turns of its rollout, from the first turn. */
  readonly before: readonly RolloutTurn[];
  /** Later turns of its rollout; in a tree, the later turns of all rollouts that contain it. */
  readonly after: readonly RolloutTurn[];
  /** All turns of its group, including its rollouts. */
  readonly group: readonly RolloutTurn[];
}

/** Returns all cases, in the order in which they are checked. */
export function casesOf({ kinds }: Pick<WatchedTurns, 'kinds'>): readonly TurnCase[] {
  return kinds.flatMap(({ cases }) => cases);
}

/** Number of turns of one kind over some updates, and the sum of their advantages. */
export interface KindSum {
  readonly kind: TurnKind;
  readonly count: number;
  /** Share of all watched turns; NaN if no update counted them. */
  readonly share: number;
  readonly credit: number;
}

/** Counts the watched turns of some updates by their kinds, in the order of `kinds`. */
export function sumsOfKinds({ kinds }: WatchedTurns, updates: readonly Pick<Metrics, 'decision'>[]): KindSum[] {
  const sumOf = ({ cases }: TurnKind, sum: 'Count' | 'Credit') =>
    updates.reduce(
      (total, { decision }) => cases.reduce((part, { name }) => part + (decision?.[`${name}${sum}`] ?? 0), total),
      0,
    );
  const all = kinds.reduce((total, kind) => total + sumOf(kind, 'Count'), 0);
  return kinds.map((kind) => {
    const count = sumOf(kind, 'Count');
    return { kind, count, share: count / all, credit: sumOf(kind, 'Credit') };
  });
}

/**
 * Returns the rule with which a rule is compared: its entry in `comparedWith`, else the first other rule in `pinned`.
 */
export function comparedRule(
  { pinned, watchedTurns }: { readonly pinned: readonly string[]; readonly watchedTurns?: WatchedTurns },
  rule: string,
): string {
  return watchedTurns?.comparedWith?.[rule] ?? pinned.find((name) => name !== rule) ?? rule;
}
