import type { Claim, ClaimTest, Experiment } from '../../environments/claim.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import {
  CONFIGURATION_VERSION,
  type EnvironmentName,
  type RunConfiguration,
} from '../../training/data/configuration.ts';
import { checkConfiguration, tablesOf } from '../../training/data/configurationTables.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { findWorld, standardRun } from '../../training/data/worlds.ts';
import { type Arm, beforeName, isExpert, isSwitched, readArm, switchedArms } from '../compare/arms.ts';
import { type ArmRun, type ComparisonPlan, runConfiguration, seriesOf } from '../compare/findings.ts';
import type { PairedResult } from './claimResult.ts';
import { differencesOf, fits, pairsOf } from './outcome.ts';

// Runs of an experiment: their shared settings and controls, the arms, and the configuration of each run.

/** Returns the settings, and all controls except the rule, that the runs of an experiment share. */
export function sharedOf(experiment: Experiment): {
  readonly settings: ParameterValues;
  readonly controls: ParameterValues;
} {
  const environment = experiment.environment as EnvironmentName;
  const usual = standardRun(environment, findWorld(environment, experiment.world));
  const { settings, controls } = checkConfiguration({
    ...usual,
    settings: { ...usual.settings, ...experiment.settings },
    controls: { ...usual.controls, ...experiment.controls },
  });
  const { rule: _, ...shared } = controls;
  return { settings, controls: shared };
}

/** Returns the arms of an experiment. If arms are switched, each pair of rules and switch step is an arm. */
export function armsOf({ environment, arms, switch: change }: Experiment): readonly Arm[] {
  const tables = tablesOf(environment as EnvironmentName);
  const plain = arms.map((name) => readArm(tables, name));
  if (!change) return plain;
  const { at, habit, from } = change;
  return switchedArms(plain, at, habit).filter((arm) => !from || from.includes(beforeName(arm)));
}

/**
 * Returns the arms that the page can train, which are the arms of credit rules. Only the terminal runs expert
 * iteration.
 */
export function trainedArms(experiment: Experiment): readonly Arm[] {
  return armsOf(experiment).filter((arm) => !isExpert(arm));
}

/** Returns the names of the arms of an experiment that the primary test of its claim compares. */
export function primaryArms({ experiments }: Pick<Claim, 'experiments'>, experiment: Experiment): readonly string[] {
  const arms = armsOf(experiment);
  const names = experiments.flatMap(({ name, tests }) =>
    tests.filter(({ primary }) => primary).flatMap((test) => sidesIn(test, name, experiment.name, arms)),
  );
  return [...new Set(names)];
}

/** @param name experiment of the test @param within experiment whose arms are listed */
function sidesIn(test: ClaimTest, name: string, within: string, arms: readonly Arm[]): readonly string[] {
  const inside = name === within;
  const named = (matches: (arm: Arm) => boolean) => arms.filter(matches).map((arm) => arm.name);
  switch (test.kind) {
    case 'paired': {
      const { higher, lower, less } = test;
      const sides = [
        ...(inside ? [higher, lower] : []),
        ...(less && (less.in ?? name) === within ? [less.higher, less.lower] : []),
      ];
      return named((arm) => sides.some((side) => typeof side === 'object' && fits(arm, side)));
    }
    case 'switch':
      return inside
        ? named((arm) => isSwitched(arm) && beforeName(arm) === test.from && arm.switch.to.name === test.to)
        : [];
    default:
      return inside ? named((arm) => arm.name === test.rule) : [];
  }
}

/** Run of an experiment. */
export interface ClaimRun {
  readonly arm: Arm;
  readonly seed: number;
  readonly configuration: RunConfiguration;
  /** Number of updates. */
  readonly steps: number;
}

/** Returns the shared parts of the runs as a comparison plan. The plan has no measurement after training. */
export function planOf(experiment: Experiment): ComparisonPlan {
  const { steps, worlds } = experiment;
  const environment = experiment.environment as EnvironmentName;
  return {
    ...{ configurationVersion: CONFIGURATION_VERSION, environment, steps, worlds },
    ...{ ...sharedOf(experiment), freshWarmStart: false, measuring: {} },
  };
}

/** Returns the runs that the page trains for some seeds, ordered by seed, then by arm. */
export function claimRuns(experiment: Experiment, seeds: readonly number[]): readonly ClaimRun[] {
  const { steps } = experiment;
  const plan = planOf(experiment);
  const arms = trainedArms(experiment);
  return seeds.flatMap((seed) =>
    arms.map((arm) => ({
      ...{ arm, seed, configuration: runConfiguration(plan, arm, seed) },
      steps: steps + (arm.switch?.step ?? 0),
    })),
  );
}

/** Differences of a paired test, computed from the user's runs. */
export type UserDifferences = Pick<PairedResult, 'test' | 'higher' | 'lower'> & {
  readonly differences: readonly { readonly seed: number; readonly difference: number }[];
};

/**
 * Computes the differences of the user's runs for each paired test. Tests of values that are measured after training
 * are omitted, because the page does not measure them.
 * @param runs complete runs with the metrics of all updates
 */
export function computeUserDifferences(
  experiment: Experiment,
  runs: readonly { readonly run: ClaimRun; readonly metrics: readonly Metrics[] }[],
): readonly UserDifferences[] {
  const armRuns = runs.map(
    ({ run: { arm, seed }, metrics }): ArmRun => ({ arm, seed, digest: '', heldOut: {}, series: seriesOf(metrics) }),
  );
  const findings = { plan: planOf(experiment), runs: armRuns };
  const name = (side: string | number | { readonly name: string }) =>
    typeof side === 'object' ? side.name : String(side);
  return experiment.tests.flatMap((test) => {
    if (test.kind !== 'paired') return [];
    return pairsOf(test, armsOf(experiment)).flatMap((paired) => {
      const differences = differencesOf(paired, findings);
      const { higher, lower } = paired;
      return differences.length > 0 ? [{ test, higher: name(higher), lower: name(lower), differences }] : [];
    });
  });
}
