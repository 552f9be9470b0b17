import type { Continuation, Generated, SamplingSettings } from '../../../src/engine/shared.ts';
import type { Environment, Episode, StepResult, Timing } from '../../../src/environments/environment.ts';
import { pcg4d } from '../../../src/random/counter.ts';
import { Collector, type CollectorEngine } from '../../../src/training/collect/collector.ts';
import type { CollectRequest } from '../../../src/training/collect/collectRequest.ts';

/** Tokens of the little world: what the environment writes is 10 and above, 20 and above begin prompts. */
export const CONTEXT = 24;
const REPLY = [10, 11];
const TURN = 3;

/** Options for the turns of the little world and their continuation. */
export interface SmallWorldOptions {
  readonly next: 'reply' | 'prompt';
  /** Turns of each task; an episode also ends when the policy writes a 0. */
  readonly turns: number;
  /** Milliseconds before the verdicts of an episode come, by how often `act` was called before; at once where absent, never where NaN. */
  readonly delay?: (calls: number) => number;
  readonly forks?: boolean;
  /** Verdicts wait for programs. */
  readonly runsPrograms?: boolean;
  /** Of what was written; the number of the turn where absent. */
  readonly reward?: (tokens: readonly number[]) => number;
}

/** Creates an environment whose tasks are numbers, and whose prompts contain the task, the turn and the last word. */
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
      if (Number.isNaN(wait)) return Promise.reject(new Error('no verdict'));
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
 * A generator on the CPU: a draw depends on (seed, step, rollout, position), as on the GPU. Stores the requests, and
 * checks the caller's contract: the cache must hold the tokens that were there before.
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

  /** Takes what the table holds now for what was written: for generators that write something else. */
  protected relearn(continuations: readonly Continuation[]): void {
    for (const { sequence, length, limit } of continuations) {
      const start = sequence * CONTEXT;
      this.cache.set(sequence, [...this.table.subarray(start, start + length + limit - 1)]);
    }
  }
}

/** Collects in the little world. */
/** An engine that can only generate. */
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
