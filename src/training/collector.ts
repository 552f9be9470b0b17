import type { Environment, Episode, Play, Timing, Verdict } from '../environments/environment.ts';
import type { Recorder } from '../gpu/recorder.ts';
import type { ParameterValues } from '../parameters/parameters.ts';
import type { Continuation, Generated, Generator, SamplingSettings } from '../policy/generator.ts';
import type { RolloutBatch } from '../rollouts/rolloutBatch.ts';
import { gather } from './gather.ts';

/** What is to be sampled. */
export interface CollectRequest<Task> {
  readonly step: number;
  readonly tasks: readonly Task[];
  /**
   * First turns of a task, then continuations of a turn that does not end its episode, level by level: [8, 1] makes
   * chains, [6, 4] trees. The last number holds for all further levels.
   */
  readonly branching: readonly number[];
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
}

/** A point of an episode, before one of its turns. */
export interface Start {
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

/** A sequence while it is being collected. */
export interface RunningSequence {
  /** Row of the token table. */
  readonly number: number;
  readonly group: number;
  readonly tokens: number[];
  /** [tokens] index in `turns`, -1 for what the policy did not write here. */
  readonly turnOf: number[];
  readonly turns: CollectedTurn[];
  /** Tokens that the key-value cache holds. */
  cached: number;
  toolProbability: number | undefined;
}

/** A turn of the forest that is being collected. */
export interface CollectedTurn {
  readonly sequence: RunningSequence;
  readonly parent: CollectedTurn | undefined;
  /** In the order in which they were sampled. */
  readonly children: CollectedTurn[];
  readonly verdict: Verdict;
  /** Tokens that the policy wrote. */
  readonly length: number;
}

/** A turn that is about to be taken. */
interface Place {
  readonly sequence: RunningSequence;
  readonly episode: Episode<Timing>;
  readonly parent: CollectedTurn | undefined;
  /** Turns of the episode before this one. */
  readonly turn: number;
}

/**
 * Plays episodes: all turns of one level are generated together on the GPU, the environment judges them, those that go
 * on take their next turn together, and so on. A turn goes on in its sequence, whose cache is kept, in a new sequence
 * from a prompt of its own, or in several new sequences, one a continuation. Sequences are numbered in the order of
 * what they continue, and draws are keyed by that number: how long a verdict takes changes nothing.
 */
export class Collector<Task> {
  constructor(
    private readonly environment: Environment<Task, Timing>,
    private readonly policy: CollectorPolicy,
    private readonly generator: Pick<Generator, 'table' | 'turn'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * @throws {RangeError} where a single task does not fit; where only all of them together do not, the last ones are
   * left out
   */
  async collect(recorder: Recorder, request: CollectRequest<Task>): Promise<PlayedBatch<Task>> {
    const counter = { next: 0 };
    const { context } = this.policy.config;
    const roots: CollectedTurn[][] = request.tasks.map(() => []);
    let groups = roots.length;
    let places = this.begin(request, counter);
    const sequences: RunningSequence[] = [];
    let generated: Generated | undefined;
    let executeMs = 0;
    for (let level = 0; places.length > 0; level++) {
      groups = this.fitting(groups, sequences, places);
      places = places.filter(({ sequence }) => sequence.group < groups);
      for (const { sequence } of places) if (sequence.turns.length === 0) sequences.push(sequence);
      const continuations = places.map(({ sequence, turn }): Continuation => {
        this.generator.table.set(sequence.tokens, sequence.number * context);
        return {
          sequence: sequence.number,
          rollout: sequence.number,
          length: sequence.tokens.length,
          cached: sequence.cached,
          limit: this.environment.turnLimit(turn),
        };
      });
      generated = await this.generator.turn(recorder, continuations, this.sampling(request));
      const { tokens, sampled, lengths } = generated;
      const written = places.map((place, index) => this.write(place, tokens, sampled, lengths[index]));
      const answers = places.map(({ episode }, index) => episode.act(written[index]));
      let verdicts = answers as readonly Verdict[];
      if (answers.some((answer) => answer instanceof Promise)) {
        const start = this.now();
        verdicts = await Promise.all(answers);
        executeMs += this.now() - start;
      }
      const turns = places.map((place, index) => addTurn(place, verdicts[index], written[index].length));
      if (level === 0) for (const turn of turns) roots[turn.sequence.group].push(turn);
      places = this.goOn(request, places, turns, level + 1, counter);
    }
    const kept = request.tasks.slice(0, groups);
    const batch = gather({
      step: request.step,
      roots: roots.slice(0, groups),
      questions: kept.map((task) => this.environment.describe(task)),
      sampled: generated?.sampled ?? new Float32Array(),
      context,
      executeMs,
    });
    return { ...batch, tasks: kept };
  }

  private begin(request: CollectRequest<Task>, counter: { next: number }): Place[] {
    const { tasks, branching, controls, play, starts } = request;
    return tasks.flatMap((task, group) =>
      Array.from({ length: branching[0] }, (): Place => {
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
    { sequence, turn }: Place,
    table: Uint32Array,
    sampled: Float32Array,
    length: number,
  ): readonly number[] {
    const start = sequence.number * this.policy.config.context;
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
    places: readonly Place[],
    turns: readonly CollectedTurn[],
    level: number,
    counter: { next: number },
  ): Place[] {
    const { branching } = request;
    const width = branching[Math.min(level, branching.length - 1)];
    const prompts = this.prompts(request, turns);
    return places.flatMap(({ sequence, episode, turn: before }, index): Place[] => {
      const parent = turns[index];
      const turn = before + 1;
      const { reply } = parent.verdict;
      const prompt = prompts.get(parent);
      if (!reply && !prompt) return [];
      if (reply && width === 1) {
        sequence.tokens.push(...reply);
        sequence.turnOf.push(...reply.map(() => -1));
        return [{ sequence, episode, parent, turn }];
      }
      const tokens = prompt ?? [...sequence.tokens, ...(reply ?? [])];
      // All copies are made before any of them goes on.
      const episodes = [episode, ...Array.from({ length: width - 1 }, () => this.fork(episode))];
      return episodes.map((own) => {
        return { sequence: openSequence(counter.next++, sequence.group, tokens), episode: own, parent, turn };
      });
    });
  }

  private prompts({ rewrite, tasks }: CollectRequest<Task>, turns: readonly CollectedTurn[]) {
    const fresh = turns.filter(({ verdict }) => verdict.prompt);
    const own = fresh.map(({ verdict }) => verdict.prompt as readonly number[]);
    const told = rewrite
      ? rewrite(
          own,
          fresh.map(({ sequence }) => this.environment.prompt(tasks[sequence.group])),
        )
      : own;
    return new Map(fresh.map((turn, index) => [turn, told[index]]));
  }

  private fork(episode: Episode<Timing>): Episode<Timing> {
    if (episode.fork) return episode.fork();
    throw new Error(
      `episodes of the environment "${this.environment.name}" cannot be forked: no trees or continuations are possible`,
    );
  }

  /** How many of the first groups have room in the policy's buffers, if this level is played to its limits. */
  private fitting(groups: number, sequences: readonly RunningSequence[], places: readonly Place[]): number {
    const { capacity, rowCapacity } = this.policy.workspace;
    const tokens = new Array<number>(groups).fill(0);
    const highest = new Array<number>(groups).fill(0);
    const count = (sequence: RunningSequence, more: number) => {
      if (sequence.group >= groups) return;
      tokens[sequence.group] += sequence.tokens.length + more;
      highest[sequence.group] = Math.max(highest[sequence.group], sequence.number + 1);
    };
    const going = new Set(places.map(({ sequence }) => sequence));
    for (const sequence of sequences) if (!going.has(sequence)) count(sequence, 0);
    for (const { sequence, turn } of places) count(sequence, this.environment.turnLimit(turn));
    let [kept, sum] = [0, 0];
    while (kept < groups && sum + tokens[kept] <= rowCapacity && highest[kept] <= capacity.sequences) {
      sum += tokens[kept++];
    }
    if (kept > 0 || groups === 0) return kept;
    throw new RangeError(
      `turn ${places[0].turn + 1} of a single task takes ${highest[0]} sequences and up to ${tokens[0]} tokens; there is room ` +
        `for ${capacity.sequences} and ${rowCapacity}`,
    );
  }
}

/** What of a policy a collector needs to know. */
export interface CollectorPolicy {
  readonly config: { readonly context: number };
  readonly workspace: { readonly rowCapacity: number; readonly capacity: { readonly sequences: number } };
}

function openSequence(number: number, group: number, tokens: readonly number[]): RunningSequence {
  return {
    number,
    group,
    tokens: [...tokens],
    turnOf: tokens.map(() => -1),
    turns: [],
    cached: 0,
    toolProbability: undefined,
  };
}

function addTurn({ sequence, parent }: Place, verdict: Verdict, length: number): CollectedTurn {
  const turn: CollectedTurn = { sequence, parent, children: [], verdict, length };
  sequence.turns.push(turn);
  parent?.children.push(turn);
  return turn;
}
