import { type Claim, SEEDS, type Side } from '../../environments/claim.ts';
import type { ClaimResult, ExperimentResult, PairedResult } from './claimResult.ts';
import { type Count, STATUSES, type Status, seedsToDecide, statusOf } from './judge.ts';
import type { Outcome } from './outcome.ts';

// Texts of results for the documents of docs/reference/lab and for the Lab of the page.

/** Returns false for null, which replaces the numbers that JSON does not support. */
const finite = (value: number | null): value is number => value !== null && Number.isFinite(value);

/** Formats a difference in the unit of its test. Shares are in percentage points, and shares of an update in ppm. */
export function amount(value: number | null, unit: string | undefined): string {
  if (!finite(value)) return '-';
  // A small negative number is rounded to 0, without a sign.
  return scaled(value, unit).replace(/^-(0(\.0+)?)$/, '$1');
}

function scaled(value: number, unit: string | undefined): string {
  if (unit === 'ppm of an update') return (1e6 * value).toFixed(0);
  return unit === undefined ? (100 * value).toFixed(1) : value.toFixed(2);
}

export function signed(value: number | null, unit: string | undefined): string {
  const text = amount(value, unit);
  return `${Number(text) >= 0 ? '+' : ''}${text}`.replace('-', '−');
}

export function interval(low: number | null, high: number | null, unit: string | undefined): string {
  return finite(low) && finite(high) ? `${signed(low, unit)} to ${signed(high, unit)}` : '-';
}

const share = (value: number) => value.toFixed(2).replace(/^0\./, '.');

/**
 * Formats counts: "10 of 10 seeds (95 % interval .69 to 1.00)", for each number of updates before a switch. Equal counts
 * are given once.
 */
export function countsText(counts: readonly Count[], things: string): string {
  const texts = counts.map(
    ({ count, of, low, high }) => `${count} of ${of} ${things} (95 % interval ${share(low)} to ${share(high)})`,
  );
  const equal = texts.length > 1 && texts.every((text) => text === texts[0]);
  if (equal) return `after each of ${counts.map(({ at }) => at).join(', ')} updates: ${texts[0]}`;
  return counts.map(({ at }, index) => `${at === undefined ? '' : `after ${at} updates: `}${texts[index]}`).join(', ');
}

/** Returns the name of the items that a counted test counts. */
export const countedThings = ({ kind }: { readonly kind: string }) => (kind === 'pooled' ? 'problems' : 'seeds');

/** Formats the effect of a test: "+52.5 points [+49.7, +55.9], first 10 seeds", or the counts of a counted test. */
export function effectText(outcome: Outcome): string {
  const seeds = outcome.interim ? `, first ${SEEDS.interim} seeds` : '';
  if (outcome.kind === 'counted') return `${countsText(outcome.counts, countedThings(outcome.test))}${seeds}`;
  const { test, judgement } = outcome;
  const { mean, low, high } = judgement;
  const bounds = finite(low) && finite(high) ? ` [${signed(low, test.unit)}, ${signed(high, test.unit)}]` : '';
  return `${signed(mean, test.unit)} ${test.unit ?? 'points'}${bounds}${seeds}`;
}

/** Returns the arms of a test that its statement does not name, and the bound of an outcome that is 0 or 1. */
export function armsText({ test: { statement, less, binary }, higher, lower }: PairedResult): string {
  const named = (side: Side | number) =>
    typeof side === 'number'
      ? String(side)
      : [side.rule, ...Object.entries(side.changes).map((each) => each.join('='))].join(':');
  const pairs = [
    `${higher}, ${lower}`,
    ...(less ? [`less ${named(less.higher)}, ${named(less.lower)}${less.in ? ` of “${less.in}”` : ''}`] : []),
  ];
  const isNamed = higher === lower || [higher, lower].every((name) => statement.toLowerCase().includes(name));
  return [
    ...(isNamed && !less ? [] : [` (${pairs.join('; ')})`]),
    ...(binary === undefined ? [] : [` (1 above ${binary}, else 0)`]),
  ].join('');
}

/** Formats the margin of a test, negative if no effect may be lost: "−2.0"; empty for a binary outcome, which has none. */
export function marginText({ hypothesis, margin, unit, binary }: PairedResult['test']): string {
  return binary === undefined ? `${hypothesis === 'keeps' ? '−' : ''}${amount(margin, unit)}` : '';
}

