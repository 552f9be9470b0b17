import type { SamplingSettings } from '../../engine/shared.ts';
import type { Episode, Play, Timing, Verdict, WrittenTurn } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { Continuations } from './budget.ts';

/** What is to be sampled. */
export interface CollectRequest<Task> {
  readonly step: number;
  readonly tasks: readonly Task[];
  /**
   * First turns of a task, then continuations of a turn that does not end its episode, level by level: [8, 1] makes
   * chains, [6, 4] trees. The last number holds for all further levels.
   */
  readonly branching: readonly number[];
  /** Where the continuations of a level go: as many for each turn, or more where a group's rewards vary more. */
  readonly continuations?: Continuations;
  /** Reward weights and other controls of the environment. */
  readonly controls: ParameterValues;
  readonly sampling: Pick<SamplingSettings, 'temperature' | 'topP' | 'topK'>;
  /** Keys of the random draws; the step of a training run, or any other number for samples beside it. */
  readonly seed: number;
  readonly key: number;
  /** How the episodes are played; without it, as in training. */
  readonly play?: Play;
  /** [tasks] where the episodes of each task go on from, in place of its prompt; `play` was decided before, then. */
  readonly starts?: readonly Start[];
  /**
   * Evaluations may put other prompts in place of those that turns are to continue from.
   * @param prompts [episodes that go on] what the environment says @param fresh their tasks' own prompts
   */
  readonly rewrite?: (
    prompts: readonly (readonly number[])[],
    fresh: readonly (readonly number[])[],
  ) => readonly (readonly number[])[];
  /** Where something else than the environment pays: the verdicts of all turns, as it pays them, when all are over. */
  readonly pay?: (turns: readonly WrittenTurn<Task, Verdict>[]) => Promise<readonly Verdict[]>;
}

/** A point of an episode, before one of its turns. */
export interface Start {
  readonly task: unknown;
  /** Stays as it is: its forks go on. */
  readonly episode: Episode<Timing>;
  /** What the policy sees. */
  readonly tokens: readonly number[];
  /** Turns of the episode before this point. */
  readonly turn: number;
}

/** A batch with what it was sampled for. */
export interface PlayedBatch<Task = unknown> extends RolloutBatch {
  /** [groups] */
  readonly tasks: readonly Task[];
}

/** What an evaluation plays, beside tasks: chains, one a task, unless `branching` asks for more. */
export interface Evaluation extends Pick<CollectRequest<unknown>, 'rewrite' | 'starts'> {
  /** Of the environment, where they are not those of the run. */
  readonly controls?: ParameterValues;
  readonly branching?: readonly number[];
  readonly sampling?: CollectRequest<unknown>['sampling'];
  /** Of the draws, where they are not those of the run. */
  readonly seed?: number;
  readonly play?: Play;
}
