import type { ParameterTable, ParameterValues } from '../parameters/parameters.ts';
import type { CounterRandom } from '../random/counter.ts';
import type { ReportedFeedback } from '../rollouts/rolloutBatch.ts';
import type { Execute } from './shared/execution.ts';

/**
 * Timing of replies. `now`: the environment returns values. `later`: it can run programs first, and a reply can be a
 * promise. Code that awaits replies accepts environments of both kinds: `Environment<Task, Timing>`.
 */
export type Timing = 'now' | 'later';

/** Reply of an environment: the value, or for `later` the value or a promise of it. */
export type Answer<Value, When extends Timing> = When extends 'now' ? Value : Value | Promise<Value>;

/**
 * World in which the policy acts. An environment provides its vocabulary, tasks, step results, warm-start data and
 * descriptions of turns. It does not depend on the policy, on credit or on the GPU.
 */
export interface Environment<Task = unknown, When extends Timing = 'now'> {
  readonly name: string;
  readonly vocabulary: Vocabulary;
  /** True if step results wait for programs. Other turns can be sampled in the meantime. */
  readonly runsPrograms?: boolean;
  /** Maximum number of tokens of an episode, including the prompt and the replies. */
  readonly context: number;
  /** True if every turn starts from a separate prompt and is therefore a separate sequence. */
  readonly freshPrompts?: boolean;
  /** Shape of the policy, if it differs from the standard shape. */
  readonly network?: Network;
  /** Maximum number of turns of an episode in training. Evaluations can pass a larger number to `begin`. */
  readonly maxTurns: number;
  /**
   * Returns the number of turns for a number of attempts. Absent if an attempt is one turn. Callers that count attempts
   * pass the result to `begin` as `maxTurns`.
   */
  attemptTurns?(attempts: number): number;
  /** Tokens that end a turn when the policy writes them. */
  readonly stopTokens: readonly number[];
  /** Number of tokens of a turn by its first token, [vocabulary]. Absent if a stop token ends a turn. */
  readonly turnLengths?: readonly number[];
  /** Reward weights and other settings that may change during a run. */
  readonly controls: ParameterTable;
  /** Supervised stages, in order. Reinforcement learning starts from the policy that they train. */
  readonly warmStart: readonly WarmStartStage<When>[];
  /** Token of the first turn that decides to use the tool; absent if there is no such token. */
  readonly decision?: Decision;

  /** Returns the maximum number of tokens that the policy may write in turn `turn` (from 0). */
  turnLimit(turn: number): number;
  /** Draws `count` tasks of a split, with replacement. */
  sampleTasks(random: CounterRandom, count: number, split: 'train' | 'held-out'): Task[];
  /** Returns a description of a task in a few words. */
  describe(task: Task): string;
  /**
   * Returns the best and the worst outcome of an episode under these controls. They describe the outcome at which a
   * group ties.
   */
  outcomeRange(controls: ParameterValues): { readonly bestOutcome: number; readonly worstOutcome: number };
  /** Returns the tokens with which an episode of the task starts. */
  prompt(task: Task): readonly number[];
  /**
   * Returns the right answer of a task, and the tokens before it in a turn that answers. Rules that use the probability
   * of the answer need both. Together they are at most as long as the last turn. Absent if a task can have several
   * right answers.
   */
  answer?(task: Task): { readonly lead: readonly number[]; readonly tokens: readonly number[] };
  /** Rewards of turns by a learned model; absent if the environment has no such model. */
  readonly learnedReward?: ModelRewards<Task>;
  /**
   * Checks that a split of custom tasks has tasks.
   * @throws if the split has no tasks; the message names the file
   */
  checkSplit?(split: 'train' | 'held-out', file: string): void;
  /**
   * Returns the first turn of an episode with its possible results, so that values are exact. Absent if the results
   * cannot be enumerated.
   */
  counted?(task: Task, controls: ParameterValues): CountedTurn;
  /**
   * Starts an episode.
   * @param controls values of the table `controls`
   * @param play settings of the episode; a training episode if absent
   */
  begin(task: Task, controls: ParameterValues, play?: EpisodeOptions): Episode<When>;
}

/**
 * Rewards of turns by a learned reward model, in place of the environment's rewards. Until the model has set them, step
 * results have reward NaN. A missing model reward is therefore never replaced by a wrong one.
 */
