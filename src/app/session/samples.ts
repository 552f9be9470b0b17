import { hasEqualOutcomes } from '../../rollouts/variedGroup.ts';
import type { GroupView } from '../../training/data/protocol.ts';

/** Maximum number of sampled groups that can be opened again. */
const LIMIT = 20;

/** A request for a sample, for the event log. */
export interface Sampled {
  /** Updates before it. */
  readonly step: number;
  /** The group; undefined if a search found none. */
  readonly group: GroupView | undefined;
  readonly isTied: boolean;
  /** Samples of a search without result. */
  readonly samples?: number;
}

/** Adds a sampled group, unless it is another view of the last one. The groups of the oldest samples are dropped. */
export function withSample(known: readonly Sampled[], group: GroupView): readonly Sampled[] {
  const isKnown = known.some((sampled) => sampled.group?.sample === group.sample && sampled.group?.step === group.step);
  if (!group.sampleOnly || isKnown) return known;
  return [...known, { step: group.step, group, isTied: hasEqualOutcomes(group.forest) }].slice(-LIMIT);
}

/** Adds a search that found no tied group. */
export function withoutTie(known: readonly Sampled[], step: number, samples: number): readonly Sampled[] {
  return [...known, { step, group: undefined, isTied: false, samples }].slice(-LIMIT);
}
