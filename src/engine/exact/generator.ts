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

/** Sequence in generation. */
interface Active {
  readonly sequence: number;
  readonly rollout: number;
  /** Maximum number of tokens that remain. */
  readonly left: number;
}

/** Sequences with the same tokens so far. Their new tokens are computed once. */
interface Shared {
  /** First slot of the sequence in the token table whose keys and values are computed. */
  readonly start: number;
  /** Number of tokens whose keys and values are in the cache of all sequences. */
  readonly cached: number;
  readonly length: number;
  readonly active: Active[];
}

/** Next token of a sequence. */
interface Draw {
  readonly active: Active;
  /** Position of the token. */
  readonly at: number;
  /** Row of the logits. */
  readonly source: number;
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
    let shared = this.prompts(continuations);
    for (let lengths = this.turnLengths; shared.length > 0; lengths = undefined) {
      shared = this.parts(shared).flatMap((part) => this.next(parameters, part, settings, lengths));
    }
    const { table, sampled, turnLengths } = this;
    const lengths = lengthsAfter(continuations, table, context, settings.stopTokens, turnLengths);
    return { tokens: table, sampled, lengths };
  }

  private prompts(continuations: readonly Continuation[]): Shared[] {
    const { context } = this.space.config;
    const prompts = new Map<string, Shared>();
    for (const { sequence, rollout, length, cached, limit } of continuations) {
      if (limit === 0) continue;
      const start = sequence * context;
      const key = `${cached}:${this.table.subarray(start, start + length).join()}`;
      const prompt = prompts.get(key) ?? { start, cached, length, active: [] };
      prompts.set(key, prompt);
      prompt.active.push({ sequence, rollout, left: limit });
    }
    return [...prompts.values()];
  }

  /** Splits sequences into parts whose new tokens fit in the space. */
  private parts(shared: readonly Shared[]): Shared[][] {
    const parts: Shared[][] = [];
    let rows = Number.POSITIVE_INFINITY;
    for (const sequences of shared) {
      const added = sequences.length - sequences.cached;
      if (rows + added > this.space.rowLimit) {
        parts.push([]);
        rows = 0;
      }
      rows += added;
      parts[parts.length - 1].push(sequences);
    }
    return parts;
  }

  /**
   * Computes the new tokens of one part, and draws the next token of each of its sequences.
   * @param lengths [vocabulary] lengths of turns by their first token, if the drawn tokens are the first of their turns
   * @returns the sequences that continue
   */
  private next(
    parameters: Parameters,
    part: readonly Shared[],
    settings: SamplingSettings,
    lengths: readonly number[] | undefined,
  ): Shared[] {
    let rows = 0;
    for (const [index, { start, cached, length }] of part.entries()) {
      for (let position = cached; position < length; position++) this.row(rows++, start, position);
      this.space.arena.i32[this.space.targets / 4 + 2 * index] = rows - 1;
    }
    this.network.forward(parameters, rows, part.length, LOGITS, true);
    for (const shared of part) this.shareCache(shared);
    const { rowLimit, config } = this.space;
    const draws: Draw[] = [];
    for (const [source, { active, length }] of part.entries()) {
      for (const sequence of active) draws.push({ active: sequence, at: length, source });
    }
    const groups = new Map<number, Shared>();
    for (let first = 0; first < draws.length; first += rowLimit) {
      const some = draws.slice(first, first + rowLimit);
      this.draw(some, settings);
      for (const [index, { active, at, source }] of some.entries()) {
        const token = this.save(active.sequence, at, index);
        const left = (lengths ? Math.min(Math.max(lengths[token], 1), active.left) : active.left) - 1;
        if (left === 0 || settings.stopTokens.includes(token)) continue;
        const key = source * config.vocab + token;
        let group = groups.get(key);
        if (!group) {
          group = { start: active.sequence * config.context, cached: at, length: at + 1, active: [] };
          groups.set(key, group);
        }
        group.active.push({ sequence: active.sequence, rollout: active.rollout, left });
      }
    }
    return [...groups.values()];
  }

  /** Draws a token for each sequence. */
  private draw(draws: readonly Draw[], settings: SamplingSettings): void {
    const { space } = this;
    const { arena, config, sources } = space;
    const { kernels, f32, i32 } = arena;
    const { temperature, topK, topP, watch, seed, step } = settings;
    for (const [index, { active, at, source }] of draws.entries()) {
      f32[space.uniforms / 4 + index] = uniform(seed, step, ROLLOUTS + active.rollout, at);
      i32[sources / 4 + index] = source;
    }
    const logits = [space.logits, 4 * logitStride(config)] as const;
    const inverse = 1 / temperature;
    const cut = truncates(settings, config.vocab) ? space.thresholds : 0;
    const count = draws.length;
    if (cut) kernels.thresholds(...logits, config.vocab, sources, inverse, topK, topP, cut, count);
    kernels.draw(...logits, config.vocab, sources, space.uniforms, inverse, cut, space.targets, space.runs, count);
    kernels.distribution(...logits, config.vocab, sources, space.targets, space.outputs, count);
    kernels.probability(...logits, sources, watch, space.outputs, count);
  }

  /** Saves a drawn token in its position, and returns it. @param index of the draw */
  private save(sequence: number, at: number, index: number): number {
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
    return token;
  }

  /** Copies keys and values of new tokens to the other sequences with the same tokens. */
  private shareCache({ start, cached, length, active }: Shared): void {
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
}
