import type { EnvironmentName } from '../environments/registry.ts';
import { childrenOf, type Group, type Turn } from '../rollouts/forest.ts';

/** An attempt at a task: its first turn and all turns that follow it, in a tree all branches. */
export interface Attempt {
  readonly first: Turn;
  readonly following: readonly Turn[];
}

/** Properties of an attempt that a lesson needs; a missing field allows every attempt. */
export interface AttemptKind {
  /** Kind of the first turn, one of FIRST_TURNS. */
  readonly first?: string;
  /** Outcome of the attempt; in a tree the outcome of at least one branch. */
  readonly outcome?: number;
}

/** Requirements on the group of a formula or an exercise. */
export interface GroupCondition {
  /** First update whose groups are allowed. */
  readonly from: number;
  /** The group has at least one attempt of each kind. Questions are about these attempts. */
  readonly has: readonly AttemptKind[];
}

/** Condition that every group meets. */
export const ANY_GROUP: GroupCondition = { from: 0, has: [] };

/** Largest difference of equal outcomes. */
const ROUNDING = 1e-6;

type Test = (attempt: Attempt) => boolean;

const verb = ({ action = '' }: Turn) => action.split(' ')[0];
const solves = ({ solved }: Turn) => solved === true;
/** The state of the second turn of a bandit names the effect of the first one. */
const hadEffect = ({ following }: Attempt, effect: string) => following[0]?.state?.endsWith(`| ${effect}`) === true;

/** Kinds of first turns by environment. */
export const FIRST_TURNS: Readonly<Partial<Record<EnvironmentName, Readonly<Record<string, Test>>>>> = {
  search: {
    searched: ({ first }) => verb(first) === 'search',
    skipped: ({ first }) => verb(first) === 'skip',
    malformed: ({ first }) => verb(first) !== 'search' && verb(first) !== 'skip',
  },
  repair: {
    right: ({ first }) => solves(first),
    repaired: ({ first, following }) => !solves(first) && following.some(solves),
    failed: ({ first, following }) => !solves(first) && following.length > 0 && !following.some(solves),
  },
  bandit: {
    key: (attempt) => hadEffect(attempt, 'enabled'),
    bait: (attempt) => hadEffect(attempt, 'spoiled'),
    nothing: (attempt) => hadEffect(attempt, 'nothing'),
  },
};

const TESTS: Readonly<Record<string, Test>> = Object.assign({}, ...Object.values(FIRST_TURNS));

/** Returns the attempts of a group, in the order of its first turns. */
export function attemptsOf(group: Group): readonly Attempt[] {
  const children = childrenOf(group);
  const after = (turn: number): readonly Turn[] =>
    (children[turn] ?? []).flatMap((child) => [group.turns[child] as Turn, ...after(child)]);
  return group.turns.flatMap((first, index) => (first.parent === -1 ? [{ first, following: after(index) }] : []));
}

/** Returns true if an attempt is of a kind. */
export function isOfKind(attempt: Attempt, { first, outcome }: AttemptKind): boolean {
  const ends = [attempt.first, ...attempt.following].flatMap((turn) => turn.outcome ?? []);
  return (
    (first === undefined || TESTS[first]?.(attempt) === true) &&
    (outcome === undefined || ends.some((end) => Math.abs(end - outcome) < ROUNDING))
  );
}

/**
 * Returns the first attempt of each kind that a condition names.
 * @returns [kinds that the group has] indices of attempts, from 0
 */
export function attemptsFor(group: Group, { has }: GroupCondition): readonly number[] {
  const attempts = attemptsOf(group);
  const indices = has.map((kind) => attempts.findIndex((attempt) => isOfKind(attempt, kind)));
  return [...new Set(indices.filter((index) => index >= 0))];
}

/** Returns how many of the kinds of a condition a group has. */
export function countKinds(group: Group, { has }: GroupCondition): number {
  const attempts = attemptsOf(group);
  return has.filter((kind) => attempts.some((attempt) => isOfKind(attempt, kind))).length;
}