/** Formats the primary test of a claim: its statement, its conclusion and its effect. */
export function primaryText(outcome: ExperimentResult['outcomes'][number]): string {
  const { status, interim } = outcome.corrected;
  const analysis = interim === undefined ? '' : `, with the interim analysis “${interim}”`;
  return `The primary test, “${outcome.test.statement}”, ends “${status}”${analysis}: ${effectText(outcome)}.`;
}

/** Returns the conclusion of a test before any correction, and the reason if it is open. */
export function uncorrectedConclusion({ judgement }: Outcome): { readonly status: Status; readonly reason?: string } {
  const { status, reason = 'the 95 % interval includes values on both sides of the bound; more seeds are needed' } =
    judgement;
  return { status, ...(status === 'open' ? { reason } : {}) };
}

/** Formats the conclusion of a test with its restrictions. */
export function statusText({ test, corrected }: ExperimentResult['outcomes'][number]): string {
  const { status, interim } = corrected;
  const label = status === 'holds' && test.byArithmetic ? 'holds by arithmetic' : status;
  const analysis = interim && interim !== 'open' ? `, interim analysis: ${interim}` : '';
  return `${label}${analysis}${test.unequal ? ', not like for like' : ''}`;
}

/** Formats the number of tests of a claim with each conclusion: "holds 3, open 1". */
export function formatConclusions(result: Pick<ClaimResult, 'experiments'>): string {
  const parts = result.experiments.map((experiment) => {
    const label = statusesText(experiment);
    return result.experiments.length > 1 ? `“${experiment.name}”: ${label}` : label;
  });
  return parts.length === 0 ? 'not run' : parts.join('; ');
}

function statusesText({ runs, outcomes }: ExperimentResult): string {
  // Claims share runs of arms, so runs can exist although no test has runs of both sides.
  if (runs.length === 0 || outcomes.length === 0) return 'not run';
  return counted(outcomes.map(({ corrected }) => corrected.status));
}

function counted(list: readonly Status[]): string {
  const there = STATUSES.filter((status) => list.includes(status));
  if (there.length === 1) return `${there[0]}`;
  return there.map((status) => `${status} ${list.filter((entry) => entry === status).length}`).join(', ');
}

/** Returns the outcome of the primary test of a claim; undefined if the test has no runs. */
export function primaryOutcome({
  experiments,
}: Pick<ClaimResult, 'experiments'>): ExperimentResult['outcomes'][number] | undefined {
  return experiments.flatMap(({ outcomes }) => outcomes).find(({ test }) => test.primary);
}

/**
 * Formats the estimated number of seeds that decide an open primary test, and the conclusion that they give; empty if
 * the test is decided, has missing seeds, or is not about differences.
 */
export function forecastText(outcome: ExperimentResult['outcomes'][number]): string {
  if (outcome.kind !== 'paired' || outcome.corrected.status !== 'open' || outcome.test.binary !== undefined) return '';
  const { test, judgement, deviation, differences, interim, incomplete } = outcome;
  if (interim || incomplete || !(deviation > 0)) return '';
  const conclusion = statusOf(test, { ...judgement, probability: 0, reverse: 1 }, 1);
  const seeds = seedsToDecide(test, judgement, deviation);
  if (seeds !== undefined && seeds <= differences.length)
    return `Before the correction for all tests of the paper the test ends “${conclusion}”; after the correction it is open.`;
  const count = seeds === undefined ? 'more than 1,000 seeds' : `about ${seeds} seeds`;
  return `If the mean and the deviation stay the same, the test ends “${conclusion}” with ${count}, before any correction.`;
}

/** Formats the number of tests without all their seeds; empty if all other tests are finished. */
export function unfinishedText({ unfinished }: Pick<ClaimResult, 'unfinished'>): string {
  if (unfinished === 0) return '';
  return `${unfinished} other ${unfinished === 1 ? 'test does' : 'tests do'} not have all ${unfinished === 1 ? 'its' : 'their'} seeds yet.`;
}

/** Formats the seeds of the primary test, and the number of other tests without all their seeds. */
export function seedsText({ seeds: { there, of }, unfinished }: Pick<ClaimResult, 'seeds' | 'unfinished'>): string {
  if (there < of) return `${there} of ${of}`;
  return unfinished === 0 ? `${of}` : `${of}; ${unfinished} other ${unfinished === 1 ? 'test' : 'tests'} unfinished`;
}

