import type { ClaimResult, ExperimentResult } from './claimResult.ts';
import type { Status } from './judge.ts';
import { seedsOf } from './verdictWords.ts';

/** What a list of claims says of an experiment without its numbers. */
export interface ExperimentSummary {
  readonly name: string;
  /** As in ExperimentResult. */
  readonly edition?: 1;
  /** One a test; none where nothing was run. */
  readonly verdicts: readonly Status[];
  /** "10", or "4 of 10" while some are missing. */
  readonly seeds: string;
  /** Runs that are missing, and an estimate of their hours on two processor cores. */
  readonly missing: number;
  readonly hours: number;
}

/** What a result says in short: an entry an experiment. */
export function summaryOf({ experiments }: ClaimResult): readonly ExperimentSummary[] {
  return experiments.map((experiment: ExperimentResult) => ({
    name: experiment.name,
    ...(experiment.edition ? { edition: experiment.edition } : {}),
    verdicts: experiment.runs.length === 0 ? [] : experiment.outcomes.map(({ corrected }) => corrected.status),
    seeds: seedsOf(experiment),
    missing: experiment.missing,
    hours: experiment.hours,
  }));
}
