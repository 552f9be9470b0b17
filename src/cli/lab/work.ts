import { type Claim, type Experiment, SEEDS } from '../../environments/claim.ts';
import { armsOf, primaryArms, sharedOf } from '../../experiments/claims/claimRuns.ts';
import type { Arm, Missing } from '../../experiments/compare/arms.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import { type ComparisonPlan, type Findings, settingsOf } from '../../experiments/compare/findings.ts';
import { mean } from '../../experiments/statistics.ts';
import { CONFIGURATION_VERSION, type EnvironmentName } from '../../training/data/configuration.ts';
import { tablesOf } from '../../training/data/configurationTables.ts';
import { warmStartName } from '../../training/data/worlds.ts';
import { readLab, type Shard } from './labFolder.ts';

/** Order of the work. Every primary test has its interim analysis before any primary test has its final analysis. */
export const ROUNDS = [
  `primary tests, seeds 1 to ${SEEDS.interim}`,
  `primary tests, seeds ${SEEDS.interim + 1} to ${SEEDS.primary}`,
  `other tests, seeds 1 to ${SEEDS.secondary}`,
  'tests that measure time, on an idle machine',
] as const;
const IDLE = 3;

/** Missing runs of one experiment at one seed. */
export interface Unit {
  readonly prepared: Prepared;
  readonly seed: number;
  readonly arms: readonly Arm[];
  /** Index into ROUNDS. */
  readonly round: number;
  /** Expected time per run, including the measurement of its policy [s]. */
  readonly seconds: number;
}

/** Selection of the missing runs. */
export interface WorkOptions {
  readonly shard?: Shard | undefined;
  /** True includes the experiments that measure time. False by default. */
  readonly idle?: boolean;
}

/**
 * Returns the runs that a folder lacks, ordered by round, experiment and seed. A run that several experiments need
 * belongs to the first of them.
 * @param options.shard selects every nth unit
 */
export function workOf(
  folder: string,
  requested: readonly Prepared[],
  { shard, idle = false }: WorkOptions = {},
): readonly Unit[] {
  const known = new Map<string, Findings>();
  for (const { key, plan } of requested) if (!known.has(key)) known.set(key, readLab(folder, key, plan));
  const completed = new Set(
    [...known].flatMap(([key, { runs }]) => runs.map(({ arm, seed }) => `${key} ${arm.name} ${seed}`)),
  );
  const rounds = new Map(requested.map((prepared) => [prepared, roundsOf(prepared)]));
  const units = ROUNDS.flatMap((_, round) =>
    requested.flatMap((prepared) => {
      const { key, runs, seeds } = prepared;
      const pending = runs.filter(
        ({ arm, seed }) => rounds.get(prepared)?.(arm, seed) === round && !completed.has(`${key} ${arm.name} ${seed}`),
      );
      for (const { arm, seed } of pending) completed.add(`${key} ${arm.name} ${seed}`);
      const seconds = secondsOf(prepared, known.get(key));
      return seeds.flatMap((seed): Unit[] => {
        const arms = pending.filter((run) => run.seed === seed).map(({ arm }) => arm);
        return arms.length > 0 ? [{ prepared, seed, arms, round, seconds }] : [];
      });
    }),
  );
  return units
    .filter(({ round }) => idle || round !== IDLE)
    .filter((_, index) => !shard || index % shard.of === shard.part - 1);
}

/** Returns a function that returns the round of a run of an experiment: an index into ROUNDS. */
function roundsOf({ claim, experiment }: Prepared): (arm: Arm, seed: number) => number {
  if (experiment.idle) return () => IDLE;
  const primary = new Set(primaryArms(claim, experiment));
  return (arm, seed) => (primary.has(arm.name) ? Number(seed > SEEDS.interim) : 2);
}

/**
 * Returns the expected time of a run [s]. It is the mean of the finished runs of the plan. If no run is finished, it is
 * the estimate of the environment.
 */
function secondsOf({ plan }: Prepared, findings: Findings | undefined): number {
  const measured = (findings?.runs ?? []).flatMap(({ provenance }) => provenance?.seconds ?? []);
  return measured.length > 0 ? mean(measured) : plan.steps * COMPARED[plan.environment].seconds;
}

/** Returns the number of runs in units. */
export function countRuns(units: readonly Unit[]): number {
  return units.reduce((sum, { arms }) => sum + arms.length, 0);
}

/** Returns the name of the warm start of a unit. */
export function startOf({ prepared: { plan }, seed }: Unit): string {
  return warmStartName(plan.environment, settingsOf(plan, seed));
}

/**
 * Returns the time of work on one process, including missing warm starts [s].
 * @param there returns true if the warm start with this name exists
 */
export function secondsLeft(units: readonly Unit[], there: (start: string) => boolean): number {
  const starts = new Map(units.map((unit) => [startOf(unit), COMPARED[unit.prepared.plan.environment].startSeconds]));
  const missing = [...starts].filter(([name]) => !there(name));
  return (
    units.reduce((sum, { arms, seconds }) => sum + arms.length * seconds, 0) +
    missing.reduce((sum, [, seconds]) => sum + seconds, 0)
  );
}

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
