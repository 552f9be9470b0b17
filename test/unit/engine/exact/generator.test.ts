import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ExactGenerator } from '../../../../src/engine/exact/generator.ts';
import { Network } from '../../../../src/engine/exact/network.ts';
import type { Sequence } from '../../../../src/policy/batch.ts';
import type { SamplingSettings } from '../../../../src/policy/turns.ts';
import { initialParameters, parameterLayout, standardPolicy, unpackTensors } from '../../../../src/policy/weights.ts';
import { CounterRandom, ROLLOUTS, uniform } from '../../../../src/random/counter.ts';
import { logSoftmax, referenceForward } from '../../../reference/network.ts';
import { exactNetwork } from './exactNetwork.ts';

const config = { ...standardPolicy(29, 24), kvHeads: 2 };
const SEQUENCES = 16;
const flat = initialParameters(config, 4);
const PLAIN: SamplingSettings = { temperature: 1, topP: 1, topK: 0, stopTokens: [], watch: 3, seed: 5, step: 2 };
const ODD: SamplingSettings = { ...PLAIN, temperature: 0.7, topP: 0.9, topK: 9 };
const random = new CounterRandom(9, 0);
/** Prompts of different lengths, so that positions differ within a step. */
const PROMPTS = [3, 1, 7, 5, 2, 11, 4].map((length) => Array.from({ length }, () => random.integer(config.vocab)));

async function openGenerator(turnLengths?: readonly number[]) {
  const exact = await exactNetwork(config, flat, SEQUENCES);
  const length = SEQUENCES * config.context;
  const recorded = { sampled: new Float32Array(length), reference: new Float32Array(length) };
  const generator = new ExactGenerator(exact.space, exact.network, recorded, SEQUENCES, turnLengths);
  /** Generates one turn per rollout. Rollout r is written to sequence row(r). */
  const generate = (
    prompts: readonly (readonly number[])[],
    limit: number,
    settings: SamplingSettings,
    row = (rollout: number) => rollout,
    rollouts = prompts.map((_, rollout) => rollout),
  ) => {
    for (const rollout of rollouts) generator.table.set(prompts[rollout], row(rollout) * config.context);
    const continuations = rollouts.map((rollout) => {
      return { sequence: row(rollout), rollout, length: prompts[rollout].length, cached: 0, limit };
    });
    const { tokens, sampled, lengths } = generator.turn(exact.parameters, continuations, settings);
    return continuations.map(({ sequence, rollout, length }, index) => {
      const start = sequence * config.context;
      const draws = Array.from({ length: lengths[index] - length }, (_, i) => [
        ...sampled.subarray(4 * (start + length + i), 4 * (start + length + i) + 3),
      ]);
      return { rollout, tokens: [...tokens.subarray(start, start + lengths[index])], draws };
    });
  };
  return { ...exact, generator, recorded, generate };
}

