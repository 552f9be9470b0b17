import {
  type Continuation,
  checkContinuation,
  checkSampling,
  type Generated,
  lengthsAfter,
  type SamplingSettings,
  truncates,
} from '../../policy/turns.ts';
import { headDim, logitStride } from '../../policy/weights.ts';
import { ROLLOUTS, uniform } from '../../random/counter.ts';
import type { Recorded } from './losses.ts';
import type { Network } from './network.ts';
import type { Parameters } from './parameters.ts';
import type { Space } from './space.ts';

const LOGITS = { logits: true, values: false } as const;

/** Sequence in generation: its next position, and the maximum number of tokens that remain. */
interface Active {
  readonly sequence: number;
  readonly rollout: number;
  readonly at: number;
  readonly left: number;
}

/** New tokens of the environment, computed once for all sequences with the same tokens. */
interface Prompt {
  readonly start: number;
  readonly cached: number;
  readonly length: number;
  readonly active: Active[];
}

/** Generator of turns with a key-value cache. Its draws are those of shaders/policy/sample.wgsl. */
export class ExactGenerator {
  /** Token table [sequences, context]. */
  readonly table: Uint32Array;
  /** Log-probability, entropy, probability of the watched token, unused [sequences, context, 4]. */
  private readonly sampled: Float32Array;

  /** @param turnLengths [vocabulary] number of tokens of a turn by its first token, if the first token determines it */
  constructor(
    private readonly space: Space,
    private readonly network: Network,
    private readonly recorded: Recorded,
    private readonly sequences: number,
    private readonly turnLengths?: readonly number[],
  ) {
    this.table = new Uint32Array(sequences * space.config.context);
    this.sampled = new Float32Array(4 * this.table.length);
  }

  /**
   * Generates one turn of each sequence.
   * @throws {RangeError} that names the rollout that would exceed the context, or the invalid setting
   */
  turn(parameters: Parameters, continuations: readonly Continuation[], settings: SamplingSettings): Generated {
    const { context } = this.space.config;
    checkSampling(settings);
    for (const continuation of continuations) checkContinuation(continuation, this.sequences, context);
    let active = this.begin(parameters, this.prompts(continuations), settings);
    while (active.length > 0) active = this.step(parameters, active, settings);
    const { table, sampled, turnLengths } = this;
    const lengths = lengthsAfter(continuations, table, context, settings.stopTokens, turnLengths);
    return { tokens: table, sampled, lengths };
  }

  private prompts(continuations: readonly Continuation[]): Prompt[] {
    const { context } = this.space.config;
    const prompts = new Map<string, Prompt>();
    for (const { sequence, rollout, length, cached, limit } of continuations) {
      if (limit === 0) continue;
      const start = sequence * context;
      const key = `${cached}:${this.table.subarray(start, start + length).join()}`;
      const prompt = prompts.get(key) ?? { start, cached, length, active: [] };
      prompts.set(key, prompt);
      prompt.active.push({ sequence, rollout, at: length, left: limit });
    }
    return [...prompts.values()];
  }

  /**
   * Computes prompts, in parts of complete prompts that fit in the space, and draws one token for each of their
   * sequences.
   */
  private begin(parameters: Parameters, prompts: readonly Prompt[], settings: SamplingSettings): Active[] {
    const { rowLimit } = this.space;
    const remaining: Active[] = [];
    let [from, rows] = [0, 0];
    const compute = (until: number) => {
      if (until > from) remaining.push(...this.computePrompts(parameters, prompts.slice(from, until), settings));
      [from, rows] = [until, 0];
    };
    prompts.forEach(({ length, cached }, index) => {
      if (rows + length - cached > rowLimit) compute(index);
      rows += length - cached;
    });
    compute(prompts.length);
    return remaining;
  }

  private computePrompts(parameters: Parameters, prompts: readonly Prompt[], settings: SamplingSettings): Active[] {
    let rows = 0;
    for (const [index, { start, cached, length }] of prompts.entries()) {
      for (let position = cached; position < length; position++) this.row(rows++, start, position);
      this.target(index, rows - 1);
    }
    this.network.forward(parameters, rows, prompts.length, LOGITS, true);
    for (const prompt of prompts) this.shareCache(prompt);
    const active = prompts.flatMap((prompt, source) => prompt.active.map((continuation) => ({ continuation, source })));
    const remaining: Active[] = [];
    const { rowLimit } = this.space;
    for (let first = 0; first < active.length; first += rowLimit) {
      const some = active.slice(first, first + rowLimit);
      const sources = some.map(({ source }) => source);
      remaining.push(
        ...this.draw(
          some.map(({ continuation }) => continuation),
          settings,
          sources,
        ),
      );
    }
    return remaining;
  }

