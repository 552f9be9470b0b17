import type { SamplingSettings } from '../../engine/shared.ts';
import type { Episode, EpisodeOptions, StepResult, Timing, WrittenTurn } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { Continuations } from './budget.ts';

/** Request for a batch of rollouts. */
export interface CollectRequest<Task> {
  readonly step: number;
  readonly tasks: readonly Task[];
  /**
   * Number of first turns of a task, then of continuations of a turn at each level. [8, 1] results in chains, [6, 4] in
   * trees. The last number applies to all further levels.
   */
  readonly branching: readonly number[];
  /** Distribution of the continuations of a level: even, or more in groups whose rewards vary more. Even if absent. */
  readonly continuations?: Continuations;
  /** Reward weights and other controls of the environment. */
  readonly controls: ParameterValues;
  readonly sampling: Pick<SamplingSettings, 'temperature' | 'topP' | 'topK'>;
  /** Keys of the random draws: the seed, and the step of a run or another number for other samples. */
  readonly seed: number;
  readonly key: number;
  /** Settings of the episodes; those of training if absent. */
  readonly play?: EpisodeOptions;
  /**
   * [tasks] point from which the episodes of each task continue, in place of its prompt. `play` has no effect on them.
   */
  readonly starts?: readonly Start[];
  /**
   * Returns prompts that replace the prompts of continuing turns, for evaluations.
   * @param prompts [episodes that continue] prompts of the environment
   * @param fresh [episodes that continue] first prompts of their tasks
   */
  readonly rewrite?: (
    prompts: readonly (readonly number[])[],
    fresh: readonly (readonly number[])[],
  ) => readonly (readonly number[])[];
  /**
   * Returns the step results of all turns with other rewards, for example of a reward model. Called when all episodes
   * have ended. Absent if the environment computes the rewards.
   */
  readonly pay?: (turns: readonly WrittenTurn<Task, StepResult>[]) => Promise<readonly StepResult[]>;
}

/** Point of an episode before one of its turns. */
export interface Start {
  readonly task: unknown;
  /** Episode at this point. It does not change, because only its forks continue. */
  readonly episode: Episode<Timing>;
  /** Context of the policy. */
  readonly tokens: readonly number[];
  /** Number of turns of the episode before this point. */
  readonly turn: number;
}

/** Batch with the tasks of its groups. */
export interface SampledBatch<Task = unknown> extends RolloutBatch {
  /** [groups] task of each group. */
  readonly tasks: readonly Task[];
}

/** Settings of an evaluation, in addition to its tasks. By default, each task has one chain. */
export interface Evaluation extends Pick<CollectRequest<unknown>, 'rewrite' | 'starts'> {
  /** Controls of the environment; those of the run if absent. */
  readonly controls?: ParameterValues;
  readonly branching?: readonly number[];
  readonly sampling?: CollectRequest<unknown>['sampling'];
  /** Seed of the draws; that of the run if absent. */
  readonly seed?: number;
  readonly play?: EpisodeOptions;
}
