import type { Claim } from '../../environments/claim.ts';
import {
  CLAIM_FORMAT,
  type ClaimResult,
  type ExperimentAsked,
  type ExperimentResult,
  type RunRecord,
} from '../../experiments/claims/claimResult.ts';
import type { UncorrectedExperiment, UncorrectedResult } from '../../experiments/claims/corrections.ts';
import { type CountedOutcome, outcomesOf, type PairedOutcome } from '../../experiments/claims/outcome.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import { type ArmRun, type ComparisonPlan, curveOf } from '../../experiments/compare/findings.ts';
import { isSwitched, updatesLeft } from '../../experiments/compare/switching.ts';
import { meanSeries } from '../../experiments/statistics.ts';
import { comparisonCells } from '../compare/comparisonText.ts';
import { readLab } from './labFolder.ts';
import { compareLine, type Prepared, prepared } from './prepared.ts';
import { resultDigest } from './sameRun.ts';
import { workOf } from './work.ts';

// The results of a claim by the runs of a folder: what docs/lab keeps, and what its pages are made of.

/** Points that a curve is thinned to. */
const POINTS = 24;

/** Results of claims by the runs of a folder. */
export function resultsOf(claims: readonly Claim[], folder: string): readonly UncorrectedResult[] {
  return claims.map((claim) => {
    const experiments = claim.experiments.map((one) => experimentResult(prepared(claim, one), folder));
    return { ...CLAIM_FORMAT, id: claim.id, experiments };
  });
}

function experimentResult(one: Prepared, folder: string): UncorrectedExperiment {
  const { experiment, key, plan, arms, seeds } = one;
  const found = readLab(folder, key, plan);
  const names = arms.map(({ name }) => name);
  const runs = found.runs.filter(({ arm, seed }) => names.includes(arm.name) && seeds.includes(seed));
  const own = { ...found, runs, arms };
  const others = othersOf(one);
  const [work, ...further] = workOf(folder, [one, ...others]);
  const whole = [work, ...further].filter(({ missing }) => missing.length === 0).map(({ prepared }) => prepared);
  const decided = (outcome: PairedOutcome | CountedOutcome) => {
    const less = outcome.kind === 'paired' ? outcome.test.less?.in : undefined;
    return whole.includes(one) && (less === undefined || whole.some((other) => other.experiment.name === less));
  };
  const elsewhere = (name: string) => {
    const other = others.find(({ experiment }) => experiment.name === name);
    return other && { ...readLab(folder, other.key, other.plan), arms: other.arms };
  };
  const outcomes = outcomesOf(experiment.tests, own, arms, seeds, elsewhere).map((outcome) =>
    decided(outcome) ? outcome : open(outcome),
  );
  const curves = drawnCurves(one);
  return {
    name: experiment.name,
    asked: askedOf(one),
    seeds: seeds.length,
    command: compareLine(one),
    runs: runs.map((run) => recordOf(run, plan, found.device, curves)),
    missing: work.missing.length,
    hours: rounded((updatesLeft(plan, work.missing) * work.seconds) / 3600),
    outcomes,
    ...(runs.length > 0 && !arms.some(isSwitched) ? { table: comparisonCells(own) } : {}),
    curves: { every: Math.ceil(plan.steps / POINTS), ...drawn(runs, names, curves, plan) },
  };
}

/** The experiments of the claim that the tests of one hold its own runs against, for as many seeds. */
function othersOf({ claim, experiment, seeds }: Prepared): readonly Prepared[] {
  const names = experiment.tests.map((test) => (test.kind === 'paired' ? test.less?.in : undefined));
  return claim.experiments
    .filter(({ name }) => names.includes(name))
    .map((other) => prepared(claim, other, seeds.length));
}

/** Nothing is decided before all its seeds are there: no verdict by when one looks. */
function open<One extends PairedOutcome | CountedOutcome>(outcome: One): One {
  return outcome.kind === 'paired'
    ? { ...outcome, judgement: { ...outcome.judgement, status: 'undecided' } }
    : { ...outcome, status: 'undecided' };
}

/** What of an experiment decides its verdicts. */
export function askedOf({ experiment }: Pick<Prepared, 'experiment'>): ExperimentAsked {
  const { name: _, ...asked } = experiment;
  return asked;
}

/**
 * A result with those experiments of an earlier one that asked the same and have more runs: they may have been made on another
 * machine, whose folder is not at hand.
 * @returns `stayed` the names of these
 */
export function withFullerOnes(
  result: UncorrectedResult,
  before: ClaimResult | undefined,
): { readonly whole: UncorrectedResult; readonly stayed: readonly string[] } {
  const fuller = ({ name, asked, runs }: UncorrectedExperiment) =>
    before?.experiments.find(
      (one) =>
        one.name === name && one.runs.length > runs.length && JSON.stringify(one.asked) === JSON.stringify(asked),
    );
  const experiments = result.experiments.map((one) => fuller(one) ?? one);
  const stayed = experiments.filter((one) => !result.experiments.includes(one)).map(({ name }) => name);
  return { whole: { ...result, experiments }, stayed };
}

/** The curves that are drawn of the environment. */
export function drawnCurves({ plan }: Pick<Prepared, 'plan'>): readonly string[] {
  return COMPARED[plan.environment].drawing.panels.map(({ metric }) => metric);
}

function recordOf(run: ArmRun, plan: ComparisonPlan, device: string, curves: readonly string[]): RunRecord {
  const { made, arm, seed, digest } = run;
  return {
    ...{ arm: arm.name, seed, world: plan.worlds > 1 ? (seed - 1) % plan.worlds : 0, digest },
    result: resultDigest(run, curves),
    ...(made?.version ? { version: made.version } : {}),
    device: made?.device || device,
    ...(made?.again === undefined ? {} : { again: made.again }),
  };
}

/** Means over the seeds, and where there are several, the range of them; a value that no seed has is null. */
function drawn(
  runs: readonly ArmRun[],
  names: readonly string[],
  curves: readonly string[],
  { steps }: ComparisonPlan,
): Omit<ExperimentResult['curves'], 'every'> {
  const every = Math.ceil(steps / POINTS);
  const had = names.filter((name) => runs.some(({ arm }) => arm.name === name));
  const thinned = (over: (series: readonly (readonly number[])[]) => readonly number[]) =>
    Object.fromEntries(
      had.map((name) => {
        const own = runs.filter(({ arm }) => arm.name === name);
        const line = (curve: string) =>
          over(own.map((run) => curveOf(run, curve))).filter((_, step) => step % every === 0);
        return [name, Object.fromEntries(curves.map((curve) => [curve, line(curve).map(rounded)]))];
      }),
    );
  const several = new Set(runs.map(({ seed }) => seed)).size > 1;
  return {
    of: thinned(meanSeries),
    ...(several ? { least: thinned(extremes(Math.min)), most: thinned(extremes(Math.max)) } : {}),
  };
}

/** At every update the least, or the largest, of the series that have a value there, as far as the shortest goes. */
function extremes(of: (...values: number[]) => number) {
  return (series: readonly (readonly number[])[]): readonly number[] =>
    Array.from({ length: Math.min(...series.map(({ length }) => length)) }, (_, step) => {
      const values = series.flatMap((one) => (Number.isFinite(one[step]) ? [one[step]] : []));
      return values.length > 0 ? of(...values) : Number.NaN;
    });
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** The text of a result's file. Numbers keep ten digits. */
export function resultJson(result: UncorrectedResult): string {
  const short = (_: string, value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) ? Number(value.toPrecision(10)) : value;
  return `${JSON.stringify(result, short)}\n`;
}
