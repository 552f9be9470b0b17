import type { Claim } from '../../environments/claim.ts';
import { falseDiscovery, holm } from '../inference/inference.ts';
import type { ClaimResult, Corrected, ExperimentResult, SeedCount } from './claimResult.ts';
import { armsOf, primaryArms } from './claimRuns.ts';
import { type Status, statusOf, statusOfCounts } from './judge.ts';
import type { Outcome } from './outcome.ts';

/** Experiment whose tests are not yet corrected for multiple testing. */
export type UncorrectedExperiment = Omit<ExperimentResult, 'outcomes'> & { readonly outcomes: readonly Outcome[] };

/** Claim whose tests are not yet corrected for multiple testing. */
export type UncorrectedResult = Omit<ClaimResult, 'experiments' | 'seeds'> & {
  readonly experiments: readonly UncorrectedExperiment[];
};

/**
 * Corrects the probabilities of the tests of each paper. The primary tests are corrected together by Holm, and all
 * other tests together by the false discovery rate. Primary tests without runs count, because all primary tests are
 * named in advance. A statement that holds by arithmetic is not a test.
 * @param results results of all claims; a correction of only a part of them accepts too many results
 */
export function correctedTogether(
  results: readonly (readonly [Claim, UncorrectedResult])[],
): readonly (readonly [Claim, ClaimResult])[] {
  const corrections = new Map<Outcome, Corrected>();
  for (const paper of new Set(results.map(([claim]) => claim.paper))) {
    const family = results.filter(([claim]) => claim.paper === paper);
    const tested = family
      .flatMap(([, { experiments }]) => experiments.flatMap(({ outcomes }) => outcomes))
      .filter(({ test }) => !test.byArithmetic);
    const named = family.flatMap(([{ experiments }]) => experiments.flatMap(({ tests }) => tests));
    const count = named.filter(({ primary, byArithmetic }) => primary && !byArithmetic).length;
    const primary = tested.filter(({ test }) => test.primary);
    const missing: number[] = Array(Math.max(0, count - primary.length)).fill(1);
    saveCorrections(corrections, primary, holm([...primary.map(({ judgement }) => judgement.probability), ...missing]));
    const secondary = tested.filter(({ test }) => !test.primary);
    saveCorrections(corrections, secondary, falseDiscovery(secondary.map(({ judgement }) => judgement.probability)));
  }
  const corrected = (outcome: Outcome): Corrected => {
    const { probability, status } = outcome.judgement;
    return corrections.get(outcome) ?? { probability, status };
  };
  return results.map(([claim, result]) => [
    claim,
    {
      ...result,
      seeds: seedsThere(claim, result.experiments),
      experiments: result.experiments.map((experiment) => ({
        ...experiment,
        outcomes: experiment.outcomes.map((outcome) => ({ ...outcome, corrected: corrected(outcome) })),
      })),
    },
  ]);
}

/** Returns the seed count of a claim, from the experiment with the fewest complete seeds. */
function seedsThere(claim: Claim, results: UncorrectedResult['experiments']): SeedCount {
  const counts = claim.experiments.flatMap((experiment, index) => {
    const arms = claim.paper ? primaryArms(claim, experiment) : armsOf(experiment).map(({ name }) => name);
    if (arms.length === 0) return [];
    const runs = results[index]?.runs ?? [];
    const complete = Array.from({ length: experiment.seeds }, (_, seed) =>
      arms.every((arm) => runs.some((run) => run.arm === arm && run.seed === seed + 1)),
    );
    return [{ there: complete.filter(Boolean).length, of: experiment.seeds }];
  });
  return counts.sort((a, b) => a.there - b.there)[0] ?? { there: 0, of: 0 };
}

function saveCorrections(
  corrections: Map<Outcome, Corrected>,
  outcomes: readonly Outcome[],
  adjusted: readonly number[],
): void {
  for (const [index, outcome] of outcomes.entries()) {
    const { probability } = outcome.judgement;
    const times = probability > 0 ? adjusted[index] / probability : 1;
    const status = correctedStatus(outcome, times);
    const conclusion = outcome.interim ? ({ status: 'open', interim: status } as const) : { status };
    corrections.set(outcome, { probability: adjusted[index], ...conclusion });
  }
}

function correctedStatus(outcome: Outcome, times: number): Status {
  if (outcome.kind === 'paired') return statusOf(outcome.test, outcome.judgement, times);
  const { test, counts, judgement } = outcome;
  return statusOfCounts(counts, test.kind === 'pooled' ? test.above : test.share, judgement, times);
}
