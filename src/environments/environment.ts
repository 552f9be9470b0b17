import type { ParameterTable, ParameterValues } from '../parameters/parameters.ts';
import type { CounterRandom } from '../random/counter.ts';
import type { ReportedFeedback } from '../rollouts/rolloutBatch.ts';
import type { Execute } from './shared/execution.ts';

/**
 * Time at which an environment replies: `now`, or `later` if programs may have to run first and an answer may be a
 * promise. Code that awaits answers accepts environments of both kinds: `Environment<Task, Timing>`.
 */
export type Timing = 'now' | 'later';

/** An answer of an environment: the value itself, or for `later` perhaps a promise of it. */
export type Answer<Value, When extends Timing> = When extends 'now' ? Value : Value | Promise<Value>;

/**
 * World in which the policy acts. An environment owns its vocabulary, tasks, step results, warm-start data and the text
 * that describes a turn to people. It does not depend on the policy, on credit or on the GPU.
 */
export interface Environment<Task = unknown, When extends Timing = 'now'> {
  readonly name: string;
  readonly vocabulary: Vocabulary;
  /** Verdicts wait for programs: it pays to sample other turns meanwhile. */
  readonly runsPrograms?: boolean;
  /** Most tokens an episode can have, prompt and replies included. */
  readonly context: number;
  /** Every turn starts from a separate prompt, and so takes a separate sequence. */
  readonly freshPrompts?: boolean;
  /** Shape of the policy if the standard one does not fit. */
  readonly network?: Network;
  /** Most turns of an episode in training; evaluations may ask `begin` for more. */
  readonly maxTurns: number;
  /** Turns that so many attempts take, where that is not one each; for what counts attempts and asks `begin` for turns. */
  attemptTurns?(attempts: number): number;
  /** Tokens that end a turn when the policy writes them. */
  readonly stopTokens: readonly number[];
  /** [vocabulary]: how many tokens a turn has, by its first one, where that and no stop token says when a turn ends. */
  readonly turnLengths?: readonly number[];
  /** Reward weights and other settings that may change while training runs. */
  readonly controls: ParameterTable;
  /** Supervised stages, in order, that make the policy which reinforcement learning starts from. */
  readonly warmStart: readonly WarmStartStage<When>[];
  /** The one token of the first turn that decides to use the tool, where there is such a token. */
  readonly decision?: Decision;

  /** Most tokens that the policy may write in turn `turn` (from 0). */
  turnLimit(turn: number): number;
  /** Draws `count` tasks of a split, with replacement. */
  sampleTasks(random: CounterRandom, count: number, split: 'train' | 'held-out'): Task[];
  /** Describes a task in a few words. */
  describe(task: Task): string;
  /** The outcomes that an episode can end with under these controls, used to describe the tie of a group. */
  outcomeRange(controls: ParameterValues): { readonly bestOutcome: number; readonly worstOutcome: number };
  /** The tokens that a task's episode starts with. */
  prompt(task: Task): readonly number[];
  /**
   * The right answer of a task, and what the policy writes before it in a turn that answers: for rules that ask how probable
   * the answer is. Absent where tasks have no one right answer. Both together are no longer than the last turn may be.
   */
  answer?(task: Task): { readonly lead: readonly number[]; readonly tokens: readonly number[] };
  /** Absent where no learned model can pay turns. */
  readonly learnedReward?: ModelRewards<Task>;
  /**
   * Checks, for custom tasks, that a split has tasks.
   * @throws if the split has no tasks, naming the file
   */
  checkSplit?(split: 'train' | 'held-out', file: string): void;
  /** The first turn of an episode whose results can be counted, so that values are exact. Absent where they cannot. */
  counted?(task: Task, controls: ParameterValues): CountedTurn;
  /** Starts an episode; `controls` are values of the table above. Without `play` it is one of training. */
  begin(task: Task, controls: ParameterValues, play?: EpisodeOptions): Episode<When>;
}

