import type { ExperimentResult } from './claimResult.ts';
import type { UncorrectedExperiment } from './corrections.ts';
import type { Status } from './judge.ts';
import type { Outcome } from './outcome.ts';

// What results say, in the words of the pages of docs/lab and of the page's Lab.

/** Numbers that JSON cannot hold are null there. */
const finite = (value: number | null): value is number => value !== null && Number.isFinite(value);

/** A difference in the unit of its test: shares in points. */
export function amount(value: number | null, unit: string | undefined): string {
  if (!finite(value)) return '-';
  return unit === undefined ? (100 * value).toFixed(1) : value.toFixed(2);
}

export function signed(value: number | null, unit: string | undefined): string {
  return `${finite(value) && value >= 0 ? '+' : ''}${amount(value, unit)}`.replace('-', '−');
}

export function interval(low: number | null, high: number | null, unit: string | undefined): string {
  return finite(low) && finite(high) ? `${signed(low, unit)} to ${signed(high, unit)}` : '-';
}

/** Seeds of which a result has every arm, of those that were asked for. */
export function seedsOf({ seeds, runs, missing }: Pick<ExperimentResult, 'seeds' | 'missing' | 'runs'>): string {
  const arms = (runs.length + missing) / seeds;
  const whole = (seed: number) => runs.filter((run) => run.seed === seed).length >= arms;
  const there = [...new Set(runs.map(({ seed }) => seed))].filter(whole).length;
  return missing === 0 ? `${seeds}` : `${there} of ${seeds}`;
}

/** Whether all runs of an experiment are there and some test of two arms stays open all the same. */
export function leavesOpen({ missing, outcomes }: Pick<UncorrectedExperiment, 'missing' | 'outcomes'>): boolean {
  return missing === 0 && outcomes.some((one) => one.kind === 'paired' && one.judgement.status === 'undecided');
}

/** Every verdict of a claim, counted: "appears 3, undecided 1". */
export function verdictsOf<One extends Outcome>(
  result: {
    readonly experiments: readonly (Pick<ExperimentResult, 'name' | 'runs'> & { readonly outcomes: readonly One[] })[];
  },
  of: (outcome: One) => Status,
): string {
  const parts = result.experiments.map((experiment) => {
    // Runs of an arm that claims share may be there while no test has both of its sides.
    const nothing = experiment.runs.length === 0 || experiment.outcomes.length === 0;
    const told = nothing ? 'not run' : counted(experiment.outcomes.map(of));
    return result.experiments.length > 1 ? `${experiment.name}: ${told}` : told;
  });
  return parts.length === 0 ? 'not run' : parts.join('; ');
}

/** In the order in which they are told. */
const ORDER: readonly Status[] = ['appears', 'opposite', 'does not appear', 'undecided'];

function counted(list: readonly Status[]): string {
  const there = ORDER.filter((status) => list.includes(status));
  if (there.length === 1) return `${there[0]}`;
  return there.map((status) => `${status} ${list.filter((one) => one === status).length}`).join(', ');
}

export const plainVerdict = (one: Outcome): Status => (one.kind === 'paired' ? one.judgement.status : one.status);
export const correctedVerdict = (one: ExperimentResult['outcomes'][number]): Status =>
  one.kind === 'paired' ? one.corrected.status : one.status;

/** Formats a duration [hours]. */
export function hoursText(hours: number): string {
  return hours < 1 ? `${Math.max(1, Math.round(60 * hours))} minutes` : `${hours.toFixed(1)} hours`;
}