export interface ModelRewards<Task> {
  /** Returns the label errors of the reward model that these controls use; undefined if they use no reward model. */
  judgeIn(controls: ParameterValues): Reliability | undefined;
  /** Returns all tasks of a split. The model is trained on turns that are sampled for these tasks. */
  tasks(split: 'train' | 'held-out'): readonly Task[];
  /** Returns the input of the model for a turn. */
  reads(turn: WrittenTurn<Task>): Reading;
  /**
   * Returns the quality of a turn, 0 to 1. It orders the pairs on which the model is trained.
   * @param bias weight of `lean`, from 0 (only the true quality) to 1 (only `lean`)
   */
  scored(turn: WrittenTurn<Task>, bias: number): number;
  /** Preference of a biased model, as text after "it likes"; absent if models have no bias. */
  readonly lean?: string;
  /**
   * Returns the step result of a turn with the reward of the model.
   * @param reward reward of the model, 0 to 1
   */
  pay(stepResult: StepResult, reward: number, controls: ParameterValues, reliability: Reliability): StepResult;
}

/**
 * Errors in the labels of a reward model; both are 0 for correct labels. A world has one model for each pair of values.
 */
export interface Reliability {
  /** Share of its training pairs whose order is reversed. */
  readonly noise: number;
  /** Weight of its preference (`lean`) in the scores that order the pairs. */
  readonly bias: number;
}

/** Finished turn, and the tokens before it. */
export interface WrittenTurn<Task, Feedback extends ReportedFeedback = ReportedFeedback> {
  readonly task: Task;
  /** Context of the policy before the turn. */
  readonly before: readonly number[];
  /** Tokens that the policy wrote, including the stop token. */
  readonly written: readonly number[];
  readonly stepResult: Feedback;
}

/** Input of a reward model. The value is read at the last token. */
export interface Reading {
  readonly tokens: readonly number[];
  /** Kind of the turn. Only turns of one kind are compared. Absent if there is only one kind. */
  readonly kind?: string;
}

/** Environment of any kind, for code that does not depend on a particular environment. */
export type AnyEnvironment = Environment<unknown, Timing>;

/** Module that constructs an environment: the export `environmentModule` of `open.ts` in its folder. */
export interface EnvironmentModule<Data = unknown> {
  /** Loads the data of the environment that is not part of its code. */
  load(settings: ParameterValues): Promise<Data>;
  /**
   * Constructs the environment.
   * @param settings values that are checked against the environment's table
   * @param data result of `load` for these settings
   * @throws if `parts.customTasks` is invalid; the message names the file, line and field
   */
  create(settings: ParameterValues, data: Data, parts: EnvironmentParts): AnyCreated | Promise<AnyCreated>;
}

/**
 * Generator of the shipped problems of an environment (EnvironmentDescriptor.shipsProblems). `problemGenerator.ts` in its
 * folder exports it.
 */
export interface ProblemGenerator {
  /**
   * Generates the problems.
   * @param progress called with the number of finished problems
   * @returns the text of the problem file, and the number of problems
   */
  record(
    execute: Execute,
    seed: number,
    progress: (done: number, all: number) => void,
  ): Promise<{ readonly file: string; readonly count: number }>;
  /** Measures the shipped problems and their demonstrations under settings of the environment. */
  measure(execute: Execute, settings: ParameterValues): Promise<object>;
}

/** Environment with tasks of any type. Only the environment reads its tasks. */
// biome-ignore lint/suspicious/noExplicitAny: tasks are handed back to the environment that they are from.
type AnyCreated = Environment<any, Timing> | Environment<any>;

/** Dependencies that an environment receives from its caller. */
export interface EnvironmentParts {
  /** Runs Python. It fails if there is no sandbox. */
  readonly execute: Execute;
  /**
   * Tasks in place of the shipped ones, if the environment supports custom tasks (EnvironmentDescriptor.customTasks).
   */
  readonly customTasks?: CustomTasks | undefined;
}

/**
 * File of tasks for training and evaluation, in place of the shipped tasks. The warm start still uses the shipped
 * tasks.
 */
export interface CustomTasks {
  /** Name of the file, for messages. */
  readonly file: string;
  readonly text: string;
}

/** Settings of one episode. */
export interface EpisodeOptions {
  /**
   * In `evaluate` mode, some feedback is hidden from the policy. Environments with hidden tests show only feedback of
   * the visible tests. They end the episode when the visible tests pass.
   */
  readonly mode: 'train' | 'evaluate';
  /** Maximum number of turns, if it differs from `maxTurns` of the environment. */
  readonly maxTurns?: number;
}

