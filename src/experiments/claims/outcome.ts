import { type ClaimTest, type PairedTest, SEEDS } from '../../environments/claim.ts';
import type { Arm } from '../compare/arms.ts';
import { readValue } from '../compare/columns.ts';
import type { ArmRun, Findings } from '../compare/findings.ts';
import { differencesOf, type Elsewhere, type Paired, pairsOf } from '../compare/pairedClaims.ts';
import { meetsBounds } from '../compare/standardClaims.ts';
import { switchCounts, switchRows } from '../compare/switchTable.ts';
import { bootstrapInterval, improvement, interquartileMean } from '../inference/resampling.ts';
import { standardDeviation } from '../statistics.ts';
import {
  type Count,
  type CountDecision,
  countOf,
  decideCounts,
  INTERIM_LEVEL,
  judge,
  LEVEL,
  pooled,
  shortfall,
  type TestConclusion,
} from './judge.ts';

/** Difference of the two sides at a seed. */
export interface Difference {
  readonly seed: number;
  readonly difference: number;
}

/** `interim` is set if a primary test has the seeds of its interim analysis but not all seeds. */
interface Interim {
  readonly interim?: true;
}

/** Statistical result of a test that compares two arms, or an arm and a number. */
export interface PairedOutcome extends Interim {
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
export interface CountedOutcome extends Interim {
  readonly kind: 'counted';
  readonly test: Exclude<ClaimTest, { kind: 'paired' }>;
  readonly counts: readonly Count[];
  readonly judgement: CountDecision;
}

export type Outcome = PairedOutcome | CountedOutcome;

/**
 * Returns the outcomes of the tests of an experiment. Tests without runs are omitted.
 * @param elsewhere returns another experiment of the claim by its name
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

/** Seeds on which a test is evaluated, and the reason if there are not yet enough. */
interface Analysis {
  readonly seeds: readonly number[];
  readonly level: number;
  readonly interim: Interim;
  readonly reason?: string;
}

/**
 * Selects the seeds of a test. A primary test has an interim analysis after half of its seeds, so it has a smaller
 * level.
 */
function analysisOf({ primary }: ClaimTest, seeds: readonly number[]): Analysis {
  const upTo = (count: number) => seeds.filter((seed) => seed <= count);
  const level = primary ? INTERIM_LEVEL : LEVEL;
  const sizes = primary ? [SEEDS.primary, SEEDS.interim] : [SEEDS.secondary];
  const complete = sizes.find((size) => upTo(size).length === size);
  const interim: Interim = primary && complete === SEEDS.interim ? { interim: true } : {};
  if (complete !== undefined) return { seeds: upTo(complete), level, interim };
  const minimum = Math.min(...sizes);
  const some = upTo(minimum);
  return { seeds: some, level, interim, reason: `${some.length} of ${minimum} seeds` };
}

function pairedOutcome(test: PairedOutcome['test'], paired: Paired, findings: Findings): readonly PairedOutcome[] {
  const all = differencesOf(paired, findings);
  const { seeds, level, reason, interim } = analysisOf(
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
      ...{ kind: 'paired', test, higher: name(higher), lower: name(lower), differences, ...interim },
      judgement: evaluate(test, values, level, reason),
      iqm: { mean: interquartileMean(values), low, high },
      improvement: improvement(values.map((value) => [[value], [0]] as const)),
      deviation: standardDeviation(values),
    },
  ];
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
  const claimed = test.hypothesis === 'more' ? test.margin : -test.margin;
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
      const analysis = analysisOf(
        test,
        runs.map(({ seed }) => seed),
      );
      const counted = runs.filter(({ seed }) => analysis.seeds.includes(seed));
      return { analysis, count: countOf(counted.filter(({ reached }) => reached).length, counted.length, step) };
    });
    if (steps.length === 0) return [];
    const { level } = steps[0].analysis;
    const { interim } = steps.find(({ analysis }) => analysis.interim.interim)?.analysis ?? steps[0].analysis;
    const reason = steps.find(({ analysis }) => analysis.reason !== undefined)?.analysis.reason;
    const counts = steps.map(({ count }) => count);
    return [{ kind: 'counted', test, counts, judgement: decideCounts(counts, test.share, level, reason), ...interim }];
  }
  const all = findings.runs.filter(({ arm }) => arm.name === test.rule);
  const { seeds, level, reason, interim } = analysisOf(
    test,
    all.map(({ seed }) => seed),
  );
  const runs = all.filter(({ seed }) => seeds.includes(seed));
  if (runs.length === 0) return [];
  if (test.kind === 'pooled') {
    const value = (name: string, run: ArmRun) => readValue({ measured: name }, run, findings.plan) || 0;
    const count = pooled(runs.map((run) => [value(test.share, run), value(test.outOf, run)]));
    const counts = [count];
    return [
      {
        kind: 'counted',
        test,
        counts,
        judgement: decideCounts(counts, test.above, level, reason ?? shortfall(test, count)),
        ...interim,
      },
    ];
  }
  const counts = [countOf(runs.filter((run) => meetsBounds(test, run)).length, runs.length)];
  return [{ kind: 'counted', test, counts, judgement: decideCounts(counts, test.share, level, reason), ...interim }];
}