describe('tokens of the exact generator', () => {
  test.each([
    ['temperature 1', PLAIN],
    ['temperature 0.7, top-p and top-k', ODD],
    ['temperature 3', { ...PLAIN, temperature: 3 }],
  ])('tokens generated with %s have exactly the log-probability and entropy of training', async (_, settings) => {
    const { generate, recorded, pieces, network, parameters, space } = await openGenerator();
    const generated = generate(PROMPTS, 9, settings);
    const sequences = generated.map(({ tokens, draws, rollout }): Sequence => {
      const weights = tokens.map((_token, at) => Number(at >= tokens.length - draws.length));
      return { tokens, weights, credits: weights, slot: rollout * config.context };
    });
    const trained: number[][] = [];
    pieces.each(sequences, ({ rows, targets, slots }) => {
      network.forward(parameters, rows, targets, { logits: true, values: false });
      for (let i = 0; i < targets; i++) {
        const [, logProb, entropy] = space.arena.f32.subarray(space.outputs / 4 + 4 * i);
        trained.push([logProb, entropy]);
        expect(recorded.sampled[slots[i]]).toBe(logProb);
      }
    });
    expect(trained).toEqual(generated.flatMap(({ draws }) => draws.map((draw) => draw.slice(0, 2))));
    expect(trained).toHaveLength(7 * 9);
  });

  test('generated tokens invert the cumulative distribution at the uniform number of their key', async () => {
    const { generate } = await openGenerator();
    const tensors = Object.fromEntries(
      Object.entries(unpackTensors(parameterLayout(config), flat)).map(([name, of]) => [name, Float64Array.from(of)]),
    );
    let compared = 0;
    for (const { rollout, tokens, draws } of generate(PROMPTS, 6, PLAIN)) {
      draws.forEach(([, , watched], i) => {
        const at = tokens.length - draws.length + i;
        const { logits } = referenceForward(config, tensors, tokens.slice(0, at));
        const p = Array.from(logSoftmax(logits[at - 1]).logProbs, Math.exp);
        expect(watched).toBeCloseTo(p[3], 6);
        const before = p.slice(0, tokens[at]).reduce((a, b) => a + b, 0);
        const u = uniform(PLAIN.seed, PLAIN.step, ROLLOUTS + rollout, at);
        expect(u).toBeGreaterThan(before - 1e-5);
        expect(u).toBeLessThan(before + p[tokens[at]] + 1e-5);
        compared++;
      });
    }
    expect(compared).toBe(7 * 6);
  });

  test('generated tokens have the same bits regardless of batch, order and sequence index', async () => {
    const { generate } = await openGenerator();
    const complete = generate(PROMPTS, 9, ODD);
    const backwards = generate(PROMPTS, 9, ODD, (rollout) => 15 - 2 * rollout, [6, 5, 4, 3, 2, 1, 0]);
    const parts = [
      ...generate(PROMPTS, 9, ODD, () => 15, [4]),
      ...generate(PROMPTS, 9, ODD, (rollout) => rollout + 9, [0, 1, 2]),
      ...generate(PROMPTS, 9, ODD, (rollout) => (rollout * 5) % 7, [3, 5, 6]),
    ];
    const byRollout = (of: typeof complete) => [...of].sort((a, b) => a.rollout - b.rollout);
    expect(byRollout(backwards)).toEqual(complete);
    expect(byRollout(parts)).toEqual(complete);
  });

  test('generated tokens have the same bits if a prompt is computed once for several rollouts', async () => {
    const { generate } = await openGenerator();
    const same = [PROMPTS[2], PROMPTS[0], PROMPTS[2], PROMPTS[2], PROMPTS[0]];
    const hot = { ...PLAIN, temperature: 3 };
    const together = generate(same, 9, hot);
    const single = [0, 1, 2, 3, 4].flatMap((rollout) => generate(same, 9, hot, () => 12, [rollout]));
    expect(together).toEqual(single);
    expect(new Set(together.map(({ tokens }) => tokens.join())).size).toBe(5);
  });

  test('a token that several rollouts share is computed once, and they have the same bits as single rollouts', async () => {
    const { generate } = await openGenerator();
    const forward = vi.spyOn(Network.prototype, 'forward');
    onTestFinished(() => forward.mockRestore());
    const rowsOf = () => forward.mock.calls.splice(0).reduce((sum, [, rows]) => sum + rows, 0);
    const same = Array.from({ length: 6 }, () => PROMPTS[2]);
    const cold = { ...PLAIN, temperature: 0.5 };
    const together = generate(same, 9, cold);
    const rows = rowsOf();
    const single = same.flatMap((_, rollout) => generate(same, 9, cold, () => 12, [rollout]));
    expect(rowsOf()).toBe(6 * (PROMPTS[2].length + 8));
    expect(together).toEqual(single);
    const prefixes = together.flatMap(({ tokens }) => tokens.slice(0, -1).map((_, i) => tokens.slice(0, i + 1).join()));
    const different = new Set(prefixes).size;
    expect(different).toBeLessThan(6 * (PROMPTS[2].length + 8));
    expect(rows).toBe(different);
  });
});

