import type { ClaimResult, ExperimentResult } from './claimResult.ts';
import type { Count } from './counts.ts';
import { STATUSES, type Status } from './judge.ts';

// Texts of results, for the pages of docs/lab and for the page's Lab.

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

const share = (value: number) => value.toFixed(2).replace(/^0\./, '.');

/** "10 of 10 seeds (95 % interval .69 to 1.00)", for every step of a switch. */
export function countsText(counts: readonly Count[], things: string): string {
  return counts
    .map(({ at, count, of, low, high }) => {
      const step = at === undefined ? '' : `at ${at}: `;
      return `${step}${count} of ${of} ${things} (95 % interval ${share(low)} to ${share(high)})`;
    })
    .join(', ');
}

/** What a counted test counts. */
export const countedThings = ({ kind }: { readonly kind: string }) => (kind === 'pooled' ? 'problems' : 'seeds');

/** Seeds at which a result has every arm that is asked for there. */
export function seedsOf({ seeds, runs, missing }: Pick<ExperimentResult, 'seeds' | 'missing' | 'runs'>): string {
  if (missing === 0) return `${seeds}`;
  const arms = new Set(runs.map(({ arm }) => arm)).size;
  const whole = (seed: number) => runs.filter((run) => run.seed === seed).length >= arms;
  const there = [...new Set(runs.map(({ seed }) => seed))].filter(whole).length;
  return `${there} of ${seeds}`;
}

/** Text of the verdict on a test, with its restrictions. */
export function statusText({ test, corrected: { status } }: ExperimentResult['outcomes'][number]): string {
  const word = status === 'holds' && test.byArithmetic ? 'holds by arithmetic' : status;
  return test.unequal ? `${word}, not like for like` : word;
}

/** Every verdict of a claim, counted: "holds 3, open 1". */
export function verdictsOf(result: Pick<ClaimResult, 'experiments'>): string {
  const parts = result.experiments.map((experiment) => {
    const word = statusesText(experiment);
    return result.experiments.length > 1 ? `${experiment.name}: ${word}` : word;
  });
  return parts.length === 0 ? 'not run' : parts.join('; ');
}

function statusesText({ edition, runs, outcomes }: ExperimentResult): string {
  if (edition === 1) return 'first edition';
  // Runs of an arm that claims share may be there while no test has both of its sides.
  if (runs.length === 0 || outcomes.length === 0) return 'not run';
  return counted(outcomes.map(({ corrected }) => corrected.status));
}

function counted(list: readonly Status[]): string {
  const there = STATUSES.filter((status) => list.includes(status));
  if (there.length === 1) return `${there[0]}`;
  return there.map((status) => `${status} ${list.filter((one) => one === status).length}`).join(', ');
}

/** The outcome of the primary test of a claim; undefined if it has no new runs. */
export function primaryOutcome({
  experiments,
}: Pick<ClaimResult, 'experiments'>): ExperimentResult['outcomes'][number] | undefined {
  return experiments.flatMap(({ edition, outcomes }) => (edition ? [] : outcomes)).find(({ test }) => test.primary);
}

/** Formats a duration [hours]. */
export function hoursText(hours: number): string {
  return hours < 1 ? `${Math.max(1, Math.round(60 * hours))} minutes` : `${hours.toFixed(1)} hours`;
}

/** Of experiments whose seeds shared worlds. */
export const FIRST_EDITION =
  'First edition: the seeds took turns in five worlds, so intervals are too narrow, and its verdicts are withdrawn until there are new runs.';
