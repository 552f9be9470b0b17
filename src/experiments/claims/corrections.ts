import type { Claim } from '../../environments/claim.ts';
import { falseDiscovery } from '../inference/exact.ts';
import { holm } from '../inference/inference.ts';
import type { ClaimResult, Corrected, ExperimentResult } from './claimResult.ts';
import { statusOfCounts } from './counts.ts';
import { type Status, statusOf } from './judge.ts';
import type { Outcome } from './outcome.ts';

/** An experiment whose tests were looked at alone. */
export type UncorrectedExperiment = Omit<ExperimentResult, 'outcomes'> & { readonly outcomes: readonly Outcome[] };

/** A claim whose tests were looked at alone. */
export type UncorrectedResult = Omit<ClaimResult, 'experiments'> & {
  readonly experiments: readonly UncorrectedExperiment[];
};

/**
 * Corrects the probabilities of the tests of a paper: its primary tests together by Holm, the others together by the false
 * discovery rate. Primary tests without runs count among the first, because all of them were named in advance. What holds by
 * arithmetic is no test, and what the first edition found is corrected no more.
 * @param results all claims: a correction over a part of them would let too much stand
 */
export function correctedTogether(
  results: readonly (readonly [Claim, UncorrectedResult])[],
): readonly (readonly [Claim, ClaimResult])[] {
  const found = new Map<Outcome, Corrected>();
  for (const paper of new Set(results.map(([claim]) => claim.paper))) {
    const family = results.filter(([claim]) => claim.paper === paper);
    const tested = family
      .flatMap(([, { experiments }]) => experiments.flatMap(({ edition, outcomes }) => (edition ? [] : outcomes)))
      .filter(({ test }) => !test.byArithmetic);
    const named = family.flatMap(([{ experiments }]) => experiments.flatMap(({ tests }) => tests));
    const count = named.filter(({ primary, byArithmetic }) => primary && !byArithmetic).length;
    const primary = tested.filter(({ test }) => test.primary);
    const missing: number[] = Array(Math.max(0, count - primary.length)).fill(1);
    keep(found, primary, holm([...primary.map(({ judgement }) => judgement.probability), ...missing]));
    const others = tested.filter(({ test }) => !test.primary);
    keep(found, others, falseDiscovery(others.map(({ judgement }) => judgement.probability)));
  }
  const corrected = (one: Outcome): Corrected => {
    const { probability, status } = one.judgement;
    return found.get(one) ?? { probability, status };
  };
  return results.map(([claim, result]) => [
    claim,
    {
      ...result,
      experiments: result.experiments.map((experiment) => ({
        ...experiment,
        outcomes: experiment.outcomes.map((one) => ({ ...one, corrected: corrected(one) })),
      })),
    },
  ]);
}

function keep(found: Map<Outcome, Corrected>, outcomes: readonly Outcome[], adjusted: readonly number[]): void {
  for (const [index, outcome] of outcomes.entries()) {
    const { probability } = outcome.judgement;
    const times = probability > 0 ? adjusted[index] / probability : 1;
    found.set(outcome, { probability: adjusted[index], status: correctedStatus(outcome, times) });
  }
}

function correctedStatus(outcome: Outcome, times: number): Status {
  if (outcome.kind === 'paired') return statusOf(outcome.test, outcome.judgement, times);
  const { test, counts, judgement } = outcome;
  return statusOfCounts(counts, test.kind === 'pooled' ? test.above : test.share, judgement, times);
}
