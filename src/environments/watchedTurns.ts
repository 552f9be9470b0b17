import type { Metrics } from '../metrics/metricTable.ts';
import type { RolloutTurn } from '../rollouts/rolloutBatch.ts';

/**
 * Turns whose rewards every update records (metric `decision`), by their result: events of an environment, in its
 * terms. The credit of a turn, under the active rule and under another, is computed in the same way for all
 * environments.
 */
export interface WatchedTurns {
  /** The first turn of each rollout, or all turns. */
  readonly of: 'first turns' | 'all turns';
  /** Unit in which they are counted, for people: "rollouts", "programs", "steps". */
  readonly counted: string;
  /** A turn is of the first case that is true of it, in this order. */
  readonly kinds: readonly TurnKind[];
  /** A property that turns of any case can have, by which the size of advantages is reported separately. */
  readonly mark?: TurnMark;
  /** Action that one token of turn 1 starts (Environment.decision), for people inside a sentence: "searching". */
  readonly decided?: string;
  /** Rule that a rule is compared with, if it is not the other rule of the environment's switch: names by names. */
  readonly comparedWith?: Readonly<Record<string, string>>;
}

/** Turns that are reported together. */
export interface TurnKind {
  /** For people, at the beginning of a sentence, in the plural: "Executed searches", "First programs". */
  readonly title: string;
  /** These turns have the token that starts the action (`decided`), whether the action succeeded or not. */
  readonly starts?: true;
  /** Meaning of a large share of these turns, for people, after a colon. */
  readonly meaning?: string;
  /** Possible results of these turns. */
  readonly cases: readonly TurnCase[];
  /** Not reported if there are no such turns: only some worlds have them. */
  readonly sometimes?: true;
}

/** Something that came of a turn. */
export interface TurnCase {
  /** In files, camelCase. It never changes. */
  readonly name: string;
  /** For people, after "where": "the document held the answer". */
  readonly label: string;
  /** Label in the one line that summarises all turns, if cases are more specific than kinds: "right at once". */
  readonly brief?: string;
  readonly holds: (context: ReportedTurn) => boolean;
}

/** A property that a turn can have in addition to its result. */
export interface TurnMark {
  /** In files, camelCase. It never changes. */
  readonly name: string;
  /** For people, after "In 30 % of the steps": "another rollout visited the same state". */
  readonly label: string;
  readonly holds: (context: ReportedTurn) => boolean;
}

/** A turn among the others of its rollouts. */
export interface ReportedTurn {
  readonly turn: RolloutTurn;
  /** The turns that it continues, from the first one on. */
  readonly before: readonly RolloutTurn[];
  /** The turns that continue it; in a tree those of all rollouts that go through it. */
  readonly after: readonly RolloutTurn[];
  /** The turns of its group, its own rollouts' too. */
  readonly group: readonly RolloutTurn[];
}

/** All cases, in the order in which they are checked. */
export function casesOf({ kinds }: Pick<WatchedTurns, 'kinds'>): readonly TurnCase[] {
  return kinds.flatMap(({ cases }) => cases);
}

/** Turns of a kind over some updates, and the sum of their advantages. */
export interface KindSum {
  readonly kind: TurnKind;
  readonly count: number;
  /** Of all watched turns; NaN if no update counted them. */
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
 * The rule that another one is compared with: what the environment says, or the first rule of its switch, and for that
 * one the second.
 */
export function comparedRule(
  { pinned, watchedTurns }: { readonly pinned: readonly string[]; readonly watchedTurns?: WatchedTurns },
  rule: string,
): string {
  return watchedTurns?.comparedWith?.[rule] ?? pinned.find((name) => name !== rule) ?? rule;
}