/**
 * Rewards of turns by a learned reward model, in place of the environment's rewards. Until the model has set them, the
 * rewards of these turns are NaN in the step results. So no turn gets a wrong reward by mistake.
 */
export interface ModelRewards<Task> {
  /** Errors in the labels of the reward model that these controls use; undefined if they use no reward model. */
  judgeIn(controls: ParameterValues): Reliability | undefined;
  /** All tasks of a split: the model is trained on what is written for them. */
  tasks(split: 'train' | 'held-out'): readonly Task[];
  /** Returns the input of the model for a turn. */
  reads(turn: WrittenTurn<Task>): Reading;
  /**
   * Quality of a turn, between 0 and 1. It orders the pairs that the model learns from.
   * @param bias between 0, the truth alone, and 1, the lean alone
   */
  scored(turn: WrittenTurn<Task>, bias: number): number;
  /** Preference of a biased model, behind "it likes"; absent if models have no bias. */
  readonly lean?: string;
  /** The verdict of a turn as the model pays it. @param reward of the model, between 0 and 1 */
  pay(stepResult: StepResult, reward: number, controls: ParameterValues, reliability: Reliability): StepResult;
}

/**
 * Errors in the labels that a reward model learned from; both are 0 if it learned from the truth. A world has one model
 * for each pair of values.
 */
export interface Reliability {
  /** Share of its pairs whose order was reversed. */
  readonly noise: number;
  /** Weight of its lean in the scores that order the pairs. */
  readonly bias: number;
}

/** A finished turn, and the tokens before it. */
export interface WrittenTurn<Task, Feedback extends ReportedFeedback = ReportedFeedback> {
  readonly task: Task;
  /** Tokens that the policy read before the turn. */
  readonly before: readonly number[];
  /** Tokens that the policy wrote, stop token included. */
  readonly written: readonly number[];
  readonly stepResult: Feedback;
}

/** Input of a reward model: tokens, and the value is behind the last token. */
export interface Reading {
  readonly tokens: readonly number[];
  /** Only turns of one kind are compared; absent where there is one kind alone. */
  readonly kind?: string;
}

/** Any environment, as those see it who know none in particular. */
export type AnyEnvironment = Environment<unknown, Timing>;

/** Construction of an environment: the export `environmentModule` of `open.ts` in its folder. */
export interface EnvironmentModule<Data = unknown> {
  /** Fetches the parts of the environment other than its code. */
  load(settings: ParameterValues): Promise<Data>;
  /**
   * @param settings checked against the environment's table
   * @param data what `load` gave for them
   * @throws what is wrong with `own`, naming file, line and field
   */
  create(settings: ParameterValues, data: Data, parts: EnvironmentParts): AnyCreated | Promise<AnyCreated>;
}

/** An environment of whatever tasks: only itself looks into them. */
// biome-ignore lint/suspicious/noExplicitAny: tasks are handed back to the environment that they are from.
type AnyCreated = Environment<any, Timing> | Environment<any>;

/** Functions that an environment gets from its surroundings. */
export interface EnvironmentParts {
  /** Runs Python; it fails where there is no sandbox. */
  readonly execute: Execute;
  /** Tasks in place of the shipped ones, where the environment reads such (EnvironmentDescriptor.ownTasks). */
  readonly customTasks?: CustomTasks | undefined;
}

/** A file of tasks to train and evaluate on in place of the shipped ones; these make the warm start all the same. */
export interface CustomTasks {
  /** Its name, for messages. */
  readonly file: string;
  readonly text: string;
}

/** Settings by which an episode is run. */
export interface EpisodeOptions {
  /**
   * In `evaluate` mode some feedback is hidden from the policy: environments with hidden tests show feedback of the
   * visible ones alone and end the episode when these pass.
   */
  readonly mode: 'train' | 'evaluate';
  /** Most turns, where they are not the environment's. */
  readonly maxTurns?: number;
}

