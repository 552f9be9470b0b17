import type { Claim } from '../../environments/claim.ts';
import type { ClaimResult, ExperimentResult, PairedResult } from './claimResult.ts';
import { corrected, type Outcome } from './outcome.ts';

/** An experiment whose tests were looked at alone. */
export type UncorrectedExperiment = Omit<ExperimentResult, 'outcomes'> & { readonly outcomes: readonly Outcome[] };

/** A claim whose tests were looked at alone. */
export type UncorrectedResult = Omit<ClaimResult, 'experiments'> & {
  readonly experiments: readonly UncorrectedExperiment[];
};

/**
 * Corrects the probabilities of all paired tests of a paper together, and those of our own findings together.
 * @param results all that there are: a correction over a part of them would let too much stand
 */
export function correctedTogether(
  results: readonly (readonly [Claim, UncorrectedResult])[],
): readonly (readonly [Claim, ClaimResult])[] {
  const told = new Map<object, PairedResult['corrected']>();
  for (const paper of new Set(results.map(([claim]) => claim.paper))) {
    const family = results.filter(([claim]) => claim.paper === paper);
    const outcomes = family.flatMap(([, { experiments }]) => experiments.flatMap((one) => one.outcomes));
    const paired = outcomes.filter((one) => one.kind === 'paired');
    const together = corrected(paired.map(({ judgement }) => judgement));
    for (const [index, one] of paired.entries()) told.set(one, together[index]);
  }
  return results.map(([claim, result]) => [
    claim,
    {
      ...result,
      experiments: result.experiments.map((experiment) => ({
        ...experiment,
        outcomes: experiment.outcomes.map((one) =>
          one.kind === 'paired' ? { ...one, corrected: told.get(one) as PairedResult['corrected'] } : one,
        ),
      })),
    },
  ]);
}
