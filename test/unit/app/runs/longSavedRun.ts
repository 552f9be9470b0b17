import type { Metrics, SavedRun } from '../../../../src/training/data/protocol.ts';
import { metricsOf, savedRun } from '../appFixtures.ts';

/** Number of updates of a run that trains for days. */
export const LONG = 200_000;

/** Returns a saved run with rows of one shape and different losses. */
export function longSavedRun(): SavedRun {
  const shared = metricsOf(0);
  const metrics: Metrics[] = Array.from({ length: LONG }, (_, index) => ({
    ...shared,
    step: index,
    loss: index / LONG,
  }));
  return { ...savedRun({ step: 1 }), step: LONG, metrics };
}
