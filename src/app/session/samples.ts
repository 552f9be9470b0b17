import { hasEqualOutcomes } from '../../rollouts/flatGroups.ts';
import type { GroupView } from '../../training/data/protocol.ts';

/** Maximum number of sampled groups that can be opened again. */
const LIMIT = 20;

/** Entry of the event log for a requested sample. */
export interface Sampled {
  /** Number of updates before the sample. */
  readonly step: number;
  /** Sampled group; undefined if a search found none. */
  readonly group: GroupView | undefined;
  readonly isTied: boolean;
  /** Number of samples of a search that found no group. */
  readonly samples?: number;
}

/** Adds a sampled group, unless the list has this sample already. The oldest samples are dropped. */
export function withSample(known: readonly Sampled[], group: GroupView): readonly Sampled[] {
  const isKnown = known.some((sampled) => sampled.group?.sample === group.sample && sampled.group?.step === group.step);
  if (!group.sampleOnly || isKnown) return known;
  return [...known, { step: group.step, group, isTied: hasEqualOutcomes(group.forest) }].slice(-LIMIT);
}

/** Adds a search that found no tied group. */
export function withoutTie(known: readonly Sampled[], step: number, samples: number): readonly Sampled[] {
  return [...known, { step, group: undefined, isTied: false, samples }].slice(-LIMIT);
}
