import {
  type Bounds,
  type ClaimTest,
  type PairedTest,
  type PooledTest,
  type RunValue,
  SEEDS,
  type SeedsTest,
  type Side,
  type SwitchTest,
} from '../../environments/claim.ts';
import type { Arm } from '../compare/arms.ts';
import { readValue } from '../compare/compared.ts';
import { type ArmRun, curveOf, type Findings, type SwitchRow, sliceCurve, switchRows } from '../compare/findings.ts';
import { bootstrapIntervals, improvement, interquartileMean } from '../inference/inference.ts';
import { around, computeFinalMean, sampleDeviation } from '../statistics.ts';
import {
  type Count,
  type CountDecision,
  claimedBound,
  countOf,
  decideCounts,
  INTERIM_LEVEL,
  judge,
  LEVEL,
  type PooledValue,
  pooled,
  shortfall,
  type TestConclusion,
} from './judge.ts';

/** Difference of the two sides at a seed. */
export interface Difference {
  readonly seed: number;
  readonly difference: number;
}

/** Seeds of a test that are finished. Absent properties mean that all seeds are finished. */
interface Completeness {
  /** A primary test has the seeds of its interim analysis but not all seeds. */
  readonly interim?: true;
  /** Seeds of the first analysis are missing. */
  readonly incomplete?: true;
}

/** Statistical result of a test that compares two arms, or an arm and a number. */
export interface PairedOutcome extends Completeness {
  readonly kind: 'paired';
  readonly test: Extract<ClaimTest, { kind: 'paired' }>;
  readonly higher: string;
  readonly lower: string;
  readonly differences: readonly Difference[];
  readonly judgement: TestConclusion;
  /** Interquartile mean of the differences with its 95 % bootstrap interval. */
  readonly iqm: { readonly mean: number; readonly low: number; readonly high: number };
  /** Share of the seeds at which `higher` is above `lower`; a tie counts one half. */
  readonly improvement: number;
  /** Standard deviation of the differences. */
  readonly deviation: number;
}

/** Statistical result of a test that counts seeds or problems. */
export interface CountedOutcome extends Completeness {
  readonly kind: 'counted';
  readonly test: Exclude<ClaimTest, { kind: 'paired' }>;
  readonly counts: readonly Count[];
  readonly judgement: CountDecision;
}

export type Outcome = PairedOutcome | CountedOutcome;

/** Data of an experiment that its tests read. */
interface TestedRuns {
  readonly findings: Findings;
  readonly arms: readonly Arm[];
  /** Returns another experiment of the claim by its name. Tests that refer to one are omitted if it is absent. */
  readonly elsewhere?: (name: string) => Elsewhere | undefined;
  /** True to evaluate all seeds at LEVEL. False for the numbers of seeds of the Lab (SEEDS). */
  readonly allSeeds?: boolean;
}

/** Returns the outcomes of the tests of an experiment. Tests without runs are omitted. */
export function outcomesOf(tests: readonly ClaimTest[], tested: TestedRuns): readonly Outcome[] {
  return tests.flatMap((test): readonly Outcome[] =>
    test.kind === 'paired'
      ? pairsOf(test, tested.arms, tested.elsewhere).flatMap((paired) => pairedOutcome(test, paired, tested))
      : countedOutcome(test, tested),
  );
}

/** Seeds on which a test is evaluated, and the reason if there are not yet enough. */
interface Analysis {
  readonly seeds: readonly number[];
  readonly level: number;
  readonly completeness: Completeness;
  readonly reason?: string;
}

/**
 * Selects the seeds of a test. A primary test has an interim analysis after half of its seeds, so it has a smaller
 * level.
 */
function analysisOf({ primary }: ClaimTest, seeds: readonly number[], { allSeeds }: TestedRuns): Analysis {
  if (allSeeds) return { seeds, level: LEVEL, completeness: {} };
  const upTo = (count: number) => seeds.filter((seed) => seed <= count);
  const level = primary ? INTERIM_LEVEL : LEVEL;
  const sizes = primary ? [SEEDS.primary, SEEDS.interim] : [SEEDS.secondary];
  const complete = sizes.find((size) => upTo(size).length === size);
  if (complete !== undefined) {
    const completeness: Completeness = primary && complete === SEEDS.interim ? { interim: true } : {};
    return { seeds: upTo(complete), level, completeness };
  }
  const minimum = Math.min(...sizes);
  const some = upTo(minimum);
  const reason = `${some.length} of ${minimum} seeds`;
  return { seeds: some, level, completeness: { incomplete: true }, reason };
}

