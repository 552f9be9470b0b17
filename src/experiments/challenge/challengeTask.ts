import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Return } from '../../training/data/returns.ts';

/** The tasks of the challenge, in their order. */
export const TASK_NAMES = ['ties', 'tree', 'meeting', 'delayed', 'recovery', 'stopping'] as const;
export type TaskName = (typeof TASK_NAMES)[number];

/** Groups of rollouts with the true advantage of every turn, measured or exact, with which rules are compared. Data alone. */
export interface ChallengeTask {
  readonly name: TaskName;
  readonly environment: EnvironmentName;
  /** Controls under which the groups were sampled. */
  readonly controls: ParameterValues;
  /** Most turns of a rollout. */
  readonly maxTurns: number;
  readonly seed: number;
  readonly counts: Return;
  /** Continuations from before every turn; 0 if the advantages are exact. */
  readonly continuations: number;
  /** Groups that were played until there were enough of the task's kind. */
  readonly drawn: number;
  /** Groups of the large batch, and the cosine of its two halves. */
  readonly gradientGroups: number;
  readonly halves: number;
  readonly groups: readonly ChallengeGroup[];
}

export interface ChallengeGroup {
  /** Group that rules read. */
  readonly group: Group;
  /** Question of the task, for people. */
  readonly question: string;
  /** [turns] what each did, for people. */
  readonly summaries: readonly string[];
  /** [turns] the true advantage and its standard error, which is 0 if it is exact. */
  readonly truth: readonly (readonly [number, number])[];
  /**
   * [turns][turns up to and with this one] products of the gradients of single turns, g_t g_u. A policy's gradient is linear
   * in the advantages, so that these and `along` are all that a cosine needs.
   */
  readonly products: readonly (readonly number[])[];
  /** [turns] g_t G / |G| with the gradient G of the large batch. */
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

/** A shipped task. Repeated calls return the same task, so that results of rules for its groups stay stored. */
export function loadTask(name: TaskName): Promise<ChallengeTask> {
  const before = known.get(name);
  if (before) return before;
  const task = LOADS[name]().then((file) => file.default as ChallengeTask);
  task.catch(() => known.delete(name));
  known.set(name, task);
  return task;
}

const known = new Map<TaskName, Promise<ChallengeTask>>();
