import type { Engine } from '../../engine/engine.ts';
import type { Continuation, Generated, SamplingSettings } from '../../engine/shared.ts';
import type { Environment, Episode, StepResult, Timing } from '../../environments/environment.ts';
import { RESULTS, uniform } from '../../random/counter.ts';
import { allocateByDeviation } from './allocation.ts';
import type { CollectRequest, SampledBatch } from './collectRequest.ts';
import { gather } from './gather.ts';
import { addTurn, type CollectedTurn, openSequence, type PendingTurn } from './runningSequence.ts';
import { turnTokens } from './turnTokens.ts';
import { CapacityTracker, type Wave } from './waves.ts';

/** Members of an engine that a collector uses. */
export type CollectorEngine = Pick<Engine, 'capacity' | 'table' | 'turn'> & {
  readonly config: { readonly context: number };
};

/**
 * Runs episodes level by level: all turns of one level are generated together on the GPU, the environment judges them,
 * and the episodes that are not over take their next turn together. If programs have to run, two halves of the tasks
 * take turns (`waves`). A turn continues in its sequence, whose cache is retained, in a new sequence from a separate
 * prompt, or in several new sequences, one a continuation. Sequences are numbered in the order of the sequences that
 * they continue, and draws are keyed by that number: the time until a result of the environment changes nothing.
 */
export class Collector<Task> {
  constructor(
    private readonly environment: Environment<Task, Timing>,
    private readonly engine: CollectorEngine,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * @throws {RangeError} where a single task does not fit; where only all of them together do not, the last ones are
   * left out
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
        // The environment has its work, and programs run, while the GPU samples this wave.
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
    const batch = gather({
      step: request.step,
      roots: roots.slice(0, groups),
      questions: selected.map((task) => this.environment.describe(task)),
      sampled: generated?.sampled ?? new Float32Array(),
      context,
      executeMs,
    });
    return { ...batch, tasks: selected };
  }

  /** Generates a turn of each place. */
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
   * Returns two halves of the tasks if programs have to run: one is judged, and its programs run, while the other is
   * sampled. Sequences are numbered as in one wave, so that only the time changes.
   */
  private waves(request: CollectRequest<Task>, counter: { next: number }): Wave[] {
    const pendingTurns = this.begin(request, counter);
    const { length } = request.tasks;
    // A function that rewrites prompts needs all of a level at once.
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

  /** Appends what the policy wrote to its sequence, and returns it. */
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

  /** The turns of the next level: what each turn of the present one is continued by. */
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
      // All copies are made before any of them continues.
      const episodes = [episode, ...Array.from({ length: width - 1 }, () => this.fork(episode))];
      return episodes.map((freshEpisode) => {
        return { sequence: openSequence(counter.next++, sequence.group, tokens), episode: freshEpisode, parent, turn };
      });
    });
  }

  /** Returns [turns] the number of continuations of each turn that continues. */
  private widths({ branching, continuations }: CollectRequest<Task>, turns: readonly CollectedTurn[], level: number) {
    const width = branching[Math.min(level, branching.length - 1)];
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

/** Has the environment judge what a wave wrote, where it has not yet. Random results are keyed as tokens are. */
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

/** Returns all answers, at once if all are there. Any code that awaits a rejection receives it, however late. */
function all(
  answers: readonly (StepResult | Promise<StepResult>)[],
): readonly StepResult[] | Promise<readonly StepResult[]> {
  if (!answers.some((answer) => answer instanceof Promise)) return answers as readonly StepResult[];
  const result = Promise.all(answers);
  result.catch(() => {});
  return result;
}

/** Puts the verdicts of one who pays in place of the environment's. @param roots first turns, of all tasks */
async function payTurns<Task>(
  roots: readonly CollectedTurn[],
  tasks: readonly Task[],
  pay: NonNullable<CollectRequest<Task>['pay']>,
): Promise<void> {
  const turns = roots.flatMap(withContinuations);
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

function withContinuations(turn: CollectedTurn): readonly CollectedTurn[] {
  return [turn, ...turn.children.flatMap(withContinuations)];
}
