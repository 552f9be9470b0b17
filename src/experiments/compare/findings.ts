import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import {
  CONFIGURATION_VERSION,
  type EnvironmentName,
  type RunConfiguration,
} from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { around, mean } from '../statistics.ts';
import { isExpert } from './expertArm.ts';

/** Compared item: a credit rule with the controls that apply to it alone, or expert iteration (expertArm.ts). */
export interface Arm {
  /** As asked for, `verpo:norm=std`. */
  readonly name: string;
  /** `expert-iteration` where no rule credits anything. */
  readonly rule: string;
  /**
   * By the names of a run's controls, and of the settings that arms may have to themselves (armSettings); by those of
   * EXPERT_PARAMETERS for expert iteration.
   */
  readonly changes: ParameterValues;
  /** Switch to another arm during the run (switching.ts). */
  readonly switch?: Switch;
}

/** An arm becomes another one. */
export interface Switch {
  /** Updates that are done by then; the plan's updates follow it. */
  readonly step: number;
  readonly to: Omit<Arm, 'switch'>;
  /** Updates that it begins with as the arm that it comes back to; none where absent. */
  readonly habit?: number;
}

/** Settings that all arms of a comparison share. */
export interface ComparisonPlan {
  readonly configurationVersion: typeof CONFIGURATION_VERSION;
  readonly environment: EnvironmentName;
  /** Updates of a run; of one with a switch, the updates after it. */
  readonly steps: number;
  readonly settings: ParameterValues;
  /** All controls but the rule. */
  readonly controls: ParameterValues;
  /** Every seed makes a separate warm start (warmSeed = seed) instead of sharing one. */
  readonly freshWarmStart: boolean;
  /** In how many worlds the seeds take turns, each with its own facts, documents and warm start; 1: all share one. */
  readonly worlds: number;
  /**
   * Settings for measuring policies, by the names of `ComparedEnvironment.measuring`, and for drawing tokens during the
   * measurement.
   */
  readonly measuring: Readonly<Record<string, number>>;
}

/** Results of a measurement of a policy, by name; null if there were no items to count. */
export type Measured = Readonly<Record<string, number | null>>;

/** A policy that runs start from, as it was measured before training. */
export interface BaseRun {
  /** Seed of the draws with which the policy was measured. */
  readonly seed: number;
  /** Digest that distinguishes two policies; empty in files of early versions. */
  readonly digest: string;
  readonly measured: Measured;
}

/** By what a run was made. */
export interface Provenance {
  /** Version of the program. */
  readonly version: string;
  /** Commit of the repository, with `+` where files of it were changed; empty outside of a repository. */
  readonly commit?: string;
  /** Processor time of the run and the measurement of its policy [s]. */
  readonly seconds?: number;
  readonly device: string;
  /** Digests of the folders of code that decide a run's numbers, by their names. */
  readonly code: Readonly<Record<string, string>>;
  /** The run was made by other code; so many runs of its file were made again by this one, and gave the same bits. */
  readonly again?: number;
}

/** One arm at one seed. */
export interface ArmRun {
  readonly arm: Arm;
  readonly seed: number;
  /** The policy that it began with. */
  readonly digest: string;
  /** The trained policy, on tasks that it never met. */
  readonly heldOut: Measured;
  /** [step] every metric by name; components as `component:right`. */
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
  /** Absent in files of early versions. */
  readonly provenance?: Provenance;
}

/** Results so far. They grow run by run, and may be continued later. */
export interface Findings {
  readonly plan: ComparisonPlan;
  readonly base: readonly BaseRun[];
  readonly runs: readonly ArmRun[];
}

/** The world of a seed, and the warm start that belongs to it. */
export function settingsOf({ freshWarmStart, worlds, settings }: ComparisonPlan, seed: number): ParameterValues {
  if (freshWarmStart) return { ...settings, warmSeed: seed };
  if (worlds === 1) return settings;
  const world = (seed - 1) % worlds;
  return { ...settings, worldSeed: world, warmSeed: world };
}

/**
 * One run as it is: `turnwise train` with this configuration gives the same curve. For expert iteration it is the place alone that
 * programs are written in: its rule, which credits nothing, is the first of the environment.
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

/** Values whose names hold, and the others. */
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

/**
 * Returns the changes when one arm becomes another. Controls that the first arm changes are reset to the values that
 * all arms share.
 */
function becoming(
  { controls }: ComparisonPlan,
  { changes: targetChanges }: Switch['to'],
  { rule, changes }: Switch['to'],
) {
  const shared = Object.fromEntries(Object.keys(targetChanges).map((name) => [name, controls[name]]));
  return { ...shared, ...changes, rule };
}

/** Runs that are still to be done: all arms of a seed before the next seed. */
export function missingRuns({ runs }: Pick<Findings, 'runs'>, arms: readonly Arm[], seeds: readonly number[]) {
  const have = new Set(runs.map(({ arm, seed }) => `${arm.name} ${seed}`));
  return seeds
    .flatMap((seed) => arms.map((arm) => ({ arm, seed })))
    .filter(({ arm, seed }) => !have.has(`${arm.name} ${seed}`));
}

/** Curves by name out of the metrics of each step. Numbers keep six digits. */
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

/** A curve of a run; missing values are NaN. */
export function curveOf({ series }: Pick<ArmRun, 'series'>, name: string): readonly number[] {
  return (series[name] ?? []).map((value) => value ?? NaN);
}

/** Mean of a curve's values, without those that are missing. @param part first or last quarter, at least one update */
export function meanOf(run: Pick<ArmRun, 'series'>, name: string, part?: 'first' | 'last'): number {
  const values = curveOf(run, name);
  const quarter = Math.ceil(values.length / 4);
  const [from, until] =
    part === undefined ? [0, values.length] : part === 'first' ? [0, quarter] : [-quarter, undefined];
  return mean(values.slice(from, until).filter(Number.isFinite));
}

/** Updates until the curve, averaged over its neighbours, first reaches a value; NaN where it never does. */
export function updatesTo(curve: readonly number[], value: number): number {
  const step = curve.findIndex((_, at) => around(curve, at) >= value);
  return step < 0 ? NaN : step;
}