/** Shape of the policy that an environment requires. Other values are equal to the standard policy. */
export interface Network {
  readonly layers: number;
  readonly dim: number;
  readonly heads: number;
  readonly ropeBase?: number;
  /** Width of the hidden layer in the feed-forward part. */
  readonly ffDim?: number;
}

/**
 * Position at which the policy decides to use its tool. The page can show the probability of `token` at this position.
 */
export interface Decision {
  readonly token: number;
  /** Returns the index of the deciding token among the tokens of the first turn; -1 if no token decides. */
  index(tokens: readonly number[]): number;
}

/** Episode in progress. */
export interface Episode<When extends Timing = 'now'> {
  /**
   * Returns the step result of a finished turn. Environments that run programs collect all calls of one tick into one
   * batch. Call the method for all episodes first, then await all results.
   * @param tokens tokens that the policy wrote, including the stop token
   * @param draw uniform draw in [0, 1) for environments with random results. A replay of a turn has no draw, so the
   *   summary and the reply must not depend on it
   */
  act(tokens: readonly number[], draw?: number): Answer<StepResult, When>;
  /**
   * Returns another episode that continues from the current state of this one. A turn of a tree can have several
   * continuations. Absent if the episodes of the environment cannot be forked.
   */
  fork?(): Episode<When>;
}

/** Turn of one token with its possible results and their probabilities (src/experiments/truth/exactTurns.ts). */
export interface CountedTurn {
  /** Context of the policy before the turn. */
  readonly tokens: readonly number[];
  /** True if no action from this turn on changes the return. */
  readonly idle: boolean;
  /** Returns the possible results of a token. Their probabilities sum to 1. */
  results(token: number): readonly CountedResult[];
}

/** Possible result of a turn. */
export interface CountedResult {
  readonly probability: number;
  /** Turn reward, or the outcome if the episode ends. */
  readonly reward: number;
  /** Next turn; absent if the episode ends. */
  readonly next?: CountedTurn;
}

/** Feedback on a finished turn, and the continuation of the episode. */
export interface StepResult extends ReportedFeedback {
  /** Tokens that the environment writes before the next turn. The episode ends if `reply` and `prompt` are absent. */
  readonly reply?: readonly number[];
  /**
   * Tokens from which the next turn starts, in place of a reply. Earlier tokens are no longer in the context, and
   * positions start at 0 again.
   */
  readonly prompt?: readonly number[];
}

/** Token numbers of an environment, with names and kinds. */
export interface Vocabulary {
  readonly size: number;
  readonly names: readonly string[];
  /** Returns the kind of a token, for colours and grouping. */
  kind(token: number): string;
}

/** Sequence of a supervised batch. weights[i] is the weight of the loss of predicting tokens[i]; weights[0] is 0. */
export interface Demonstration {
  readonly tokens: readonly number[];
  readonly weights: readonly number[];
}

/** Supervised stage of a warm start. */
export interface WarmStartStage<When extends Timing = 'now'> {
  readonly name: string;
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  readonly warmUpSteps: number;
  /** Settings of AdamW for this stage. Missing values are the defaults of the trainer. */
  readonly optimizer?: StageOptimizer;
  /** Draws one batch. `step` is the key of the draws. Environments that run programs can return a promise. */
  demonstrations(step: number): Answer<Demonstration[], When>;
  /** Skill that the policy must have at the end of the stage. Some warm starts do not learn it without a test. */
  readonly lesson?: Lesson;
}

/** Test of a skill after a stage. A warm start that fails the test starts again with other initial weights. */
export interface Lesson {
  /** Skill as text after "the policy never": "learned to read a document". */
  readonly skill: string;
  /** Batch that is not part of the training of the stage. */
  readonly demonstrations: readonly Demonstration[];
  /** Largest weighted mean cross-entropy of a policy that has the skill [nats]. */
  readonly stepLimit: number;
}

/** Settings of AdamW for a supervised stage. */
export interface StageOptimizer {
  readonly beta1?: number;
  readonly beta2?: number;
  readonly weightDecay?: number;
  /** Final learning rate of the cosine schedule, as a share of `learningRate`. */
  readonly floor?: number;
}

/** Reliability of a model that is trained on correct labels. */
export const RELIABLE: Reliability = { noise: 0, bias: 0 };

/** Default errors in the labels of an unreliable model. */
export const UNRELIABLE: Reliability = { noise: 0.2, bias: 0.6 };

/**
 * Appends the reward of a learned model to the summary of a turn. The summary of the environment comes first, because a
 * replay repeats only that part.
 */
export const appendRewardToSummary = (summary: string, reward: string): string => `${summary}; ${reward}`;
