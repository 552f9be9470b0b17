import type { Claim, ClaimTest, RunValue } from '../../environments/claim.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import {
  CLAIM_FORMAT,
  type ClaimResult,
  type ExperimentDefinition,
  type ExperimentResult,
  type RunRecord,
} from '../../experiments/claims/claimResult.ts';
import type { UncorrectedExperiment, UncorrectedResult } from '../../experiments/claims/corrections.ts';
import { outcomesOf } from '../../experiments/claims/outcome.ts';
import { isSwitched } from '../../experiments/compare/arms.ts';
import { type Column, readValue, TIMES } from '../../experiments/compare/compared.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import { type ArmRun, type ComparisonPlan, curveOf, settingsOf } from '../../experiments/compare/findings.ts';
import { meanSeries } from '../../experiments/statistics.ts';
import { findMetric } from '../../metrics/metricTable.ts';
import { comparisonCells } from '../compare/comparisonText.ts';
import { readLab, resultDigest } from './labFolder.ts';
import { compareLine, countRuns, type Prepared, prepared, workOf } from './work.ts';

// Results of a claim, computed from the runs of a folder. docs/reference/lab stores them, and its pages show them.

/** Number of points to which a curve is reduced. */
const POINTS = 24;

/** Computes the results of claims from the runs of a folder. */
export function resultsOf(claims: readonly Claim[], folder: string): readonly UncorrectedResult[] {
  return claims.map((claim) => {
    const experiments = claim.experiments.map((experiment) => experimentResult(prepared(claim, experiment), folder));
    return { ...CLAIM_FORMAT, id: claim.id, experiments };
  });
}

function experimentResult(item: Prepared, folder: string): UncorrectedExperiment {
  const { claim, experiment, key, plan, arms, seeds } = item;
  const comparison = readLab(folder, key, plan);
  const scheduled = new Set(item.runs.map(({ arm, seed }) => `${arm.name} ${seed}`));
  const runs = comparison.runs.filter(({ arm, seed }) => scheduled.has(`${arm.name} ${seed}`));
  const trained = new Set(runs.map(({ seed }) => seed));
  const base = comparison.base.filter(({ seed }) => trained.has(seed));
  const selected = { ...comparison, base, runs, arms };
  const elsewhere = (name: string) => {
    const match = claim.experiments.find((each) => each.name === name);
    if (!match) return undefined;
    const its = prepared(claim, match);
    return { ...readLab(folder, its.key, its.plan), arms: its.arms };
  };
  const units = workOf(folder, [item], { idle: true });
  const missing = countRuns(units);
  const curves = drawnCurves(item);
  return {
    name: experiment.name,
    definition: extractDefinition(item),
    seeds: seeds.length,
    command: compareLine(item),
    runs: runs.map((run) => recordOf(run, item, comparison.device, curves)),
    missing,
    hours: rounded(units.reduce((sum, unit) => sum + unit.arms.length * unit.seconds, 0) / 3600),
    outcomes: outcomesOf(experiment.tests, { findings: selected, arms, elsewhere }),
    ...(runs.length > 0 && !arms.some(isSwitched)
      ? { table: withoutEmptyColumns(comparisonCells(selected, tableColumns(item))) }
      : {}),
    curves: {
      every: Math.ceil(plan.steps / POINTS),
      ...drawn(
        runs,
        arms.map(({ name }) => name),
        curves,
        plan,
      ),
    },
  };
}

/**
 * Returns the columns of the table of an experiment: the standard measurements of its environment, the optional
 * measurements that a test uses, and all other values of its tests. Times are included if the experiment needs an idle
 * machine.
 */
