import type { Experiment } from '../../environments/claim.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { type ArmRun, seriesOf } from '../compare/findings.ts';
import { differencesOf, pairsOf } from '../compare/pairedClaims.ts';
import type { PairedResult } from './claimResult.ts';
import { armsOf, type ClaimRun, planOf } from './claimRuns.ts';

/** Differences of a paired test, computed from the user's runs. */
export type UserDifferences = Pick<PairedResult, 'test' | 'higher' | 'lower'> & {
  readonly differences: readonly { readonly seed: number; readonly difference: number }[];
};

/**
 * Computes the differences of the user's runs for each paired test. Tests of values that are measured after training
 * are omitted, because the page does not measure them.
 * @param runs complete runs with the metrics of all updates
 */
export function computeUserDifferences(
  experiment: Experiment,
  runs: readonly { readonly run: ClaimRun; readonly metrics: readonly Metrics[] }[],
): readonly UserDifferences[] {
  const armRuns = runs.map(
    ({ run: { arm, seed }, metrics }): ArmRun => ({ arm, seed, digest: '', heldOut: {}, series: seriesOf(metrics) }),
  );
  const findings = { plan: planOf(experiment), runs: armRuns };
  const name = (side: string | number | { readonly name: string }) =>
    typeof side === 'object' ? side.name : String(side);
  return experiment.tests.flatMap((test) => {
    if (test.kind !== 'paired') return [];
    return pairsOf(test, armsOf(experiment)).flatMap((paired) => {
      const differences = differencesOf(paired, findings);
      const { higher, lower } = paired;
      return differences.length > 0 ? [{ test, higher: name(higher), lower: name(lower), differences }] : [];
    });
  });
}
