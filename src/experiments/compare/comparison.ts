import type { Gpu } from '../../gpu/device.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { PolicyState } from '../../policy/policy.ts';
import { CONFIGURATION_VERSION, type RunConfiguration } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { Run } from '../../training/run/run.ts';
import { drive } from '../drive.ts';
import { evaluate, type Rates } from './rates.ts';

/** What every arm of a comparison has in common. The arms differ in the credit rule alone. */
export interface ComparisonPlan {
  readonly configurationVersion: typeof CONFIGURATION_VERSION;
  readonly steps: number;
  readonly settings: ParameterValues;
  /** All controls but the rule. */
  readonly controls: ParameterValues;
  /** Every seed makes a warm start of its own (warmSeed = seed) instead of sharing one. */
  readonly freshWarmStart: boolean;
  /** Episodes that the warm start is measured on, of training questions. */
  readonly baseEpisodes: number;
  /** Episodes that a trained policy is measured on, of held-out questions. */
  readonly heldOutEpisodes: number;
}

/** The policy that the arms of a seed start from. */
export interface WarmStart {
  readonly state: PolicyState;
  /** Tells two warm starts apart. */
  readonly digest: string;
}

/** A warm start as it was measured before training. */
export interface BaseResult {
  readonly warmSeed: number;
  readonly digest: string;
  readonly rates: Rates;
}

/** One rule at one seed. */
export interface ArmResult {
  readonly rule: string;
  readonly seed: number;
  /** The warm start that it began with. */
  readonly digest: string;
  /** [step] every metric by name; components as `component:right`. */
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
  readonly heldOut: Rates;
}

/** What was found so far; grows arm by arm and may be continued later. */
export interface Findings {
  readonly plan: ComparisonPlan;
  readonly base: readonly BaseResult[];
  readonly arms: readonly ArmResult[];
}

export interface ComparisonHooks {
  /** The policy that a warm-start seed stands for; asked for once a seed, only where something is to be trained. */
  readonly warmStart: (warmSeed: number) => Promise<WarmStart>;
  readonly started?: (arm: { readonly rule: string; readonly seed: number }) => void;
  readonly metrics?: (metrics: Metrics) => void;
  /** An arm is complete: the time to keep the findings. */
  readonly finished?: (findings: Findings) => void | Promise<void>;
  readonly signal?: AbortSignal;
}

/** The world and warm start of a seed. */
export function settingsOf(plan: ComparisonPlan, seed: number): ParameterValues {
  return plan.freshWarmStart ? { ...plan.settings, warmSeed: seed } : plan.settings;
}

/** One arm as the run it is: `turnwise train` with this configuration gives the same curve. */
export function armConfiguration(plan: ComparisonPlan, rule: string, seed: number): RunConfiguration {
  const controls = { ...plan.controls, rule };
  const settings = settingsOf(plan, seed);
  return { version: CONFIGURATION_VERSION, environment: 'search', settings, seed, controls, schedule: [] };
}

/** Arms that are still to be trained: all rules of a seed before the next seed. */
export function missingArms(findings: Findings, rules: readonly string[], seeds: readonly number[]) {
  const have = new Set(findings.arms.map(({ rule, seed }) => `${rule} ${seed}`));
  return seeds
    .flatMap((seed) => rules.map((rule) => ({ rule, seed })))
    .filter((arm) => !have.has(`${arm.rule} ${arm.seed}`));
}

/**
 * Trains what is missing of rules x seeds on one device.
 * @param before findings of an earlier try with the same plan; they are kept
 * @throws {Error} when a seed's warm start is not the one that its finished arms began with
 */
export async function runComparison(
  gpu: Gpu,
  before: Findings,
  rules: readonly string[],
  seeds: readonly number[],
  hooks: ComparisonHooks,
): Promise<Findings> {
  let findings = before;
  let warm: { readonly warmSeed: number; readonly start: WarmStart } | undefined;
  for (const { rule, seed } of missingArms(before, rules, seeds)) {
    if (hooks.signal?.aborted) break;
    const configuration = armConfiguration(findings.plan, rule, seed);
    const warmSeed = configuration.settings.warmSeed as number;
    if (warm?.warmSeed !== warmSeed) warm = { warmSeed, start: await hooks.warmStart(warmSeed) };
    const { state, digest } = warm.start;
    if (findings.base.some((base) => base.warmSeed === warmSeed && base.digest !== digest)) {
      throw new Error(`the warm start of seed ${warmSeed} is not the one that the finished arms began with`);
    }
    hooks.started?.({ rule, seed });
    const run = await Run.create(gpu, configuration);
    try {
      run.beginWith(state);
      if (!findings.base.some((base) => base.warmSeed === warmSeed)) {
        const measured = await evaluate(run.trainer, findings.plan.baseEpisodes, 'train', hooks.signal);
        if (hooks.signal?.aborted) break;
        findings = { ...findings, base: [...findings.base, { warmSeed, digest, rates: measured }] };
      }
      await drive(run, findings.plan.steps, hooks);
      if (hooks.signal?.aborted) break;
      const heldOut = await evaluate(run.trainer, findings.plan.heldOutEpisodes, 'held-out', hooks.signal);
      if (hooks.signal?.aborted) break;
      const arm: ArmResult = { rule, seed, digest, series: seriesOf(run.metrics), heldOut };
      findings = { ...findings, arms: [...findings.arms, arm] };
    } finally {
      run.destroy();
    }
    await hooks.finished?.(findings);
  }
  return findings;
}

/** Curves by name out of the metrics of each step. Numbers keep six digits. */
export function seriesOf(metrics: readonly Metrics[]): Record<string, (number | null)[]> {
  const rows = metrics.map(({ components, facts, heldOut, rule: _, ...rest }): Record<string, number | null> => {
    const parts = Object.entries(components).map(([name, value]) => [`component:${name}`, value]);
    const measured = Object.entries(heldOut ?? {}).map(([name, value]) => [`heldOut:${name}`, value]);
    return { ...rest, ...facts, ...Object.fromEntries([...parts, ...measured]) };
  });
  const names = Object.keys(rows[0] ?? {});
  const kept = (value: number | null | undefined) =>
    value == null || !Number.isFinite(value) ? null : Number(value.toPrecision(6));
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => kept(row[name]))]));
}

/** A curve of an arm; a missing value is NaN. */
export function curve(arm: ArmResult, name: string): number[] {
  return (arm.series[name] ?? []).map((value) => value ?? NaN);
}