function tableColumns({ plan, experiment }: Prepared): readonly Column[] {
  const names = (columns: readonly Column[]) => columns.map(({ name }) => name);
  const tested = experiment.tests.flatMap(valuesIn);
  const used = tested.flatMap((of) => ('measured' in of ? [of.measured] : []));
  const visible = new Set([...names(COMPARED[plan.environment].columns({ ...plan, measuring: {} })), ...used]);
  if (!experiment.idle) for (const name of names(TIMES)) visible.delete(name);
  const declared = COMPARED[plan.environment].columns(plan).filter(({ name }) => visible.has(name));
  const further = new Map(
    tested.flatMap((of) => testedColumn(of, plan, declared) ?? []).map((column) => [column.title, column]),
  );
  return [...declared, ...further.values()];
}

/** Returns a column with a value of a test; undefined if the table already has the value, or the test scales it. */
function testedColumn(of: RunValue, { environment }: ComparisonPlan, columns: readonly Column[]): Column | undefined {
  const known = (name: string, format?: 'points') =>
    columns.some((column) => column.name === name && (format === undefined || column.format === format));
  const column = (name: string, detail: string, format: 'share' | 'number'): Column => {
    const label = findMetric(name)?.label ?? ENVIRONMENTS[environment].facts.find((fact) => fact.name === name)?.label;
    const title = `${label?.toLowerCase() ?? name}${detail}`;
    return { name: valueName(of), title, format, of: (run, plan) => readValue(of, run, plan) };
  };
  if ('measured' in of) return known(of.measured) ? undefined : column(of.measured, '', 'share');
  if ('curve' in of) return column(of.curve, `, updates to ${'within' in of ? of.within : of.reaches}`, 'number');
  if ('start' in of) return known(of.start, 'points') ? undefined : column(of.start, ', start', 'share');
  if ('end' in of) return known(of.end, 'points') ? undefined : column(of.end, ', end', 'share');
  if (of.scale !== undefined || of.over !== undefined) return undefined;
  const part = of.part === undefined ? '' : ` of the ${of.part} quarter`;
  return column(of.mean, `, mean${part}${of.times === undefined ? '' : ` times ${of.times}`}`, 'share');
}

/** Removes columns without any value. */
function withoutEmptyColumns({ head, rows }: { head: string[]; rows: string[][] }): {
  head: string[];
  rows: string[][];
} {
  const isEmpty = head.map((_, index) => rows.every((row) => row[index] === '-'));
  const retained = (cells: string[]) => cells.filter((_, index) => !isEmpty[index]);
  return { head: retained(head), rows: rows.map(retained) };
}

/** Returns the properties of an experiment that determine its conclusions. */
export function extractDefinition({ experiment }: Pick<Prepared, 'experiment'>): ExperimentDefinition {
  const { name: _, ...definition } = experiment;
  return definition;
}

/**
 * Replaces experiments of a result by experiments of an earlier result that have the same definition and more runs. The
 * earlier runs can be from another machine.
 * @returns the result, and the names of the replaced experiments (`retainedNames`)
 */
export function mergeEarlierExperiments(
  result: UncorrectedResult,
  before: ClaimResult | undefined,
): { readonly merged: UncorrectedResult; readonly retainedNames: readonly string[] } {
  const findLarger = ({ name, definition, runs }: UncorrectedExperiment) =>
    before?.experiments.find(
      (previous) =>
        previous.name === name &&
        previous.runs.length > runs.length &&
        JSON.stringify(previous.definition) === JSON.stringify(definition),
    );
  const experiments = result.experiments.map((experiment) => findLarger(experiment) ?? experiment);
  const retainedNames = experiments
    .filter((experiment) => !result.experiments.includes(experiment))
    .map(({ name }) => name);
  return { merged: { ...result, experiments }, retainedNames };
}

/** Returns the names of the metrics whose curves are drawn for the environment. */
export function drawnCurves({ plan }: Pick<Prepared, 'plan'>): readonly string[] {
  return COMPARED[plan.environment].drawing.panels.map(({ metric }) => metric);
}

