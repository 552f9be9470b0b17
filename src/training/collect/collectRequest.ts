import type { SamplingSettings } from '../../engine/shared.ts';
import type { Episode, EpisodeOptions, StepResult, Timing, WrittenTurn } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { Continuations } from './budget.ts';

/** Request to sample rollouts. */
export interface CollectRequest<Task> {
  readonly step: number;
  readonly tasks: readonly Task[];
  /**
   * First turns of a task, then continuations of a turn that does not end its episode, level by level: [8, 1] makes
   * chains, [6, 4] trees. The last number applies to all further levels.
   */
  readonly branching: readonly number[];
  /** Distribution of the continuations of a level: as many for each turn, or more if a group's rewards vary more. */
  readonly continuations?: Continuations;
  /** Reward weights and other controls of the environment. */
  readonly controls: ParameterValues;
  readonly sampling: Pick<SamplingSettings, 'temperature' | 'topP' | 'topK'>;
  /** Keys of the random draws; the step of a training run, or any other number for samples outside of it. */
  readonly seed: number;
  readonly key: number;
  /** Settings with which the episodes are run; without it, as in training. */
  readonly play?: EpisodeOptions;
  /**
   * [tasks] point from which the episodes of each task continue, in place of its prompt; in this case `play` was
   * decided before.
   */
  readonly starts?: readonly Start[];
  /**
   * Evaluations may put other prompts in place of those from which turns would continue.
   * @param prompts [episodes that continue] prompts from the environment
   * @param fresh prompts of their tasks
   */
  readonly rewrite?: (
    prompts: readonly (readonly number[])[],
    fresh: readonly (readonly number[])[],
  ) => readonly (readonly number[])[];
  /**
   * Present if another source than the environment gives the rewards. Returns the results of all turns, with its
   * rewards, when all are over.
   */
  readonly pay?: (turns: readonly WrittenTurn<Task, StepResult>[]) => Promise<readonly StepResult[]>;
}

/** A point of an episode, before one of its turns. */
export interface Start {
  readonly task: unknown;
  /** Stays as it is: its forks continue. */
  readonly episode: Episode<Timing>;
  /** Tokens that the policy sees. */
  readonly tokens: readonly number[];
  /** Turns of the episode before this point. */
  readonly turn: number;
}

/** A batch with what it was sampled for. */
export interface SampledBatch<Task = unknown> extends RolloutBatch {
  /** [groups] */
  readonly tasks: readonly Task[];
}

/** Settings of an evaluation, in addition to tasks: chains, one a task, unless `branching` requests more. */
export interface Evaluation extends Pick<CollectRequest<unknown>, 'rewrite' | 'starts'> {
  /** Of the environment, where they are not those of the run. */
  readonly controls?: ParameterValues;
  readonly branching?: readonly number[];
  readonly sampling?: CollectRequest<unknown>['sampling'];
  /** Of the draws, where they are not those of the run. */
  readonly seed?: number;
  readonly play?: EpisodeOptions;
}
