import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import {
  CONFIGURATION_VERSION,
  type EnvironmentName,
  type RunConfiguration,
} from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { around, computeFinalMean, mean, RADIUS } from '../statistics.ts';
import { type Arm, beforeName, isExpert, isSwitched, type Switch, type SwitchedArm, updatesBefore } from './arms.ts';

/** Settings that all arms of a comparison share. */
export interface ComparisonPlan {
  readonly configurationVersion: typeof CONFIGURATION_VERSION;
  readonly environment: EnvironmentName;
  /** Number of updates of a run, or number of updates after the switch of a switched run. */
  readonly steps: number;
  readonly settings: ParameterValues;
  /** All controls except the rule. */
  readonly controls: ParameterValues;
  /** True if each seed has a separate warm start (warmSeed = seed). */
  readonly freshWarmStart: boolean;
  /** Number of worlds through which the seeds cycle. Each world has its own facts, documents and warm start. */
  readonly worlds: number;
  /** Measurement settings by the names of `ComparedEnvironment.measuring`, and sampling settings of the measurement. */
  readonly measuring: Readonly<Record<string, number>>;
}

/** Results of a measurement of a policy, by name; null for a share without items. */
export type Measured = Readonly<Record<string, number | null>>;

/** Measurement of an initial policy. */
export interface BaseRun {
  /** Seed of the draws of the measurement. */
  readonly seed: number;
  /** Digest that distinguishes policies; empty in files of early versions. */
  readonly digest: string;
  readonly measured: Measured;
}

/** Software and device that produced a run. */
export interface Provenance {
  /** Version of the program. */
  readonly version: string;
  /** Commit of the repository, with `+` if its files were changed; empty outside a repository. */
  readonly commit?: string;
  /** Processor time of the run and the measurement of its policy [s]. */
  readonly seconds?: number;
  readonly device: string;
  /** Digests of the code folders that determine the numbers of a run, by folder name. */
  readonly code: Readonly<Record<string, string>>;
  /**
   * Number of runs of this file that this code repeated with equal bits, if other code produced the run; otherwise
   * absent.
   */
  readonly again?: number;
}

/** Run of one arm at one seed. */
export interface ArmRun {
  readonly arm: Arm;
  readonly seed: number;
  /** Digest of the initial policy. */
  readonly digest: string;
  /** Measurement of the trained policy on held-out tasks. */
  readonly heldOut: Measured;
  /** [updates] each metric by name. The name of a component is `component:NAME`. */
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
  /** Absent in files of early versions. */
  readonly provenance?: Provenance;
}

/** Results of the completed runs of a comparison. A comparison can be continued. */
export interface Findings {
  readonly plan: ComparisonPlan;
  readonly base: readonly BaseRun[];
  readonly runs: readonly ArmRun[];
}

/** Returns the settings of a seed, which determine its world and its warm start. */
export function settingsOf({ freshWarmStart, worlds, settings }: ComparisonPlan, seed: number): ParameterValues {
  if (freshWarmStart) return { ...settings, warmSeed: seed };
  if (worlds === 1) return settings;
  const world = (seed - 1) % worlds;
  return { ...settings, worldSeed: world, warmSeed: world };
}

/**
 * Returns the configuration of a run. `turnwise train` with this configuration gives the same curves. For expert
 * iteration, the configuration only defines the environment: its rule is the first rule of the environment and assigns
 * no credit.
 */
export function runConfiguration(plan: ComparisonPlan, arm: Arm, seed: number): RunConfiguration {
  const { switch: change } = arm;
  const { environment } = plan;
  const usual = { rule: ENVIRONMENTS[environment].pinned[0], changes: {} };
  const { rule, changes } = isExpert(arm) ? usual : change?.habit ? change.to : arm;
  const { armSettings = [] } = ENVIRONMENTS[environment];
  const [shaping, controlChanges] = apart(changes, (name) => armSettings.includes(name));
  const settings = { ...settingsOf(plan, seed), ...shaping };
  const controls = { ...plan.controls, ...controlChanges, rule };
  return {
    ...{ version: CONFIGURATION_VERSION, environment, settings, seed, controls },
    schedule: change ? scheduleOf(plan, arm, change) : [],
  };
}

/** Splits values by their names: values with a name that the predicate accepts, and all other values. */
function apart(values: ParameterValues, holds: (name: string) => boolean): [ParameterValues, ParameterValues] {
  const entries = Object.entries(values);
  return [
    Object.fromEntries(entries.filter(([name]) => holds(name))),
    Object.fromEntries(entries.filter(([name]) => !holds(name))),
  ];
}

function scheduleOf(plan: ComparisonPlan, arm: Arm, { step, to, habit }: Switch): RunConfiguration['schedule'] {
  const back = { step, changes: becoming(plan, arm, to) };
  return habit ? [{ step: habit, changes: becoming(plan, to, arm) }, back] : [back];
}

