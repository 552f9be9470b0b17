import type { ClaimResult, PairedResult, SeedCount } from './claimResult.ts';
import { effectText, formatConclusions, primaryOutcome } from './conclusionText.ts';
import { type PlotRow, plotRow } from './plot.ts';
import { type ReaderState, readerState, stateText } from './reader.ts';

/** Summary of a claim in a list of claims, without its experiments. */
export interface ClaimSummary {
  readonly state: ReaderState;
  readonly text: string;
  /** Numbers of the primary test; empty where it has no runs. */
  readonly effect: string;
  /** Verdicts of all tests, counted. */
  readonly tests: string;
  readonly seeds: SeedCount;
  /** Primary test, where it takes a difference at every seed. */
  readonly row?: PlotRow;
  /** Runs that are missing, and an estimate of their hours on one process. */
  readonly missing: number;
  readonly hours: number;
}

export function summaryOf(result: ClaimResult): ClaimSummary {
  const primary = primaryOutcome(result);
  const sum = (of: 'missing' | 'hours') => result.experiments.reduce((total, experiment) => total + experiment[of], 0);
  return {
    ...{ state: readerState(result), text: stateText(result), seeds: result.seeds },
    ...{ effect: primary ? effectText(primary) : '', tests: formatConclusions(result) },
    ...(primary?.kind === 'paired' ? { row: shortened(primary) } : {}),
    ...{ missing: sum('missing'), hours: sum('hours') },
  };
}

/** A list needs no more digits than a picture shows. */
function shortened(primary: PairedResult): PlotRow {
  return JSON.parse(
    JSON.stringify(plotRow(primary), (_, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)),
  );
}
