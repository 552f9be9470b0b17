import { type Claim, type Experiment, SEEDS } from '../../environments/claim.ts';
import { armsOf, primaryArms, sharedOf } from '../../experiments/claims/claimRuns.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import type { Arm, ComparisonPlan } from '../../experiments/compare/findings.ts';
import type { Missing } from '../../experiments/compare/switching.ts';
import { CONFIGURATION_VERSION, type EnvironmentName } from '../../training/data/configuration.ts';
import { tablesOf } from '../../training/data/configurationTables.ts';

/** Experiment of a claim with the shared settings and the list of its runs. */
export interface Prepared {
  readonly claim: Claim;
  readonly experiment: Experiment;
  /**
   * Name of the folder of the runs. Experiments with the same plan share the folder and the runs of arms that both
   * have.
   */
  readonly key: string;
  readonly plan: ComparisonPlan;
  readonly arms: readonly Arm[];
  /** Seeds of the arms of the primary test. If the experiment has no primary test, seeds of all arms. */
  readonly seeds: readonly number[];
  /** All runs that the claim needs, ordered by seed. */
  readonly runs: readonly Missing[];
}

/**
 * Derives the plan and the runs of an experiment.
 * @param count number of seeds of every arm; undefined for the numbers of the claim
 * @param steps updates per run; undefined for the number of the claim
 */
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

/** Returns the default settings of the measurement of policies, equal to the defaults of `compare`. */
function measuringOf(environment: EnvironmentName, controls: ComparisonPlan['controls']): ComparisonPlan['measuring'] {
  const { measuring, separateSampling } = COMPARED[environment];
  const amounts = Object.entries(measuring).map(([name, amount]) => [name, amount.default]);
  const { temperature, topP, topK } = { ...controls, ...tablesOf(environment).environment.evaluation } as Record<
    string,
    number
  >;
  return { ...Object.fromEntries(amounts), ...(separateSampling ? { temperature, topP, topK } : {}) };
}

/** Returns the name of a plan, for example `search-shortcut-120` or `repo-learningRate-0.0003-60`. */
function keyOf({ environment, world, settings, controls, measuring, steps }: Experiment, given?: number): string {
  const changes = Object.entries({ ...settings, ...controls, ...measuring }).sort(([a], [b]) => (a < b ? -1 : 1));
  return [environment, ...(world ? [world] : []), ...changes.flat(), given ?? steps].join('-');
}

/** Returns the command line of `compare` that executes the same runs. */
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