/** Requirements of an environment for its policy; the rest is the same as in the standard policy. */
export interface Network {
  readonly layers: number;
  readonly dim: number;
  readonly heads: number;
  readonly ropeBase?: number;
  /** Width inside the feed-forward part. */
  readonly ffDim?: number;
}

/** Position at which the policy decides to use its tool. The probability of `token` at that position can be shown. */
export interface Decision {
  readonly token: number;
  /** Index of the deciding token among the tokens that the policy wrote in the first turn; -1 where none did. */
  index(tokens: readonly number[]): number;
}

/** One running episode. */
export interface Episode<When extends Timing = 'now'> {
  /**
   * Judges one finished turn: the tokens that the policy wrote, stop token included. Environments that run programs
   * gather all calls of one tick into one batch: call it for all episodes first, then await them all.
   * @param draw uniform draw in [0, 1) for environments whose turns have random results. A replay of a played turn has none;
   *   its summary and its reply must not depend on the draw
   */
  act(tokens: readonly number[], draw?: number): Answer<StepResult, When>;
  /**
   * Another episode that continues from the current state of this one, for trees in which a turn has several
   * continuations. Environments whose episodes cannot be forked lack it.
   */
  fork?(): Episode<When>;
}

/** A turn of one token whose possible results are known with their probabilities (src/experiments/truth/exactTurns.ts). */
export interface CountedTurn {
  /** Tokens that the policy sees before the turn. */
  readonly tokens: readonly number[];
  /** True if no action from this turn on changes the return. */
  readonly idle: boolean;
  /** Returns the possible results of a token; their probabilities sum to 1. */
  results(token: number): readonly CountedResult[];
}

/** A possible result of a turn. */
export interface CountedResult {
  readonly probability: number;
  /** Turn reward, or the outcome if the episode ends. */
  readonly reward: number;
  /** Absent if the episode ends. */
  readonly next?: CountedTurn;
}

/** Result of the environment for a finished turn: the description of the turn, and the continuation of the episode. */
export interface StepResult extends ReportedFeedback {
  /** Tokens that the environment writes before the next turn. Without `reply` and `prompt` the episode is over. */
  readonly reply?: readonly number[];
  /**
   * In place of a reply: the next turn starts from these tokens alone. What was written before is no longer in the
   * context, and its positions begin again at 0.
   */
  readonly prompt?: readonly number[];
}

/** Token numbers and their names. */
export interface Vocabulary {
  readonly size: number;
  readonly names: readonly string[];
  /** Kind of a token, for colour and grouping. */
  kind(token: number): string;
}

/** One sequence of a supervised batch: weights[i] weighs the loss of predicting tokens[i] (0 for the first). */
export interface Demonstration {
  readonly tokens: readonly number[];
  readonly weights: readonly number[];
}

/** One supervised stage of a warm start. */
export interface WarmStartStage<When extends Timing = 'now'> {
  readonly name: string;
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  readonly warmUpSteps: number;
  /** AdamW as this stage was measured with; missing ones are the trainer's. */
  readonly optimizer?: StageOptimizer;
  /** Draws one batch; `step` keys the draws. Stages of environments that run programs may give a promise. */
  demonstrations(step: number): Answer<Demonstration[], When>;
  /** Skill that the policy must have at the end of the stage, if some warm starts never learn it. */
  readonly lesson?: Lesson;
}

/** A test of what a stage taught. A warm start that fails it begins again with other initial weights. */
export interface Lesson {
  /** Skill of the policy, after "the policy never": "learned to read a document". */
  readonly skill: string;
  /** One batch that the stage did not train on. */
  readonly demonstrations: readonly Demonstration[];
  /** Largest weighted mean cross-entropy, in nats, of a policy that has learned it. */
  readonly stepLimit: number;
}

/** Settings of AdamW for a supervised stage. */
export interface StageOptimizer {
  readonly beta1?: number;
  readonly beta2?: number;
  readonly weightDecay?: number;
  /** Share of the learning rate at which the cosine ends. */
  readonly floor?: number;
}
