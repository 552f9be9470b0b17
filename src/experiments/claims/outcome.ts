import { type ClaimTest, type PairedTest, SEEDS } from '../../environments/claim.ts';
import type { Arm, Findings } from '../compare/findings.ts';
import { differencesOf, type Elsewhere, type Paired, pairsOf } from '../compare/pairedClaims.ts';
import { meetsBounds } from '../compare/standardClaims.ts';
import { switchCounts, switchRows } from '../compare/switchTable.ts';
import { bootstrapInterval, improvement, interquartileMean } from '../inference/resampling.ts';
import { standardDeviation } from '../statistics.ts';
import { type Count, type CountJudgement, countOf, judgeCounts, pooled, tooFew } from './counts.ts';
import { type Judgement, judge, LEVEL, LEVEL_OF_TWO_LOOKS } from './judge.ts';

/** How far one side is above the other, at a seed. */
export interface Difference {
  readonly seed: number;
  readonly difference: number;
}

/** What the numbers say of one test of two arms, or of an arm and a number. */
export interface PairedOutcome {
  readonly kind: 'paired';
  readonly test: Extract<ClaimTest, { kind: 'paired' }>;
  readonly higher: string;
  readonly lower: string;
  readonly differences: readonly Difference[];
  readonly judgement: Judgement;
  /** Interquartile mean of the differences, and its 95 % bootstrap interval. */
  readonly iqm: { readonly mean: number; readonly low: number; readonly high: number };
  /** Share of the seeds at which the one is above the other; a tie counts half. */
  readonly improvement: number;
  /** Standard deviation of the differences. */
  readonly deviation: number;
}

/** What the numbers say of a test that counts. */
export interface CountedOutcome {
  readonly kind: 'counted';
  readonly test: Exclude<ClaimTest, { kind: 'paired' }>;
  readonly counts: readonly Count[];
  readonly judgement: CountJudgement;
}

export type Outcome = PairedOutcome | CountedOutcome;

/**
 * The outcomes of an experiment's tests, where there are runs for them.
 * @param elsewhere finds another experiment of the claim by its name
 */
export function outcomesOf(
  tests: readonly ClaimTest[],
  findings: Findings,
  arms: readonly Arm[],
  elsewhere?: (name: string) => Elsewhere | undefined,
): readonly Outcome[] {
  return tests.flatMap((test): readonly Outcome[] =>
    test.kind === 'paired'
      ? pairsOf(test, arms, elsewhere).flatMap((paired) => pairedOutcome(test, paired, findings))
      : countedOutcome(test, findings, arms),
  );
}

/** The seeds that a test is judged by, and why it is not judged yet. */
interface Look {
  readonly seeds: readonly number[];
  readonly level: number;
  readonly reason?: string;
}

/** A primary test is looked at after half of its seeds and after all, each time at the level of two looks. */
function lookAt({ primary }: ClaimTest, seeds: readonly number[]): Look {
  const upTo = (count: number) => seeds.filter((seed) => seed <= count);
  const level = primary ? LEVEL_OF_TWO_LOOKS : LEVEL;
  const sizes = primary ? [SEEDS.primary, SEEDS.firstLook] : [SEEDS.other];
  const whole = sizes.find((size) => upTo(size).length === size);
  if (whole !== undefined) return { seeds: upTo(whole), level };
  const least = Math.min(...sizes);
  const some = upTo(least);
  return { seeds: some, level, reason: `${some.length} of ${least} seeds` };
}

function pairedOutcome(test: PairedOutcome['test'], paired: Paired, findings: Findings): readonly PairedOutcome[] {
  const all = differencesOf(paired, findings);
  const { seeds, level, reason } = lookAt(
    test,
    all.map(({ seed }) => seed),
  );
  const differences = all.filter(({ seed }) => seeds.includes(seed));
  if (differences.length === 0) return [];
  const values = differences.map(({ difference }) => difference);
  const [low, high] = bootstrapInterval([values], interquartileMean);
  const name = (side: Paired['higher']) => (typeof side === 'number' ? String(side) : side.name);
  const { higher, lower } = paired;
  return [
    {
      ...{ kind: 'paired', test, higher: name(higher), lower: name(lower), differences },
      judgement: judged(test, values, level, reason),
      iqm: { mean: interquartileMean(values), low, high },
      improvement: improvement(values.map((value) => [[value], [0]] as const)),
      deviation: standardDeviation(values),
    },
  ];
}

/** With a reason nothing is decided; what holds by arithmetic holds if every seed agrees. */
function judged(
  test: PairedTest & Pick<ClaimTest, 'byArithmetic'>,
  values: readonly number[],
  level: number,
  reason?: string,
): Judgement {
  const found = judge(test, values, level);
  if (reason !== undefined) return { ...found, status: 'open', reason };
  if (!test.byArithmetic) return found;
  const { reason: _, ...rest } = found;
  const claimed = test.asks === 'more' ? test.margin : -test.margin;
  return { ...rest, status: values.every((value) => value > claimed) ? 'holds' : 'open' };
}

function countedOutcome(
  test: CountedOutcome['test'],
  findings: Findings,
  arms: readonly Arm[],
): readonly CountedOutcome[] {
  if (test.kind === 'switch') {
    const rows = switchRows(findings, arms);
    const steps = switchCounts(test, rows).map(({ step, runs }) => {
      const look = lookAt(
        test,
        runs.map(({ seed }) => seed),
      );
      const own = runs.filter(({ seed }) => look.seeds.includes(seed));
      return { look, count: countOf(own.filter(({ reached }) => reached).length, own.length, step) };
    });
    if (steps.length === 0) return [];
    const { level } = steps[0].look;
    const reason = steps.find(({ look }) => look.reason !== undefined)?.look.reason;
    const counts = steps.map(({ count }) => count);
    return [{ kind: 'counted', test, counts, judgement: judgeCounts(counts, test.share, level, reason) }];
  }
  const all = findings.runs.filter(({ arm }) => arm.name === test.rule);
  const { seeds, level, reason } = lookAt(
    test,
    all.map(({ seed }) => seed),
  );
  const runs = all.filter(({ seed }) => seeds.includes(seed));
  if (runs.length === 0) return [];
  if (test.kind === 'pooled') {
    const count = pooled(runs.map(({ heldOut }) => [heldOut[test.share] ?? 0, heldOut[test.outOf] ?? 0]));
    const counts = [count];
    return [
      {
        kind: 'counted',
        test,
        counts,
        judgement: judgeCounts(counts, test.above, level, reason ?? tooFew(test, count)),
      },
    ];
  }
  const counts = [countOf(runs.filter((run) => meetsBounds(test, run)).length, runs.length)];
  return [{ kind: 'counted', test, counts, judgement: judgeCounts(counts, test.share, level, reason) }];
}