/** Returns the changes at a switch. Controls that only the first arm changes are reset to the shared values. */
function becoming(
  { controls }: ComparisonPlan,
  { changes: targetChanges }: Switch['to'],
  { rule, changes }: Switch['to'],
) {
  const shared = Object.fromEntries(Object.keys(targetChanges).map((name) => [name, controls[name]]));
  return { ...shared, ...changes, rule };
}

/** Returns the missing runs, ordered by seed, then by arm. */
export function missingRuns({ runs }: Pick<Findings, 'runs'>, arms: readonly Arm[], seeds: readonly number[]) {
  const have = new Set(runs.map(({ arm, seed }) => `${arm.name} ${seed}`));
  return seeds
    .flatMap((seed) => arms.map((arm) => ({ arm, seed })))
    .filter(({ arm, seed }) => !have.has(`${arm.name} ${seed}`));
}

/** Returns [updates] the curve of each metric, rounded to six significant digits. */
export function seriesOf(metrics: readonly Metrics[]): Record<string, (number | null)[]> {
  const rows = metrics.map(
    ({ components, decision: _, facts, heldOut, rule: __, ...rest }): Record<string, number | null> => {
      const parts = Object.entries(components).map(([name, value]) => [`component:${name}`, value]);
      const measured = Object.entries(heldOut ?? {}).map(([name, value]) => [`heldOut:${name}`, value]);
      return { ...rest, ...facts, ...Object.fromEntries([...parts, ...measured]) };
    },
  );
  const names = Object.keys(rows[0] ?? {});
  const roundValue = (value: number | null | undefined) =>
    value == null || !Number.isFinite(value) ? null : Number(value.toPrecision(6));
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => roundValue(row[name]))]));
}

/** Returns a curve of a run. Missing values are NaN. */
export function curveOf({ series }: Pick<ArmRun, 'series'>, name: string): readonly number[] {
  return (series[name] ?? []).map((value) => value ?? NaN);
}

/** Returns the mean of a curve without missing values. @param part first or last quarter, at least one update */
export function meanOf(run: Pick<ArmRun, 'series'>, name: string, part?: 'first' | 'last'): number {
  const values = curveOf(run, name);
  const quarter = Math.ceil(values.length / 4);
  const [from, until] =
    part === undefined ? [0, values.length] : part === 'first' ? [0, quarter] : [-quarter, undefined];
  return mean(values.slice(from, until).filter(Number.isFinite));
}

/** Returns the number of updates until the moving average of the curve reaches a value; NaN if it never does. */
export function updatesTo(curve: readonly number[], value: number): number {
  const step = curve.findIndex((_, at) => around(curve, at) >= value);
  return step < 0 ? NaN : step;
}

/** Runs with the same switch. */
export interface SwitchRow {
  readonly from: string;
  readonly to: string;
  /** Number of updates under the first arm before the second arm replaces it. */
  readonly step: number;
  /** True if the run starts under the second arm (Switch.habit). */
  readonly habit: boolean;
  readonly runs: readonly SwitchedRun[];
}

type SwitchedRun = ArmRun & { readonly arm: SwitchedArm };

/** Returns a row for each requested switch that has runs. */
export function switchRows({ runs }: Pick<Findings, 'runs'>, arms: readonly Arm[]): readonly SwitchRow[] {
  return arms.filter(isSwitched).flatMap((arm): SwitchRow[] => {
    const armRuns = runs.filter((run): run is SwitchedRun => isSwitched(run.arm) && run.arm.name === arm.name);
    const { to, habit } = arm.switch;
    const row = { from: beforeName(arm), to: to.name, step: updatesBefore(arm), habit: habit !== undefined };
    return armRuns.length === 0 ? [] : [{ ...row, runs: armRuns }];
  });
}

/** Returns the numbers of updates after the switch at which curves are reported: the quarters of the plan's updates. */
export function listReportSteps({ steps }: Pick<ComparisonPlan, 'steps'>): readonly number[] {
  return [...new Set([1, 2, 3, 4].map((quarter) => Math.round((quarter * steps) / 4)))];
}

/** Returns the value of a metric before the switch: the mean over the last updates before it. */
export function beforeSwitch(run: SwitchedRun, metric: string): number {
  return computeFinalMean(curveOf(run, metric).slice(0, run.arm.switch.step));
}

/**
 * Returns the moving average of a metric after a number of updates since the switch, or its last value if the run is
 * shorter.
 */
export function afterSwitch(run: SwitchedRun, metric: string, updates: number): number {
  const curve = sliceCurve(run, metric);
  return updates >= curve.length ? mean(curve.slice(-(RADIUS + 1))) : around(curve, updates);
}

export function sliceCurve(run: SwitchedRun, metric: string): readonly number[] {
  return curveOf(run, metric).slice(run.arm.switch.step);
}