  /** Computes one more token of each sequence. */
  private step(parameters: Parameters, active: readonly Active[], settings: SamplingSettings): Active[] {
    const { rowLimit, config } = this.space;
    const remaining: Active[] = [];
    for (let first = 0; first < active.length; first += rowLimit) {
      const some = active.slice(first, first + rowLimit);
      some.forEach(({ sequence, at }, index) => {
        this.row(index, sequence * config.context, at - 1);
        this.target(index, index);
      });
      this.network.forward(parameters, some.length, some.length, LOGITS, true);
      remaining.push(...this.draw(some, settings));
    }
    return remaining;
  }

  /**
   * Draws a token for each sequence and saves it.
   * @param sources [active] row of the logits of each sequence; the rows are in the order of `active` if undefined
   */
  private draw(active: readonly Active[], settings: SamplingSettings, sources?: readonly number[]): Active[] {
    const { space } = this;
    const { arena, config } = space;
    const { kernels, f32, i32 } = arena;
    const { temperature, topK, topP, watch, seed, step } = settings;
    active.forEach(({ rollout, at }, index) => {
      f32[space.uniforms / 4 + index] = uniform(seed, step, ROLLOUTS + rollout, at);
      if (sources) i32[space.sources / 4 + index] = sources[index];
    });
    const from = sources ? space.sources : 0;
    const logits = [space.logits, 4 * logitStride(config)] as const;
    const inverse = 1 / temperature;
    const cut = truncates(settings, config.vocab) ? space.thresholds : 0;
    const count = active.length;
    if (cut) kernels.thresholds(...logits, config.vocab, from, inverse, topK, topP, cut, count);
    kernels.draw(...logits, config.vocab, from, space.uniforms, inverse, cut, space.targets, space.runs, count);
    kernels.distribution(...logits, config.vocab, from, space.targets, space.outputs, count);
    kernels.probability(...logits, from, watch, space.outputs, count);
    // Only first draws have sources: their tokens determine the lengths of the turns.
    const lengths = sources && this.turnLengths;
    return active.flatMap((continuation, index) => this.save(continuation, index, settings.stopTokens, lengths));
  }

  /** Saves a drawn token. @returns the sequence if it continues, else an empty list */
  private save(
    { sequence, rollout, at, left }: Active,
    index: number,
    stopTokens: readonly number[],
    lengths: readonly number[] | undefined,
  ): Active[] {
    const { space, table, sampled, recorded } = this;
    const { f32, i32 } = space.arena;
    const output = space.outputs / 4 + 4 * index;
    const token = i32[space.targets / 4 + 2 * index + 1];
    const slot = sequence * space.config.context + at;
    table[slot] = token;
    sampled[4 * slot] = f32[output + 1];
    sampled[4 * slot + 1] = f32[output + 2];
    sampled[4 * slot + 2] = f32[output + 3];
    recorded.sampled[slot] = recorded.reference[slot] = f32[output + 1];
    const maximum = lengths ? Math.min(Math.max(lengths[token], 1), left) : left;
    return maximum > 1 && !stopTokens.includes(token) ? [{ sequence, rollout, at: at + 1, left: maximum - 1 }] : [];
  }

  /** Copies keys and values of new tokens to the other sequences with the same tokens. */
  private shareCache({ start, cached, length, active }: Prompt): void {
    const { kernels } = this.space.arena;
    const { context, kvHeads } = this.space.config;
    const bytes = 8 * kvHeads * headDim(this.space.config);
    for (const { sequence } of active) {
      const target = sequence * context;
      if (target === start) continue;
      for (const { cache } of this.space.layers) {
        kernels.copy(cache + bytes * (target + cached), cache + bytes * (start + cached), bytes * (length - cached));
      }
    }
  }

  private row(index: number, start: number, position: number): void {
    const { i32 } = this.space.arena;
    const at = this.space.rows / 4 + 4 * index;
    i32[at] = this.table[start + position];
    i32[at + 1] = position > 0 ? this.table[start + position - 1] : -1;
    i32[at + 2] = position;
    i32[at + 3] = start;
  }

  private target(index: number, row: number): void {
    this.space.arena.i32[this.space.targets / 4 + 2 * index] = row;
  }
}