function recordOf(run: ArmRun, { plan, experiment }: Prepared, device: string, curves: readonly string[]): RunRecord {
  const { provenance, arm, seed, digest } = run;
  return {
    ...{ arm: arm.name, seed, world: Number(settingsOf(plan, seed).worldSeed ?? 0), digest },
    result: resultDigest(run, curves),
    ...(provenance?.version ? { version: provenance.version } : {}),
    ...(provenance?.commit ? { commit: provenance.commit } : {}),
    device: provenance?.device || device,
    ...(provenance?.again === undefined ? {} : { again: provenance.again }),
    values: valuesOf(run, plan, experiment.tests),
  };
}

/** Returns the numbers of a run that the tests use, and the measured columns of the comparison table. */
function valuesOf(run: ArmRun, plan: ComparisonPlan, tests: readonly ClaimTest[]): Record<string, number | null> {
  const measured = (name: string) => ({ measured: name });
  const columns = COMPARED[plan.environment].columns(plan).map(({ name }) => name);
  const values: readonly RunValue[] = [
    ...tests.flatMap(valuesIn),
    ...columns.map(measured).filter((of) => !Number.isNaN(readValue(of, run, plan))),
  ];
  const entries = values.map((of) => {
    const value = readValue(of, run, plan);
    return [valueName(of), Number.isFinite(value) ? Number(value.toPrecision(6)) : null] as const;
  });
  return Object.fromEntries(entries);
}

function valuesIn(test: ClaimTest): readonly RunValue[] {
  const measured = (name: string) => ({ measured: name });
  const end = (name: string) => ({ end: name });
  switch (test.kind) {
    case 'paired':
      return [test.of, test.lowerOf, test.lessOf].flatMap((of) => of ?? []);
    case 'seeds':
      return [...Object.keys(test.ends ?? {}).map(end), ...Object.keys(test.measured ?? {}).map(measured)];
    case 'pooled':
      return [test.share, test.outOf].map(measured);
    case 'switch':
      return [end(test.metric)];
  }
}

/** Returns the name of a value, for example `measured:iter3` or `mean:degenerate part:last`. */
function valueName(of: RunValue): string {
  return Object.entries(of)
    .map(([name, value]) => `${name}:${value}`)
    .join(' ');
}

/** Computes the means over the seeds and, if there are several seeds, their range. A value that no seed has is null. */
function drawn(
  runs: readonly ArmRun[],
  names: readonly string[],
  curves: readonly string[],
  { steps }: ComparisonPlan,
): Omit<ExperimentResult['curves'], 'every'> {
  const every = Math.ceil(steps / POINTS);
  const had = names.filter((name) => runs.some(({ arm }) => arm.name === name));
  const downsample = (over: (series: readonly (readonly number[])[]) => readonly number[]) =>
    Object.fromEntries(
      had.map((name) => {
        const armRuns = runs.filter(({ arm }) => arm.name === name);
        const line = (curve: string) =>
          over(armRuns.map((run) => curveOf(run, curve))).filter((_, step) => step % every === 0);
        return [name, Object.fromEntries(curves.map((curve) => [curve, line(curve).map(rounded)]))];
      }),
    );
  const several = new Set(runs.map(({ seed }) => seed)).size > 1;
  return {
    of: downsample(meanSeries),
    ...(several ? { least: downsample(extremes(Math.min)), maximum: downsample(extremes(Math.max)) } : {}),
  };
}

/**
 * Returns a function that computes the minimum or maximum of the finite values at each update, up to the length of the
 * shortest series.
 */
function extremes(of: (...values: number[]) => number) {
  return (series: readonly (readonly number[])[]): readonly number[] =>
    Array.from({ length: Math.min(...series.map(({ length }) => length)) }, (_, step) => {
      const values = series.flatMap((curve) => (Number.isFinite(curve[step]) ? [curve[step]] : []));
      return values.length > 0 ? of(...values) : Number.NaN;
    });
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** Returns the text of a result file. Numbers have at most ten significant digits. */
export function resultJson(result: UncorrectedResult): string {
  const short = (_: string, value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) ? Number(value.toPrecision(10)) : value;
  return `${JSON.stringify(result, short)}\n`;
}