function pairedOutcome(test: PairedOutcome['test'], paired: Paired, tested: TestedRuns): readonly PairedOutcome[] {
  const all = differencesOf(paired, tested.findings);
  const { seeds, level, reason, completeness } = analysisOf(
    test,
    all.map(({ seed }) => seed),
    tested,
  );
  const differences = all.filter(({ seed }) => seeds.includes(seed));
  if (differences.length === 0) return [];
  const values = differences.map(({ difference }) => difference);
  const name = (side: Paired['higher']) => (typeof side === 'number' ? String(side) : side.name);
  const { higher, lower } = paired;
  return [
    {
      ...{ kind: 'paired', test, higher: name(higher), lower: name(lower), differences, ...completeness },
      judgement: evaluate(test, values, level, reason),
      iqm: iqmOf(values),
      improvement: improvement(values),
      deviation: sampleDeviation(values),
    },
  ];
}

function iqmOf(values: readonly number[]): PairedOutcome['iqm'] {
  // A single value has no bootstrap.
  if (values.length === 1) return { mean: values[0], low: values[0], high: values[0] };
  const [{ value, low, high }] = bootstrapIntervals([...values.keys()], 0, (members) => [
    interquartileMean(members.map((member) => values[member])),
  ]);
  return { mean: value, low, high };
}

/** Evaluates a test; a reason keeps it open. A statement by arithmetic holds if all seeds agree. */
function evaluate(
  test: PairedTest & Pick<ClaimTest, 'byArithmetic'>,
  values: readonly number[],
  level: number,
  reason?: string,
): TestConclusion {
  const judgement = judge(test, values, level);
  if (reason !== undefined) return { ...judgement, status: 'open', reason };
  if (!test.byArithmetic) return judgement;
  const { reason: _, ...rest } = judgement;
  const bound = claimedBound(test);
  return { ...rest, status: values.every((value) => value > bound) ? 'holds' : 'open' };
}

function countedOutcome(test: CountedOutcome['test'], tested: TestedRuns): readonly CountedOutcome[] {
  const { findings, arms } = tested;
  if (test.kind === 'switch') {
    const rows = switchRows(findings, arms);
    const steps = switchCounts(test, rows).map(({ step, runs }) => {
      const analysis = analysisOf(
        test,
        runs.map(({ seed }) => seed),
        tested,
      );
      const counted = runs.filter(({ seed }) => analysis.seeds.includes(seed));
      return { analysis, count: countOf(counted.filter(({ reached }) => reached).length, counted.length, step) };
    });
    if (steps.length === 0) return [];
    // The step with the fewest seeds determines the analysis.
    const { level, reason, completeness } = (
      steps.find(({ analysis }) => analysis.completeness.incomplete) ??
      steps.find(({ analysis }) => analysis.completeness.interim) ??
      steps[0]
    ).analysis;
    const counts = steps.map(({ count }) => count);
    const judgement = decideCounts(counts, test.share, level, reason);
    return [{ kind: 'counted', test, counts, judgement, ...completeness }];
  }
  const isMeasured =
    test.kind === 'pooled' ? (run: ArmRun) => pooledValues(test, run, findings) !== undefined : () => true;
  const all = findings.runs.filter((run) => run.arm.name === test.rule && isMeasured(run));
  const { seeds, level, reason, completeness } = analysisOf(
    test,
    all.map(({ seed }) => seed),
    tested,
  );
  const runs = all.filter(({ seed }) => seeds.includes(seed));
  if (runs.length === 0) return [];
  if (test.kind === 'pooled') {
    const count = pooled(runs.flatMap((run) => pooledValues(test, run, findings) ?? []));
    const judgement = decideCounts([count], test.above, level, reason ?? shortfall(test, count));
    return [{ kind: 'counted', test, counts: [count], judgement, ...completeness }];
  }
  const counts = [countOf(runs.filter((run) => meetsBounds(test, run)).length, runs.length)];
  const judgement = decideCounts(counts, test.share, level, reason);
  return [{ kind: 'counted', test, counts, judgement, ...completeness }];
}

/**
 * Returns the share and the number of items that a run adds to a pooled count; undefined if a value is missing. The
 * share of no items is 0.
 */
function pooledValues({ share, outOf }: PooledTest, run: ArmRun, { plan }: Findings): PooledValue | undefined {
  const [part, total] = [share, outOf].map((measured) => readValue({ measured }, run, plan));
  if (total === 0) return { share: 0, outOf: 0 };
  return Number.isFinite(part) && Number.isFinite(total) ? { share: part, outOf: total } : undefined;
}

/** Returns for each matching switch step which runs reach the bounds of a test. */
function switchCounts({ from, to, since, habit, metric, within, bounds }: SwitchTest, rows: readonly SwitchRow[]) {
  return rows
    .filter((row) => row.from === from && row.to === to && row.step >= since && row.habit === (habit ?? false))
    .map(({ step, runs }) => ({
      step,
      runs: runs.map((run) => ({ seed: run.seed, reached: reaches(sliceCurve(run, metric), within, bounds) })),
    }));
}

/** Returns true if the moving average of a curve is within bounds at any of the first `within` updates. */
function reaches(curve: readonly number[], within: number, bounds: Bounds): boolean {
  return Array.from({ length: Math.min(within, curve.length) }, (_, at) => around(curve, at)).some((value) =>
    inside(bounds, value),
  );
}

