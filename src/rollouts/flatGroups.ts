import { childrenOf, type Group } from './forest.ts';

/** End of a rollout. */
interface RolloutEnd {
  readonly outcome?: number | undefined;
  readonly solved?: boolean | undefined;
  /** True if a limit of turns or tokens ended the rollout. */
  readonly truncated?: boolean | undefined;
  /** True if the rollout ended in an error. */
  readonly failed?: boolean | undefined;
}

/** Reasons for which a rule that compares rollouts cannot assign credit in a group. */
const FLAT_REASONS = [
  ...['all ended in an error', 'none has a reward', 'one rollout alone', 'all reached the limit of turns'],
  ...['all solved', 'all failed', 'all got the same reward'],
] as const;
export type FlatReason = (typeof FLAT_REASONS)[number];

/** Returns the reason for which the rollouts of a group cannot be compared; undefined if their outcomes differ. */
export function flatReason(ends: readonly RolloutEnd[]): FlatReason | undefined {
  const scored = ends.filter(({ outcome }) => outcome !== undefined);
  if (scored.length === 0) {
    const failed = ends.length > 0 && ends.every((end) => end.failed);
    return failed ? 'all ended in an error' : 'none has a reward';
  }
  if (scored.length === 1) return 'one rollout alone';
  const [first] = scored;
  if (scored.some(({ outcome }) => outcome !== first.outcome)) return undefined;
  if (scored.every(({ truncated }) => truncated)) return 'all reached the limit of turns';
  const { outcome = 0 } = first;
  if (scored.every(({ solved = outcome >= 1 }) => solved)) return 'all solved';
  if (scored.every(({ solved = outcome > 0 }) => !solved) && outcome <= 0) return 'all failed';
  return 'all got the same reward';
}

/** Returns the end of each rollout of a group: its leaves, in order. */
export function endsOf(group: Group): readonly RolloutEnd[] {
  const children = childrenOf(group);
  return group.turns.filter((_, turn) => children[turn].length === 0);
}

/** Returns the reason for which a group is flat; undefined if the outcomes or turn rewards of its rollouts differ. */
export function flatGroupReason(group: Group): FlatReason | undefined {
  if (group.turns.every(({ reward }) => reward === 0)) return flatReason(endsOf(group));
  const children = childrenOf(group);
  const rewards: string[] = [];
  for (const { parent, reward } of group.turns) rewards.push(`${parent < 0 ? '' : rewards[parent]},${reward}`);
  const ofRollouts = new Set(rewards.filter((_, turn) => children[turn].length === 0));
  return ofRollouts.size > 1 ? undefined : flatReason(endsOf(group));
}

/** Formats the number of groups per reason, for example "1 all solved, 2 all failed". */
export function reasonsText(reasons: ReadonlyMap<FlatReason, number>): string {
  return FLAT_REASONS.flatMap((reason) => (reasons.has(reason) ? [`${reasons.get(reason)} ${reason}`] : [])).join(', ');
}

/**
 * Returns true if all rollouts of a group have the same outcome. A rule that compares outcomes then computes no
 * advantage.
 */
export function hasEqualOutcomes(group: Group): boolean {
  const leaves = childrenOf(group).flatMap(({ length }, turn) => (length === 0 ? [group.turns[turn].outcome] : []));
  return new Set(leaves).size < 2;
}

/** Returns true if a group has first turns with and without a reward, for example searches and skipped searches. */
function hasBothKinds({ turns }: Group): boolean {
  const firstTurns = turns.filter(({ parent }) => parent === -1);
  return firstTurns.some(({ reward }) => reward > 0) && firstTurns.some(({ reward }) => reward <= 0);
}

/**
 * Returns the index of the most varied group of a batch: the first group with different outcomes and both kinds of
 * first turns. If no group has both, returns the first group with different outcomes, or else 0.
 */
export function variedGroup(groups: readonly Group[]): number {
  const untied = groups.filter((group) => !hasEqualOutcomes(group));
  const varied = untied.find(hasBothKinds) ?? untied[0];
  return varied ? groups.indexOf(varied) : 0;
}
