import type { Engine } from '../../engine/engine.ts';
import type { Continuation, Generated, SamplingSettings } from '../../engine/shared.ts';
import type {
  Environment,
  Episode,
  EpisodeOptions,
  StepResult,
  Timing,
  WrittenTurn,
} from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { RESULTS, uniform } from '../../random/counter.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { allocateByDeviation } from './allocation.ts';
import {
  addTurn,
  type CollectedTurn,
  type Continuations,
  depthFirst,
  gather,
  openSequence,
  type PendingTurn,
  turnTokens,
  type Wave,
  widthAt,
} from './batch.ts';
import { CapacityTracker } from './capacity.ts';

/** Members of an engine that a collector uses. */
export type CollectorEngine = Pick<Engine, 'capacity' | 'table' | 'turn'> & {
  readonly config: { readonly context: number };
};

/**
 * Samples episodes level by level. The GPU generates all turns of a level together, the environment returns feedback,
 * and the remaining episodes continue with the next level. If programs run, two halves of the tasks alternate
 * (`waves`). A turn continues in its sequence (whose cache is retained), in a new sequence with a fresh prompt, or in
 * one new sequence per continuation. Sequences are numbered in the order of the sequences that they continue, and draws
 * are keyed by this number. So the delay of the environment does not change the results.
 */
