import type { Claim, ClaimTest } from '../../environments/claim.ts';
import { falseDiscovery, holm } from '../inference/inference.ts';
import type { ClaimResult, Corrected, ExperimentResult, SeedCount } from './claimResult.ts';
import { armsOf, primaryArms } from './claimRuns.ts';
import { type Status, statusOf, statusOfCounts } from './judge.ts';
import type { Outcome } from './outcome.ts';

/** Experiment whose tests are not yet corrected for multiple testing. */
export type UncorrectedExperiment = Omit<ExperimentResult, 'outcomes'> & { readonly outcomes: readonly Outcome[] };

/** Claim whose tests are not yet corrected for multiple testing. */
export type UncorrectedResult = Omit<ClaimResult, 'experiments' | 'seeds' | 'unfinished'> & {
  readonly experiments: readonly UncorrectedExperiment[];
};

/**
 * Corrects the probabilities of the tests of each paper. The primary tests are corrected together by Holm, and all
 * other tests together by the false discovery rate. A test without all seeds of its first analysis has probability 1,
 * because all tests are named in advance. A statement that holds by arithmetic is not a test.
 * @param results results of all claims; a correction of only a part of them accepts too many results
 */
export function correctedTogether(
  results: readonly (readonly [Claim, UncorrectedResult])[],
): readonly (readonly [Claim, ClaimResult])[] {
  const corrections = new Map<Outcome, Corrected>();
  for (const paper of new Set(results.map(([claim]) => claim.paper))) {
    const family = results.filter(([claim]) => claim.paper === paper);
    for (const [isPrimary, correct] of [[true, holm] as const, [false, falseDiscovery] as const]) {
      const isPart = ({ primary, byArithmetic }: ClaimTest) => Boolean(primary) === isPrimary && !byArithmetic;
      const tested = family
        .flatMap(([, { experiments }]) => experiments.flatMap(({ outcomes }) => outcomes))
        .filter(({ test }) => isPart(test));
      const missing = family.flatMap(([claim, result]) => testsWithoutOutcome(claim, result).filter(isPart));
      const probabilities = tested.map(({ incomplete, judgement }) => (incomplete ? 1 : judgement.probability));
      saveCorrections(corrections, tested, correct([...probabilities, ...missing.map(() => 1)]));
    }
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
      unfinished: unfinishedTests(claim, result),
      experiments: result.experiments.map((experiment) => ({
        ...experiment,
        outcomes: experiment.outcomes.map((outcome) => ({ ...outcome, corrected: corrected(outcome) })),
      })),
    },
  ]);
}

/** Returns the tests of a claim for which no pair of arms, or no arm, has runs. */
function testsWithoutOutcome({ experiments }: Claim, result: UncorrectedResult): readonly ClaimTest[] {
  return experiments.flatMap(({ tests }, index) => {
    const outcomes = result.experiments[index]?.outcomes ?? [];
    return tests.filter(({ statement }) => !outcomes.some(({ test }) => test.statement === statement));
  });
}

/** Returns the number of tests, except the primary test, that do not have all their seeds. */
function unfinishedTests(claim: Claim, result: UncorrectedResult): number {
  const partial = result.experiments.flatMap(({ outcomes }) =>
    outcomes.flatMap(({ incomplete, test }) => (incomplete ? [test] : [])),
  );
  return [...testsWithoutOutcome(claim, result), ...partial].filter(({ primary }) => !primary).length;
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
