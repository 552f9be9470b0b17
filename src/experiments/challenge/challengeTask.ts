import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { EnvironmentName, RunConfiguration } from '../../training/data/configuration.ts';
import { checkConfiguration } from '../../training/data/configurationTables.ts';
import type { Return } from '../../training/data/truthReport.ts';
import { openingRun } from '../../training/data/worlds.ts';

/** Names of the tasks of the challenge, in the order in which they are listed. */
export const TASK_NAMES = ['ties', 'tree', 'meeting', 'delayed', 'recovery', 'stopping'] as const;
export type TaskName = (typeof TASK_NAMES)[number];

/**
 * Groups of rollouts with the true advantage of each turn, measured or exact, that rules are compared with. Only data.
 */
export interface ChallengeTask {
  readonly name: TaskName;
  readonly environment: EnvironmentName;
  /** Controls under which the groups were sampled. */
  readonly controls: ParameterValues;
  /** Maximum number of turns of a rollout. */
  readonly maxTurns: number;
  readonly seed: number;
  readonly counts: Return;
  /** Continuations sampled before each turn; 0 if the advantages are exact. */
  readonly continuations: number;
  /** Number of groups sampled to obtain the groups of the task's kind. */
  readonly drawn: number;
  /** Number of groups in the large batch, and the cosine of the gradients of its two halves. */
  readonly gradientGroups: number;
  readonly halves: number;
  readonly groups: readonly ChallengeGroup[];
}

export interface ChallengeGroup {
  /** Group that the rules read. */
  readonly group: Group;
  /** Question of the task, as displayed. */
  readonly question: string;
  /** [turns] description of each turn, as displayed. */
  readonly summaries: readonly string[];
  /** [turns] true advantage and its standard error, which is 0 if the advantage is exact. */
  readonly truth: readonly (readonly [number, number])[];
  /**
   * [turns][turns 0 to this turn] inner products g_t · g_u of the gradients of single turns. A policy gradient is
   * linear in the advantages, so these products and `along` determine the cosine.
   */
  readonly products: readonly (readonly number[])[];
  /** [turns] g_t · G / |G|, the component of each turn's gradient along the gradient G of the large batch. */
  readonly along: readonly number[];
}

const LOADS: Readonly<Record<TaskName, () => Promise<{ readonly default: unknown }>>> = {
  ties: () => import('./tasks/ties.json'),
  tree: () => import('./tasks/tree.json'),
  meeting: () => import('./tasks/meeting.json'),
  delayed: () => import('./tasks/delayed.json'),
  recovery: () => import('./tasks/recovery.json'),
  stopping: () => import('./tasks/stopping.json'),
};

/** Loads a task. Repeated calls return the same object, because results of rules are cached per group object. */
export function loadTask(name: TaskName): Promise<ChallengeTask> {
  const before = known.get(name);
  if (before) return before;
  const task = LOADS[name]().then((file) => file.default as ChallengeTask);
  task.catch(() => known.delete(name));
  known.set(name, task);
  return task;
}

const known = new Map<TaskName, Promise<ChallengeTask>>();

/** Race of the challenge: a custom rule and two built-in rules, trained with the same seeds. */
export const RACE = {
  environment: 'search',
  /** Number of updates of each run. */
  steps: 30,
  seeds: [1, 2, 3],
  rules: ['mt-grpo', 'grpo-or'],
  /** Metric that decides the race. It uses held-out questions because memory suffices for the training questions. */
  line: 'heldOut:answer',
  /** Number of measurements at the end of a run whose mean decides. */
  last: 2,
} as const;

/** Run of the race. Its configuration follows from the rule and the seed. */
export interface RaceRun {
  /** Name, for example `own, seed 1`. */
  readonly name: string;
  readonly rule: string;
  readonly seed: number;
  readonly steps: number;
  readonly configuration: RunConfiguration;
}

/** Returns the runs of a race, ordered by seed, then by rule. @param customRule name from encodeCustomRule */
export function raceRuns(customRule: string): readonly RaceRun[] {
  const usual = openingRun(RACE.environment);
  return RACE.seeds.flatMap((seed) =>
    [customRule, ...RACE.rules].map((rule) => ({
      name: `${rule === customRule ? 'own' : rule}, seed ${seed}`,
      ...{ rule, seed, steps: RACE.steps },
      configuration: checkConfiguration({ ...usual, seed, controls: { ...usual.controls, rule } }),
    })),
  );
}