export class Collector<Task> {
  constructor(
    private readonly environment: Environment<Task, Timing>,
    private readonly engine: CollectorEngine,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Samples a batch of rollouts. If all tasks together do not fit, the last tasks are left out.
   * @throws {RangeError} if a single task does not fit
   */
  async collect(request: CollectRequest<Task>): Promise<SampledBatch<Task>> {
    const counter = { next: 0 };
    const { context } = this.engine.config;
    const roots: CollectedTurn[][] = request.tasks.map(() => []);
    const waves = this.waves(request, counter);
    const capacity = new CapacityTracker(this.engine.capacity, request.tasks.length);
    let generated: Generated | undefined;
    let executeMs = 0;
    for (let level = 0; waves.some(({ pendingTurns, evaluated }) => pendingTurns.length > 0 || evaluated); level++) {
      for (const wave of waves) {
        judge(wave, request);
        if (wave.evaluated) {
          const start = this.now();
          const results = wave.evaluated instanceof Promise ? await wave.evaluated : wave.evaluated;
          if (wave.evaluated instanceof Promise) executeMs += this.now() - start;
          const turns = wave.pendingTurns.map((slot, index) => addTurn(slot, results[index], wave.lengths[index]));
          if (level === 1) for (const turn of turns) roots[turn.sequence.group].push(turn);
          wave.pendingTurns = this.goOn(request, wave.pendingTurns, turns, level, counter);
          wave.evaluated = undefined;
        }
        const groups = capacity.reserve(wave, (turn) => this.environment.turnLimit(turn));
        wave.pendingTurns = wave.pendingTurns.filter(({ sequence }) => sequence.group < groups);
        if (wave.pendingTurns.length === 0) continue;
        const sampling = this.generate(request, wave.pendingTurns);
        sampling.catch(() => {});
        // The environment evaluates the other wave, and its programs run, while the GPU samples this wave.
        for (const sibling of waves) if (sibling !== wave) judge(sibling, request);
        generated = await sampling;
        const { tokens, sampled, lengths } = generated;
        wave.written = wave.pendingTurns.map((slot, index) => this.write(slot, tokens, sampled, lengths[index]));
        wave.lengths = wave.written.map(({ length }) => length);
      }
    }
    const { groups } = capacity;
    const selected = request.tasks.slice(0, groups);
    if (request.pay) await payTurns(roots.slice(0, groups).flat(), selected, request.pay);
    const batch = gather(roots.slice(0, groups), generated?.sampled ?? new Float32Array(), context, {
      step: request.step,
      questions: selected.map((task) => this.environment.describe(task)),
      executeMs,
    });
    return { ...batch, tasks: selected };
  }

  /** Generates all pending turns. */
  private generate(request: CollectRequest<Task>, pendingTurns: readonly PendingTurn[]): Promise<Generated> {
    const continuations = pendingTurns.map(({ sequence, turn }): Continuation => {
      this.engine.table.set(sequence.tokens, sequence.number * this.engine.config.context);
      return {
        sequence: sequence.number,
        rollout: sequence.number,
        length: sequence.tokens.length,
        cached: sequence.cached,
        limit: this.environment.turnLimit(turn),
      };
    });
    return this.engine.turn(continuations, this.sampling(request));
  }

  /**
   * Returns two halves of the tasks if programs run: the programs of one half run while the other half is sampled.
   * Sequences are numbered as in one wave, so the results are the same.
   */
  private waves(request: CollectRequest<Task>, counter: { next: number }): Wave[] {
    const pendingTurns = this.begin(request, counter);
    const { length } = request.tasks;
    // A function that rewrites prompts needs all prompts of a level together.
    const split = this.environment.runsPrograms && !request.rewrite ? Math.ceil(length / 2) : length;
    const wave = (from: number, until: number): Wave => ({
      from,
      until,
      pendingTurns: pendingTurns.filter(({ sequence: { group } }) => group >= from && group < until),
      sequences: [],
      lengths: [],
      written: undefined,
      evaluated: undefined,
    });
    return split < length ? [wave(0, split), wave(split, length)] : [wave(0, length)];
  }

  private begin(request: CollectRequest<Task>, counter: { next: number }): PendingTurn[] {
    const { tasks, branching, controls, play, starts } = request;
    return tasks.flatMap((task, group) =>
      Array.from({ length: branching[0] }, (): PendingTurn => {
        const start = starts?.[group];
        const tokens = start?.tokens ?? this.environment.prompt(task);
        const episode = start ? this.fork(start.episode) : this.environment.begin(task, controls, play);
        const sequence = openSequence(counter.next++, group, tokens);
        return { sequence, episode, parent: undefined, turn: start?.turn ?? 0 };
      }),
    );
  }

  private sampling(request: CollectRequest<Task>): SamplingSettings {
    return {
      ...request.sampling,
      stopTokens: this.environment.stopTokens,
      watch: this.environment.decision?.token ?? 0,
      seed: request.seed,
      step: request.key,
    };
  }

  /** Appends the generated tokens of a turn to its sequence, and returns them. */
  private write(
    { sequence, turn }: PendingTurn,
    table: Uint32Array,
    sampled: Float32Array,
    length: number,
  ): readonly number[] {
    const start = sequence.number * this.engine.config.context;
    const first = sequence.tokens.length;
    const written = Array.from(table.subarray(start + first, start + length));
    sequence.tokens.push(...written);
    sequence.turnOf.push(...written.map(() => sequence.turns.length));
    sequence.cached = length - 1;
    if (turn === 0 && this.environment.decision) {
      const at = this.environment.decision.index(written);
      if (at >= 0) sequence.toolProbability = sampled[4 * (start + first + at) + 2];
    }
    return written;
  }

  /** Returns the turns of the next level: the continuations of each turn of the current level. */
  private goOn(
    request: CollectRequest<Task>,
    pendingTurns: readonly PendingTurn[],
    turns: readonly CollectedTurn[],
    level: number,
    counter: { next: number },
  ): PendingTurn[] {
    const widths = this.widths(request, turns, level);
    const prompts = this.prompts(request, turns);
    return pendingTurns.flatMap(({ sequence, episode, turn: before }, index): PendingTurn[] => {
      const width = widths[index];
      const parent = turns[index];
      const turn = before + 1;
      const { reply } = parent.stepResult;
      const prompt = prompts.get(parent);
      if (!reply && !prompt) return [];
      if (reply && width === 1) {
        sequence.tokens.push(...reply);
        sequence.turnOf.push(...reply.map(() => -1));
        return [{ sequence, episode, parent, turn }];
      }
      const tokens = prompt ?? [...sequence.tokens, ...(reply ?? [])];
      // All forks are created before the first of them continues.
      const episodes = [episode, ...Array.from({ length: width - 1 }, () => this.fork(episode))];
      return episodes.map((freshEpisode) => {
        return { sequence: openSequence(counter.next++, sequence.group, tokens), episode: freshEpisode, parent, turn };
      });
    });
  }

  /** Returns [turns] the number of continuations of each turn that continues. */
  private widths({ branching, continuations }: CollectRequest<Task>, turns: readonly CollectedTurn[], level: number) {
    const width = widthAt(branching, level);
    if (continuations !== 'spread') return turns.map(() => width);
    const evaluated = turns.map(({ sequence: { group }, stepResult: { reward, reply, prompt } }) => ({
      ...{ group, reward },
      goesOn: reply !== undefined || prompt !== undefined,
    }));
    return allocateByDeviation(evaluated, width);
  }

  private prompts({ rewrite, tasks }: CollectRequest<Task>, turns: readonly CollectedTurn[]) {
    const fresh = turns.filter(({ stepResult }) => stepResult.prompt);
    const prompts = fresh.map(({ stepResult }) => stepResult.prompt as readonly number[]);
    const rewritten = rewrite
      ? rewrite(
          prompts,
          fresh.map(({ sequence }) => this.environment.prompt(tasks[sequence.group])),
        )
      : prompts;
    return new Map(fresh.map((turn, index) => [turn, rewritten[index]]));
  }

  private fork(episode: Episode<Timing>): Episode<Timing> {
    if (episode.fork) return episode.fork();
    throw new Error(
      `episodes of the environment "${this.environment.name}" cannot be forked: no trees or continuations are possible`,
    );
  }
}

/** Requests feedback for the new turns of a wave, if there are any. Random results are keyed like tokens. */
function judge(wave: Wave, { seed, key }: Pick<CollectRequest<unknown>, 'seed' | 'key'>): void {
  const { written } = wave;
  if (!written) return;
  wave.written = undefined;
  wave.evaluated = all(
    wave.pendingTurns.map(({ episode, sequence, turn }, index) =>
      episode.act(written[index], uniform(seed, key, RESULTS + sequence.number, turn)),
    ),
  );
}

/** Returns all results, without a promise if all are values. A rejection before the first `await` is not unhandled. */
function all(
  answers: readonly (StepResult | Promise<StepResult>)[],
): readonly StepResult[] | Promise<readonly StepResult[]> {
  if (!answers.some((answer) => answer instanceof Promise)) return answers as readonly StepResult[];
  const result = Promise.all(answers);
  result.catch(() => {});
  return result;
}

/** Replaces the step results of all turns by those of `pay`. @param roots first turns of all tasks */
async function payTurns<Task>(
  roots: readonly CollectedTurn[],
  tasks: readonly Task[],
  pay: NonNullable<CollectRequest<Task>['pay']>,
): Promise<void> {
  const turns = depthFirst(roots);
  const results = await pay(
    turns.map((turn) => {
      const { sequence, stepResult } = turn;
      return { task: tasks[sequence.group], ...turnTokens(sequence, sequence.turns.indexOf(turn)), stepResult };
    }),
  );
  turns.forEach((turn, index) => {
    turn.stepResult = results[index];
  });
}

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