/** Formats a duration [h]. */
export function hoursText(hours: number): string {
  return hours < 1 ? `${Math.max(1, Math.round(60 * hours))} minutes` : `${hours.toFixed(1)} hours`;
}

// One conclusion per claim, from its primary test and its other tests, after all corrections.

/** Conclusions of a claim, with their meanings. */
export const READER_CONCLUSIONS = {
  reproduced: 'All tests of the claim hold. Statements that hold by arithmetic do not count.',
  'in part':
    'The primary test holds, and another test does not hold or lacks seeds; or the primary test shows no such gain, and another test holds.',
  contradicted: 'The primary test shows the reverse, or it shows no such gain and no other test holds.',
  inconclusive: 'The primary test has all its seeds and is open.',
} as const;

/** States of claims without a conclusion. */
export const NO_CONCLUSION_STATES = {
  running: 'The primary test lacks seeds, so the claim is open.',
  'not run': 'No seed of the primary test was run yet.',
  complete: 'An additional question with all its seeds: each test has a conclusion.',
} as const;

export type ReaderState = keyof typeof READER_CONCLUSIONS | keyof typeof NO_CONCLUSION_STATES;
/** States in the order in which they are listed. A paper's claim never has the state `complete`. */
export const READER_STATES = [...Object.keys(READER_CONCLUSIONS), 'running', 'not run'] as readonly ReaderState[];

/** Restrictions of all conclusions. */
export const READER_NOTE =
  'A positive effect has the direction of the claim. A claim whose primary test lacks seeds has no conclusion. Conclusions are corrected for all claims of the paper, so a claim can be inconclusive although its interval excludes the margin. Policies have about 100,000 parameters and tasks are synthetic, so no conclusion is about models of billions.';

/** Returns the state of a claim. Without all seeds of its primary test, it has no conclusion, also after an interim analysis. */
export function readerState({ id, seeds, unfinished, experiments }: ClaimResult): ReaderState {
  if (seeds.there === 0) return 'not run';
  if (seeds.there < seeds.of) return 'running';
  if (id.startsWith('own-')) return 'complete';
  const primary = primaryOutcome({ experiments });
  const status = primary?.corrected.status ?? 'open';
  if (status === 'open') return 'inconclusive';
  const statuses = experiments.flatMap(({ outcomes }) =>
    outcomes.flatMap(({ test, corrected }) => (test.byArithmetic ? [] : corrected.status)),
  );
  if (status === 'reverse' || (status !== 'holds' && !statuses.includes('holds'))) return 'contradicted';
  return unfinished > 0 || statuses.some((each) => each !== 'holds') ? 'in part' : 'reproduced';
}

/** Formats the state with the restriction of the primary test: "reproduced", "open, 12 of 20 seeds", "not run yet". */
export function stateText(result: ClaimResult): string {
  const state = readerState(result);
  if (state === 'not run') return 'not run yet';
  if (state === 'running') return `open, ${result.seeds.there} of ${result.seeds.of} seeds`;
  if (state === 'complete') return 'all seeds';
  return primaryOutcome(result)?.test.unequal ? `${state}, not like for like` : state;
}

/** Adds to the state of a claim that its primary test or its margin was changed after a part of the runs. */
export function withChange(state: string, { changed }: Pick<Claim, 'changed'>): string {
  return changed === undefined ? state : `${state}, test changed`;
}

/** Returns a sentence about all claims of papers. @param states [claims] */
export function readerSentence(states: readonly ReaderState[]): string {
  const count = (state: ReaderState) => states.filter((each) => each === state).length;
  const conclusions = (Object.keys(READER_CONCLUSIONS) as ReaderState[]).flatMap((state) => {
    const text = state === 'in part' ? 'reproduced in part' : state;
    return count(state) > 0 ? [`${count(state)} ${count(state) > 1 ? 'are' : 'is'} ${text}`] : [];
  });
  const [running, missing] = [count('running'), count('not run')];
  const parts = [
    ...(conclusions.length > 0 ? conclusions : ['none has a conclusion yet']),
    ...(running > 0 ? [`${running} ${running > 1 ? 'have' : 'has'} a part of the seeds`] : []),
    ...(missing > 0 ? [`${missing} ${missing > 1 ? 'are' : 'is'} not run yet`] : []),
  ];
  return `Of ${states.length} claims of four papers, ${parts.join(', ').replace(/, ([^,]*)$/, ' and $1')}.`;
}