/**
 * Returns true if the final means of a run's curves and the measurements of its policy are within the bounds of a test.
 */
function meetsBounds({ ends = {}, measured = {} }: Pick<SeedsTest, 'ends' | 'measured'>, run: ArmRun): boolean {
  return (
    Object.entries(ends).every(([metric, bounds]) => inside(bounds, computeFinalMean(curveOf(run, metric)))) &&
    Object.entries(measured).every(([name, bounds]) => inside(bounds, run.heldOut[name] ?? NaN))
  );
}

/** Returns true if a number is within bounds. NaN is not within bounds. */
export function inside(
  { above = -Infinity, below = Infinity, from = -Infinity, to = Infinity }: Bounds,
  value: number,
) {
  return value > above && value < below && value >= from && value <= to;
}

/** Arms of the two sides of a test. A number in the test is used as the value of its side. */
export interface Paired {
  readonly test: PairedTest;
  readonly higher: Arm | number;
  readonly lower: Arm | number;
  /** Subtracted sides; absent if the test subtracts none. `runs` is absent if they have the runs of the other sides. */
  readonly less?: { readonly higher: Arm | number; readonly lower: Arm | number; readonly runs?: Runs };
}

type Runs = Pick<Findings, 'plan' | 'runs'>;

/** Arms and runs of another experiment of a claim. */
export interface Elsewhere extends Runs {
  readonly arms: readonly Arm[];
}

function same(first: Side | number, second: Side | number): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/**
 * Returns the pairs of arms that match the two sides of a test.
 * @param elsewhere returns another experiment by name; without it, tests that refer to one have no pairs
 */
export function pairsOf(
  test: PairedTest,
  arms: readonly Arm[],
  elsewhere?: (name: string) => Elsewhere | undefined,
): readonly Paired[] {
  const of = (side: Side | number) => (typeof side === 'number' ? [side] : arms.filter((arm) => fits(arm, side)));
  const { less, higher, lower } = test;
  const pairs = of(higher).flatMap((one) =>
    same(higher, lower) ? [{ first: one, second: one }] : of(lower).map((other) => ({ first: one, second: other })),
  );
  if (!less) return pairs.map(({ first: one, second: other }) => ({ test, higher: one, lower: other }));
  const meanElsewhere = less.in === undefined ? undefined : elsewhere?.(less.in);
  const known = less.in === undefined ? arms : (meanElsewhere?.arms ?? []);
  const [first, second] = [less.higher, less.lower].map((side) =>
    typeof side === 'number' ? side : known.find((arm) => fits(arm, side)),
  );
  if (first === undefined || second === undefined) return [];
  const subtracted = { higher: first, lower: second, ...(meanElsewhere ? { runs: meanElsewhere } : {}) };
  return pairs.map(({ first: one, second: other }) => ({ test, higher: one, lower: other, less: subtracted }));
}

/** Returns true if an arm has the rule and exactly the changed parameters of a side, and no switch. */
export function fits({ rule, changes, switch: change }: Arm, side: Side): boolean {
  if (change) return false;
  const expected = Object.entries(side.changes);
  const equal = expected.every(([name, value]) => changes[name] === value);
  return rule === side.rule && equal && Object.keys(changes).length === expected.length;
}

/** A smaller difference is a rounding error of equal values. */
const ROUNDING = 1e-12;

/** Computes the difference of the two sides at each seed for which all arms have runs. */
export function differencesOf(
  { test, higher, lower, less }: Paired,
  current: Runs,
): readonly { readonly seed: number; readonly difference: number }[] {
  const seeds = [...new Set(current.runs.map(({ seed }) => seed))].sort((a, b) => a - b);
  const at = (arm: Arm | number, value: RunValue, seed: number, from = current) => {
    const armValue = valueAt(arm, value, seed, from);
    return Number.isNaN(armValue) || typeof arm === 'number' ? armValue : counted(armValue);
  };
  const subtractedValue = test.lessOf ?? test.of;
  const counted = (value: number) => (test.binary === undefined ? value : Number(value > test.binary));
  return seeds.flatMap((seed) => {
    const first = at(higher, test.of, seed) - at(lower, test.lowerOf ?? test.of, seed);
    const second = less
      ? at(less.higher, subtractedValue, seed, less.runs) - at(less.lower, subtractedValue, seed, less.runs)
      : 0;
    const difference = Math.abs(first - second) < ROUNDING ? 0 : first - second;
    return Number.isFinite(difference) ? [{ seed, difference }] : [];
  });
}

/** Returns the value of an arm at a seed; NaN if the arm has no run at the seed. */
function valueAt(arm: Arm | number, value: RunValue, seed: number, { plan, runs }: Runs): number {
  if (typeof arm === 'number') return arm;
  const run = runs.find((item) => item.seed === seed && item.arm.name === arm.name);
  return run ? readValue(value, run, plan) : NaN;
}
