import type { Continuation, Generated, SamplingSettings } from '../../../src/engine/shared.ts';
import type { Environment, Episode, StepResult, Timing } from '../../../src/environments/environment.ts';
import { pcg4d } from '../../../src/random/counter.ts';
import { Collector, type CollectorEngine, type CollectRequest } from '../../../src/training/collect/collector.ts';

/** Context of the little world [tokens]. Tokens of the environment are 10 and above, prompts begin with 20 or more. */
export const CONTEXT = 24;
const REPLY = [10, 11];
const TURN = 3;

/** Options for the turns of the little world and their continuation. */
export interface SmallWorldOptions {
  readonly next: 'reply' | 'prompt';
  /** Maximum number of turns per task. An episode also ends when the policy samples a 0. */
  readonly turns: number;
  /** Delay of feedback [ms], by the number of earlier calls of `act`. Absent: no delay. NaN: the call rejects. */
  readonly delay?: (calls: number) => number;
  readonly forks?: boolean;
  /** True if feedback waits for programs. */
  readonly runsPrograms?: boolean;
  /** Reward for the tokens of a turn. Default: the index of the turn. */
  readonly reward?: (tokens: readonly number[]) => number;
}

/** Creates an environment whose tasks are numbers, and whose prompts contain the task, the turn and the last token. */
export function createSmallWorld({
  next,
  turns,
  delay,
  forks = true,
  runsPrograms = false,
  reward,
}: SmallWorldOptions): Environment<number, Timing> {
  let calls = 0;
  const begin = (task: number, turn = 0): Episode<Timing> => ({
    act(tokens) {
      const turnIndex = turn++;
      const over = turn === turns || tokens.includes(0);
      const continuation =
        next === 'reply' ? { reply: REPLY } : { prompt: [20 + task, 40 + turn, tokens[tokens.length - 1] ?? 0] };
      const feedback: StepResult = {
        reward: reward ? reward(tokens) : turnIndex,
        components: { reward: turnIndex },
        ...(over ? { outcome: tokens[0], solved: tokens[0] === 1 } : continuation),
        passed: [turnIndex % 2],
        facts: {},
        summary: `task ${task}, turn ${turnIndex}: ${tokens.join(' ')}`,
      };
      if (!delay) return feedback;
      const wait = delay(calls++);
      if (Number.isNaN(wait)) return Promise.reject(new Error('no feedback'));
      return new Promise((resolve) => setTimeout(() => resolve(feedback), wait));
    },
    ...(forks ? { fork: () => begin(task, turn) } : {}),
  });
  return {
    name: 'little',
    vocabulary: { size: 64, names: [], kind: () => '' },
    runsPrograms,
    freshPrompts: next === 'prompt',
    context: CONTEXT,
    maxTurns: turns,
    stopTokens: [],
    controls: [],
    warmStart: [],
    turnLimit: () => TURN,
    sampleTasks: (_random, count) => Array.from({ length: count }, (_, task) => task),
    describe: (task) => `task ${task}`,
    outcomeRange: () => ({ bestOutcome: 1, worstOutcome: 0 }),
    prompt: (task) => [20 + task, 40],
    begin: (task) => begin(task),
  };
}

/**
 * Generator on the CPU. As on the GPU, a draw depends on (seed, step, rollout, position). The generator stores its
 * requests. It throws an error if the cached tokens of a request differ from the tokens in the table.
 */
export class SmallWorldGenerator {
  readonly table: Uint32Array;
  readonly requests: Continuation[][] = [];
  private readonly sampled: Float32Array;
  private readonly cache = new Map<number, number[]>();

  constructor(sequences: number) {
    this.table = new Uint32Array(sequences * CONTEXT);
    this.sampled = new Float32Array(4 * sequences * CONTEXT);
  }

  async turn(continuations: readonly Continuation[], { seed, step }: SamplingSettings): Promise<Generated> {
    this.requests.push([...continuations]);
    const lengths = continuations.map(({ sequence, rollout, length, cached, limit }) => {
      const start = sequence * CONTEXT;
      const before = [...this.table.subarray(start, start + length)];
      const known = this.cache.get(sequence) ?? [];
      if (before.slice(0, cached).join() !== known.slice(0, cached).join() || cached > known.length) {
        throw new Error(`sequence ${sequence} has ${before}, its cache ${known}`);
      }
      for (let at = length; at < length + limit; at++) {
        const [draw] = pcg4d(seed, step, rollout, at);
        this.table[start + at] = draw % 5;
        this.sampled[4 * (start + at)] = -(1 + rollout + at / 100);
        this.sampled[4 * (start + at) + 1] = at;
      }
      this.cache.set(sequence, [...this.table.subarray(start, start + length + limit - 1)]);
      return length + limit;
    });
    return { tokens: this.table, sampled: this.sampled, lengths };
  }

  /** Copies the table into the cache. For generators that write other tokens. */
  protected relearn(continuations: readonly Continuation[]): void {
    for (const { sequence, length, limit } of continuations) {
      const start = sequence * CONTEXT;
      this.cache.set(sequence, [...this.table.subarray(start, start + length + limit - 1)]);
    }
  }
}

/** Returns an engine that can only generate. */
export function engineOf(
  generator: SmallWorldGenerator,
  sequences: number,
  rows = sequences * CONTEXT,
): CollectorEngine {
  return {
    config: { context: CONTEXT },
    capacity: { sequences, rows },
    table: generator.table,
    turn: (...requests) => generator.turn(...requests),
  };
}

/** Collects a batch in the little world. */
export async function collect(
  worldOptions: SmallWorldOptions,
  branching: readonly number[],
  {
    tasks = 3,
    sequences = 64,
    rows = sequences * CONTEXT,
    generator = new SmallWorldGenerator(sequences),
    ...rest
  }: Partial<CollectOptions> = {},
) {
  let clock = 0;
  const collector = new Collector(createSmallWorld(worldOptions), engineOf(generator, sequences, rows), () => clock++);
  const batch = await collector.collect({
    step: 4,
    tasks: Array.from({ length: tasks }, (_, task) => task),
    branching,
    controls: {},
    sampling: { temperature: 1, topP: 1, topK: 0 },
    seed: 7,
    key: 4,
    ...rest,
  });
  return { batch, generator };
}

interface CollectOptions extends Pick<CollectRequest<number>, 'rewrite' | 'pay' | 'continuations'> {
  readonly tasks: number;
  readonly sequences: number;
  readonly rows: number;
  readonly generator: SmallWorldGenerator;
}
