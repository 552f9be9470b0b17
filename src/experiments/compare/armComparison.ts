import type { Gpu } from '../../gpu/device.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Evaluation } from '../../training/collect/collectRequest.ts';
import {
  CONFIGURATION_VERSION,
  type EnvironmentName,
  type RunConfiguration,
} from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import type { OpenEnvironment } from '../../training/run/openEnvironment.ts';
import { Run } from '../../training/run/run.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { drive } from '../drive.ts';
import { seriesOf, type WarmStart } from './comparison.ts';
import { evaluateRepair, evaluateRepo, type HeldOutOptions } from './heldOutEvaluation.ts';

// Comparisons in the environments that run programs. An arm is a rule with parameters of its own; everything else is the
// same for all arms.

/** Environments that run programs. */
export type ProgramEnvironment = Exclude<EnvironmentName, 'search'>;

/** What is compared: a rule, and the controls that it alone gets. */
export interface Arm {
  /** As asked for, `verpo:norm=std`. */
  readonly name: string;
  readonly rule: string;
  /** By the names of a run's controls. */
  readonly changes: ParameterValues;
}

/** What every arm has in common. */
export interface ArmPlan {
  readonly configurationVersion: typeof CONFIGURATION_VERSION;
  readonly environment: ProgramEnvironment;
  readonly steps: number;
  readonly settings: ParameterValues;
  /** All controls but the rule. */
  readonly controls: ParameterValues;
  /** Episodes of each held-out problem. */
  readonly samples: number;
  /** The first held-out problems; 0 for all. */
  readonly problems: number;
  /** How evaluations draw tokens. */
  readonly sampling: NonNullable<Evaluation['sampling']>;
}

/** What an evaluation found, by name. Repair: iter1, iter2, iter3, repairRate. Repo: the facts of repoEpisodes(). */
export type HeldOut = Readonly<Record<string, number | null>>;

/** The policy that a seed starts from, on the draws of that seed. */
export interface BaseRun {
  readonly seed: number;
  readonly heldOut: HeldOut;
}

/** One arm at one seed. */
export interface ArmRun extends BaseRun {
  readonly arm: Arm;
  /** [step] every metric by name. */
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

/** What was found so far; grows run by run. */
export interface ArmFindings {
  readonly plan: ArmPlan;
  /** Of the policy that all runs start from; empty before the first. */
  readonly digest: string;
  readonly base: readonly BaseRun[];
  readonly runs: readonly ArmRun[];
}

export interface ArmHooks {
  /** The policy that all runs start from. */
  readonly start: WarmStart;
  /** Opens the environment for a run, which closes it. */
  readonly open: (configuration: RunConfiguration) => Promise<OpenEnvironment>;
  readonly started?: (arm: Arm, seed: number) => void;
  readonly metrics?: (metrics: Metrics) => void;
  /** A run is complete: the time to keep the findings. */
  readonly finished?: (findings: ArmFindings) => void | Promise<void>;
  readonly signal?: AbortSignal;
}

/** Attempts of an evaluation in the repair environment. */
const ITERATIONS = 3;

/** One run as `turnwise train` would do it. */
export function runConfiguration(plan: ArmPlan, { rule, changes }: Arm, seed: number): RunConfiguration {
  const { environment, settings } = plan;
  const controls = { ...plan.controls, ...changes, rule };
  return { version: CONFIGURATION_VERSION, environment, settings, seed, controls, schedule: [] };
}

/** Runs that are still to be done: all arms of a seed before the next seed. */
export function missingRuns({ runs }: ArmFindings, arms: readonly Arm[], seeds: readonly number[]) {
  const have = new Set(runs.map(({ arm, seed }) => `${arm.name} ${seed}`));
  return seeds
    .flatMap((seed) => arms.map((arm) => ({ arm, seed })))
    .filter(({ arm, seed }) => !have.has(`${arm.name} ${seed}`));
}

/**
 * Trains what is missing of arms x seeds on one device, and measures each policy on held-out problems.
 * @param before findings of an earlier try with the same plan; they are kept
 * @throws {Error} when the policy to start from is not the one that earlier runs began with
 */
export async function compareArms(
  gpu: Gpu,
  before: ArmFindings,
  arms: readonly Arm[],
  seeds: readonly number[],
  hooks: ArmHooks,
): Promise<ArmFindings> {
  const { state, digest } = hooks.start;
  if (before.digest !== '' && before.digest !== digest) {
    throw new Error('the policy to start from is not the one that the finished runs began with');
  }
  let findings: ArmFindings = { ...before, digest };
  const { plan } = findings;
  for (const { arm, seed } of missingRuns(before, arms, seeds)) {
    if (hooks.signal?.aborted) break;
    hooks.started?.(arm, seed);
    const configuration = runConfiguration(plan, arm, seed);
    const run = await Run.create(gpu, configuration, undefined, hooks.open(configuration));
    try {
      run.beginWith(state);
      let { base } = findings;
      if (hooks.signal?.aborted) break;
      if (!base.some((measured) => measured.seed === seed)) {
        base = [...base, { seed, heldOut: await measureHeldOut(run.trainer, plan, hooks.signal) }];
      }
      await drive(run, plan.steps, hooks);
      if (hooks.signal?.aborted) break;
      const heldOut = await measureHeldOut(run.trainer, plan, hooks.signal);
      if (hooks.signal?.aborted) break;
      const done: ArmRun = { arm, seed, heldOut, series: seriesOf(run.metrics) };
      findings = { ...findings, base, runs: [...findings.runs, done] };
    } finally {
      run.destroy();
    }
    await hooks.finished?.(findings);
  }
  return findings;
}

async function measureHeldOut(trainer: Trainer, plan: ArmPlan, signal: AbortSignal | undefined): Promise<HeldOut> {
  const { samples, problems, sampling } = plan;
  const options: HeldOutOptions = {
    split: 'held-out',
    samples,
    sampling,
    ...(problems > 0 ? { tasks: problems } : {}),
    ...(signal ? { signal } : {}),
  };
  if (plan.environment === 'repo') {
    const { tasks: _, ...measured } = await evaluateRepo(trainer, options);
    return measured;
  }
  const measured = await evaluateRepair(trainer, { ...options, iterations: ITERATIONS, feedback: 'true' });
  const { episodes, iterations, repairRate, partial, none } = measured;
  const each = iterations.map((share, index) => [`iter${index + 1}`, share] as const);
  return { episodes, ...Object.fromEntries(each), repairRate, partial, none };
}
