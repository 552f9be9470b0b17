import type { Metrics } from '../metrics/metricTable.ts';
import type { RolloutTurn } from '../rollouts/rolloutBatch.ts';

/**
 * Turns whose pay every update writes down (metric `decision`), by what came of them: what happens in an environment, in
 * its own words. What it was paid, under the rule in force and under another, is worked out for all environments alike.
 */
export interface WatchedTurns {
  /** The first turn of each rollout, or all turns. */
  readonly of: 'first turns' | 'all turns';
  /** What they are counted in, for people: "rollouts", "programs", "steps". */
  readonly counted: string;
  /** A turn is of the first case that holds for it, in this order. */
  readonly kinds: readonly TurnKind[];
  /** Something that turns of any case can have, by which the size of advantages is told apart. */
  readonly mark?: TurnMark;
  /** Action that one token of turn 1 starts (Environment.decision), for people inside a sentence: "searching". */
  readonly decided?: string;
  /** What a rule is compared with, where that is not the other rule of the environment's switch: names by names. */
  readonly comparedWith?: Readonly<Record<string, string>>;
}

/** Turns that are told of together. */
export interface TurnKind {
  /** For people, at the beginning of a sentence, in the plural: "Executed searches", "First programs". */
  readonly title: string;
  /** These turns have the token that starts the action (`decided`), whether the action succeeded or not. */
  readonly starts?: true;
  /** Meaning of a large share of these turns, for people, after a colon. */
  readonly meaning?: string;
  /** What can come of them. */
  readonly cases: readonly TurnCase[];
  /** Not told of where there are none: only some worlds have such turns. */
  readonly sometimes?: true;
}

/** Something that came of a turn. */
export interface TurnCase {
  /** In files, camelCase. It never changes. */
  readonly name: string;
  /** For people, after "where": "the document held the answer". */
  readonly label: string;
  /** In the one line that stands for all, where cases say more than kinds do: "right at once". */
  readonly brief?: string;
  readonly holds: (told: ToldTurn) => boolean;
}

/** Something that a turn can have beside what came of it. */
export interface TurnMark {
  /** In files, camelCase. It never changes. */
  readonly name: string;
  /** For people, after "In 30 % of the steps": "another rollout came by the same state". */
  readonly label: string;
  readonly holds: (told: ToldTurn) => boolean;
}

/** A turn among the others of its rollouts. */
export interface ToldTurn {
  readonly turn: RolloutTurn;
  /** The turns that it continues, from the first one on. */
  readonly before: readonly RolloutTurn[];
  /** The turns that continue it; in a tree those of all rollouts that go through it. */
  readonly after: readonly RolloutTurn[];
  /** The turns of its group, its own rollouts' too. */
  readonly group: readonly RolloutTurn[];
}

/** All cases, in the order in which they are asked. */
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
  const sumOf = ({ cases }: TurnKind, sum: 'Count' | 'Paid') =>
    updates.reduce(
      (total, { decision }) => cases.reduce((part, { name }) => part + (decision?.[`${name}${sum}`] ?? 0), total),
      0,
    );
  const all = kinds.reduce((total, kind) => total + sumOf(kind, 'Count'), 0);
  return kinds.map((kind) => {
    const count = sumOf(kind, 'Count');
    return { kind, count, share: count / all, credit: sumOf(kind, 'Paid') };
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
