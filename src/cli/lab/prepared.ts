import { type Claim, type Experiment, SEEDS } from '../../environments/claim.ts';
import { armsOf, primaryArms, sharedOf } from '../../experiments/claims/claimRuns.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import type { Arm, ComparisonPlan } from '../../experiments/compare/findings.ts';
import type { Missing } from '../../experiments/compare/switching.ts';
import { CONFIGURATION_VERSION, type EnvironmentName } from '../../training/data/configuration.ts';
import { tablesOf } from '../../training/data/configurationTables.ts';

/** An experiment of a claim, ready to be run: the shared settings of its runs, and the list of the runs. */
export interface Prepared {
  readonly claim: Claim;
  readonly experiment: Experiment;
  /**
   * Names the file of its runs. Experiments with the same plan share the file, and they share the arms that both have.
   */
  readonly key: string;
  readonly plan: ComparisonPlan;
  readonly arms: readonly Arm[];
  /** Seeds of the arms of the claim's primary test; of other arms where it has none here. */
  readonly seeds: readonly number[];
  /** Every run that the claim asks for, seed by seed. */
  readonly runs: readonly Missing[];
}

/** @param count seeds of every arm, instead of those that the claim asks for @param steps updates a run, likewise */
export function prepared(claim: Claim, experiment: Experiment, count?: number, steps?: number): Prepared {
  const environment = experiment.environment as EnvironmentName;
  const { settings, controls } = sharedOf(experiment);
  const arms = armsOf(experiment);
  const primary = primaryArms(claim, experiment);
  const seeds = Array.from({ length: count ?? experiment.seeds }, (_, index) => index + 1);
  const isRequested = (arm: Arm, seed: number) =>
    count !== undefined || seed <= SEEDS.secondary || primary.includes(arm.name);
  return {
    claim,
    experiment,
    key: keyOf(experiment, steps),
    plan: {
      ...{ configurationVersion: CONFIGURATION_VERSION, environment, steps: steps ?? experiment.steps, settings },
      ...{ controls, freshWarmStart: false, worlds: experiment.worlds },
      measuring: { ...measuringOf(environment, controls), ...experiment.measuring },
    },
    ...{ arms, seeds },
    runs: seeds.flatMap((seed) => arms.filter((arm) => isRequested(arm, seed)).map((arm) => ({ arm, seed }))),
  };
}

/** Default settings by which policies are measured, the same as those of `compare`. */
function measuringOf(environment: EnvironmentName, controls: ComparisonPlan['controls']): ComparisonPlan['measuring'] {
  const { measuring, separateSampling } = COMPARED[environment];
  const amounts = Object.entries(measuring).map(([name, amount]) => [name, amount.default]);
  const { temperature, topP, topK } = { ...controls, ...tablesOf(environment).environment.evaluation } as Record<
    string,
    number
  >;
  return { ...Object.fromEntries(amounts), ...(separateSampling ? { temperature, topP, topK } : {}) };
}

/** `search-shortcut-120`, `repo-learningRate-0.0003-60`. */
function keyOf({ environment, world, settings, controls, measuring, steps }: Experiment, given?: number): string {
  const changes = Object.entries({ ...settings, ...controls, ...measuring }).sort(([a], [b]) => (a < b ? -1 : 1));
  return [environment, ...(world ? [world] : []), ...changes.flat(), given ?? steps].join('-');
}

/** The same runs by `compare`. */
export function compareLine({ experiment, plan, seeds }: Prepared): string {
  const { environment, world, settings, controls, measuring, arms, worlds, switch: change } = experiment;
  const changes = Object.entries({ ...settings, ...controls, ...measuring }).map(
    ([name, value]) => ` --${name} ${value}`,
  );
  const switches = change ? ` --switch ${change.at.join()}${change.habit ? ` --habit ${change.habit}` : ''}` : '';
  return (
    `compare --environment ${environment}${world ? ` --world ${world}` : ''}${changes.join('')} --rules ${arms.join()}` +
    `${switches} --steps ${plan.steps} --seeds ${seeds.length} --worlds ${worlds}`
  );
}
