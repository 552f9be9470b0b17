import type { ClaimResult, PairedResult, SeedCount } from './claimResult.ts';
import { effectText, formatConclusions, primaryOutcome } from './conclusionText.ts';
import { type PlotRow, plotRow } from './plot.ts';
import { type ReaderState, readerState, stateText } from './reader.ts';

/** Summary of a claim for a list, without its experiments. */
export interface ClaimSummary {
  readonly state: ReaderState;
  readonly text: string;
  /** Effect of the primary test; empty if the test has no runs. */
  readonly effect: string;
  /** Number of tests with each conclusion. */
  readonly tests: string;
  readonly seeds: SeedCount;
  /** Plot of the primary test; absent if the test does not compare values per seed. */
  readonly row?: PlotRow;
  /** Number of missing runs, and their estimated duration in one process [h]. */
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

/** Rounds numbers to the precision that a plot shows, which shortens the list. */
function shortened(primary: PairedResult): PlotRow {
  return JSON.parse(
    JSON.stringify(plotRow(primary), (_, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)),
  );
}