describe('a turn of the exact generator', () => {
  test('a turn that continues from the cache has the same bits as a turn that computes all tokens again', async () => {
    const { generator, parameters } = await openGenerator();
    const first = { sequence: 2, rollout: 2, length: 5, cached: 0, limit: 4 };
    generator.table.set(PROMPTS[3], 2 * config.context);
    generator.turn(parameters, [first], PLAIN);
    generator.table.set([1, 8], 2 * config.context + 9);
    const second = { sequence: 2, rollout: 2, length: 11, limit: 5 };
    const from = [...generator.table.subarray(2 * config.context, 2 * config.context + 11)];
    generator.turn(parameters, [{ ...second, cached: 8 }], PLAIN);
    const cached = [...generator.table.subarray(2 * config.context, 3 * config.context)];
    generator.table.set(from, 7 * config.context);
    generator.turn(parameters, [{ ...second, sequence: 7, cached: 0 }], PLAIN);
    expect([...generator.table.subarray(7 * config.context, 7 * config.context + 16)]).toEqual(cached.slice(0, 16));
  });

  test('a turn ends at a stop token, at its limit, or at the length that its first token determines', async () => {
    const all = Array.from({ length: config.vocab }, (_, token) => token);
    const { generate } = await openGenerator(all.map((token) => (token % 3) + 1));
    for (const { tokens, draws } of generate(PROMPTS, 9, PLAIN)) {
      expect(draws).toHaveLength((tokens[tokens.length - draws.length] % 3) + 1);
    }
    const free = await openGenerator();
    const stops = [0, 1, 2, 3];
    const ended = free.generate(PROMPTS, 9, { ...PLAIN, stopTokens: stops });
    for (const { tokens, draws } of ended) {
      const written = tokens.slice(-draws.length);
      const stop = written.findIndex((token) => stops.includes(token));
      expect(draws).toHaveLength(stop < 0 ? 9 : stop + 1);
    }
    expect(ended.some(({ draws }) => draws.length < 9)).toBe(true);
    expect(free.generate(PROMPTS, 0, PLAIN).every(({ draws }) => draws.length === 0)).toBe(true);
  });

  test('a turn with more sequences than a piece has rows is generated in parts, with the same tokens', async () => {
    const many = { ...config, context: 30 };
    const exact = await exactNetwork(many, initialParameters(many, 4), 300);
    const recorded = { sampled: new Float32Array(9000), reference: new Float32Array(9000) };
    const generator = new ExactGenerator(exact.space, exact.network, recorded, 300);
    const continuations = Array.from({ length: 300 }, (_, sequence) => {
      generator.table.set([sequence % 29, sequence % 7, 1], 30 * sequence);
      return { sequence, rollout: sequence, length: 3, cached: 0, limit: 3 };
    });
    const { tokens, lengths } = generator.turn(exact.parameters, continuations, PLAIN);
    const complete = tokens.slice();
    expect(lengths.every((length) => length === 6)).toBe(true);
    generator.turn(exact.parameters, continuations.slice(280), PLAIN);
    expect(tokens).toEqual(complete);
  });

  test.each([
    [{ length: 20, limit: 5 }, 'rollout 1: 20 tokens (0 cached) and 5 to come do not fit'],
    [{ sequence: 16 }, 'do not fit sequence 16 of 16'],
    [{ cached: 3 }, '3 tokens (3 cached)'],
  ])('a turn that does not fit into its sequence throws an error: %o', async (changes, message) => {
    const { generator, parameters } = await openGenerator();
    const continuation = { sequence: 0, rollout: 1, length: 3, cached: 0, limit: 2, ...changes };
    expect(() => generator.turn(parameters, [continuation], PLAIN)).toThrow(message);
  });

  test('a turn with temperature 0 throws an error', async () => {
    const { generate } = await openGenerator();
    expect(() => generate(PROMPTS, 1, { ...PLAIN, temperature: 0 })).toThrow('set topK to 1');
  });
});
