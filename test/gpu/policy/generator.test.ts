import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBuffer } from '../../../src/gpu/buffers.ts';
import { Generator } from '../../../src/policy/generator.ts';
import type { Continuation, SamplingSettings } from '../../../src/policy/turns.ts';
import { CONFIG, openGenerator, PLAIN, prompt, UNTOUCHED } from './generatorRun.ts';

/** Prompts of different lengths, so that positions differ within a step. */
const PROMPTS = [3, 1, 7, 5, 2, 11, 4].map((length, rollout) => prompt(length, 30 + rollout));
const ODD: SamplingSettings = { ...PLAIN, temperature: 0.7, topP: 0.9, topK: 9 };
let harness: Awaited<ReturnType<typeof openGenerator>>;

beforeAll(async () => {
  harness = await openGenerator();
});

afterAll(() => harness?.close());

describe('log-probabilities', () => {
  test.each([
    ['default sampling', PLAIN],
    ['temperature, top-p and top-k', ODD],
    ['a temperature of 3', { ...PLAIN, temperature: 3 }],
  ])('log-probabilities of samples equal those of the training forward pass: %s', async (_, settings) => {
    const generated = await harness.generate(PROMPTS, 9, settings);
    const { sampled, recorded } = {
      sampled: generated.flatMap(({ draws }) => draws),
      recorded: await recordedNumbers(),
    };
    const minibatch = generated.map(({ tokens, draws }) => {
      return { tokens, weights: tokens.map((_token, t) => (t >= tokens.length - draws.length ? 1 : 0)) };
    });
    const trained = await harness.forward(harness.pack(minibatch)[0]);
    expect(sampled.length).toBe(7 * 9);
    sampled.forEach(({ logProb, entropy }, i) => {
      expect(Math.abs(logProb - trained[i].logProb)).toBeLessThan(1e-4);
      expect(Math.abs(entropy - trained[i].entropy)).toBeLessThan(1e-4);
    });
    // The objective reads them as old log-probabilities and, until the reference pass, as those of the reference
    // policy.
    const slots = generated.flatMap(({ rollout, tokens, draws }) => {
      return draws.map((_draw, i) => harness.at(rollout, tokens.length - draws.length + i));
    });
    slots.forEach((slot, i) => {
      expect([...recorded.subarray(4 * slot, 4 * slot + 4)]).toEqual([sampled[i].logProb, sampled[i].logProb, 0, 0]);
    });
  });

  test('the probability of the watched token is stored for every draw', async () => {
    for (const { tokens, draws } of await harness.generate(PROMPTS, 2, { ...ODD, watch: 17 })) {
      draws.forEach(({ watched, logProb, token }, i) => {
        const exact = harness.next(tokens.slice(0, tokens.length - draws.length + i));
        expect(watched).toBeCloseTo(Math.exp(exact[17]), 5);
        expect(logProb).toBeCloseTo(exact[token], 4);
      });
    }
  });
});

async function recordedNumbers() {
  const { recorded } = harness.policy.workspace;
  return new Float32Array(await readBuffer(harness.gpu.device, recorded, recorded.size / 4));
}

describe('the same seed', () => {
  test('the same seed generates the same tokens and bits in any batch', async () => {
    const complete = await harness.generate(PROMPTS, 9, ODD);
    const backwards = await harness.generate(PROMPTS, 9, ODD, (rollout) => 40 - 3 * rollout, [6, 5, 4, 3, 2, 1, 0]);
    const parts = [
      ...(await harness.generate(PROMPTS, 9, ODD, () => 63, [4])),
      ...(await harness.generate(PROMPTS, 9, ODD, (rollout) => rollout + 20, [0, 1, 2])),
      ...(await harness.generate(PROMPTS, 9, ODD, (rollout) => (rollout * 5) % 7, [3, 5, 6])),
    ];
    const byRollout = (of: typeof complete) => [...of].sort((a, b) => a.rollout - b.rollout);
    expect(byRollout(backwards)).toEqual(complete);
    expect(byRollout(parts)).toEqual(complete);
  });

  test('a prompt computed once for all its rollouts yields the same bits as one computed per rollout', async () => {
    const same = [PROMPTS[2], PROMPTS[0], PROMPTS[2], PROMPTS[2], PROMPTS[0]];
    const together = await harness.generate(same, 9, ODD);
    const separate = [];
    for (const rollout of same.keys()) separate.push(...(await harness.generate(same, 9, ODD, () => 50, [rollout])));
    expect(together).toEqual(separate);
  });

  test('a different seed, step or rollout generates different tokens', async () => {
    const same = Array.from({ length: 4 }, () => PROMPTS[2]);
    const texts = (of: Awaited<ReturnType<typeof harness.generate>>) => of.map(({ tokens }) => tokens.join());
    const first = texts(await harness.generate(same, 9, PLAIN));
    const seed = texts(await harness.generate(same, 9, { ...PLAIN, seed: 6 }));
    const step = texts(await harness.generate(same, 9, { ...PLAIN, step: 3 }));
    expect(new Set([...first, ...seed, ...step]).size).toBe(12);
  });
});

describe('a second turn', () => {
  const inserted = [[4, 9], [1], [2, 2, 8], [11], [3], [0, 1], [5, 6]];

  /**
   * Generates two turns with tokens of the environment between them.
   * @param cached returns the number of cached positions that the second turn may use, of the `known` ones
   */
  async function twoTurns(cached: (known: number) => number) {
    // Other keys and values fill the cache, so that no entry of an earlier run can be used.
    await harness.generate(
      PROMPTS.map((_, rollout) => prompt(CONFIG.context - 1, 60 + rollout)),
      1,
      PLAIN,
    );
    const first = await harness.generate(PROMPTS, 4, ODD);
    const continuations = first.map(({ tokens, rollout }): Continuation => {
      harness.generator.table.set(inserted[rollout], harness.at(rollout, tokens.length));
      const length = tokens.length + inserted[rollout].length;
      return { sequence: rollout, rollout, length, cached: cached(tokens.length), limit: 1 + (rollout % 5) };
    });
    const { tokens, sampled, lengths } = await harness.generator.turn(harness.recorder, continuations, ODD);
    return continuations.map(({ sequence, length }, index) => ({
      tokens: [...tokens.subarray(harness.at(sequence, 0), harness.at(sequence, lengths[index]))],
      sampled: [...sampled.subarray(4 * harness.at(sequence, length), 4 * harness.at(sequence, lengths[index]))],
    }));
  }

  test('a second turn from the cache equals a full computation, bit for bit', async () => {
    const again = await twoTurns(() => 0);
    expect(await twoTurns((known) => known - 1)).toEqual(again);
    expect(again.map(({ tokens }) => tokens.length)).toEqual(
      PROMPTS.map(({ length }, rollout) => length + 4 + inserted[rollout].length + 1 + (rollout % 5)),
    );
    for (const { tokens, sampled } of again) expect(sampled.at(-4)).toBeCloseTo(lastLogProb(tokens), 4);
  });

  const lastLogProb = (tokens: readonly number[]) => harness.next(tokens.slice(0, -1))[tokens.at(-1) as number];
});

describe('a turn ends', () => {
  const row = (sequence: number) => [
    ...harness.generator.table.subarray(harness.at(sequence, 0), harness.at(sequence + 1, 0)),
  ];

  test('a turn ends at a stop token, and nothing is written after it', async () => {
    const free = await harness.generate(PROMPTS, 12, PLAIN);
    const stopTokens = [...new Set(free.map(({ draws }) => draws[5].token))].slice(0, 4);
    const stopped = await harness.generate(PROMPTS, 12, { ...PLAIN, stopTokens });
    const early = stopped.filter(({ draws }) => draws.length < 12);
    expect(early.length).toBeGreaterThan(2);
    stopped.forEach(({ rollout, tokens, draws }, index) => {
      const end = free[index].draws.findIndex(({ token }) => stopTokens.includes(token));
      expect(draws).toEqual(free[index].draws.slice(0, end < 0 ? 12 : end + 1));
      expect(row(rollout).slice(tokens.length)).toEqual(Array(CONFIG.context - tokens.length).fill(UNTOUCHED));
    });
  });

  test('a turn ends at its own limit, from 0 tokens to the end of the context', async () => {
    const limits = [3, CONFIG.context - 1, 0, 1, 0, CONFIG.context - 11, 2];
    const free = await harness.generate(PROMPTS, 12, PLAIN);
    harness.write(new Map(PROMPTS.map((tokens, sequence) => [sequence, tokens])));
    const continuations = PROMPTS.map(({ length }, sequence): Continuation => {
      return { sequence, rollout: sequence, length, cached: 0, limit: limits[sequence] };
    });
    const { lengths } = await harness.generator.turn(harness.recorder, continuations, PLAIN);
    expect(lengths).toEqual(PROMPTS.map(({ length }, sequence) => length + limits[sequence]));
    PROMPTS.forEach((tokens, sequence) => {
      const actual = row(sequence);
      const written = Math.min(12, limits[sequence]);
      const expected = free[sequence].tokens.slice(0, tokens.length + written);
      expect(actual.slice(0, tokens.length + written), `rollout ${sequence}`).toEqual(expected);
      expect(actual.slice(lengths[sequence])).toEqual(Array(CONFIG.context - lengths[sequence]).fill(UNTOUCHED));
    });
  });

  test('a turn with a limit of 0 and a turn without sequences end at once', async () => {
    harness.write(new Map([[2, [1, 2, 3]]]));
    const idle: Continuation = { sequence: 2, rollout: 2, length: 3, cached: 0, limit: 0 };
    expect((await harness.generator.turn(harness.recorder, [idle], PLAIN)).lengths).toEqual([3]);
    expect((await harness.generator.turn(harness.recorder, [], PLAIN)).lengths).toEqual([]);
    expect(row(2).slice(3, 5)).toEqual([UNTOUCHED, UNTOUCHED]);
  });
});

describe('a turn', () => {
  test('a turn is one submission', async () => {
    const before = harness.recorder.counts.submissions;
    await harness.generate(PROMPTS, 12, ODD);
    expect(harness.recorder.counts.submissions - before).toBe(1);
  });

  test.each([
    ['a turn beyond the context', { length: 20, limit: 5 }],
    ['a prompt that is cached completely', { length: 20, cached: 20 }],
    ['a sequence index above the capacity', { sequence: 64 }],
  ])('%s is rejected with the name of the rollout, and nothing is submitted', async (_, fields) => {
    const fine: Continuation = { sequence: 1, rollout: 101, length: 5, cached: 0, limit: 2 };
    const before = { ...harness.recorder.counts };
    const wrong = harness.generator.turn(harness.recorder, [fine, { ...fine, rollout: 102, ...fields }], PLAIN);
    await expect(wrong).rejects.toThrow(/rollout 102.*context of 24/);
    expect(harness.recorder.counts).toEqual(before);
  });

  test.each([
    ['five stop tokens', { stopTokens: [1, 2, 3, 4, 5] }, /stopTokens/],
    ['a temperature of 0', { temperature: 0 }, /temperature/],
  ])('a turn with %s is rejected', async (_, fields, message) => {
    const fine: Continuation = { sequence: 1, rollout: 1, length: 5, cached: 0, limit: 2 };
    await expect(harness.generator.turn(harness.recorder, [fine], { ...PLAIN, ...fields })).rejects.toThrow(message);
  });
});

test('a turn ends after the length that its first token sets, at a stop token, or at the limit', async () => {
  const turnLengths = Array.from({ length: CONFIG.vocab }, (_, token) => 1 + (token % 4));
  const generator = new Generator(harness.policy, turnLengths);
  const settings = { ...PLAIN, stopTokens: [3, 4, 5, 6], seed: 9 };
  const play = async (limit: number) => {
    const prompts = Array.from({ length: 40 }, (_, rollout) => prompt(2, rollout));
    prompts.forEach((tokens, rollout) => {
      generator.table.set(tokens, harness.at(rollout, 0));
    });
    const continuations = prompts.map((_, rollout): Continuation => {
      return { sequence: rollout, rollout, length: 2, cached: 0, limit };
    });
    const { tokens, lengths } = await generator.turn(harness.recorder, continuations, settings);
    return lengths.map((length, rollout) => [...tokens.subarray(harness.at(rollout, 2), harness.at(rollout, length))]);
  };
  const [long, short] = [await play(6), await play(2)];
  const lengthOf = (turn: readonly number[]) => {
    const stop = turn.findIndex((token) => settings.stopTokens.includes(token));
    return Math.min(turnLengths[turn[0]], stop < 0 ? Infinity : stop + 1);
  };
  expect(new Set(long.map(({ length }) => length)).size).toBe(4);
  long.forEach((turn, rollout) => {
    expect(turn.length).toBe(lengthOf(turn));
    expect(short[rollout]).toEqual(turn.slice(0, 2));
  });
  // The next turn continues after this turn; the cache contains all its tokens except the last.
  const resumed = long.map((turn, rollout): Continuation => {
    return { sequence: rollout, rollout, length: 2 + turn.length, cached: 1 + turn.length, limit: 3 };
  });
  long.forEach((turn, rollout) => {
    generator.table.set([...prompt(2, rollout), ...turn], harness.at(rollout, 0));
  });
  await play(6);
  const next = await generator.turn(harness.recorder, resumed, settings);
  const draw = next.sampled[4 * harness.at(0, 2 + long[0].length)];
  const exact = harness.next([...prompt(2, 0), ...long[0]]);
  expect(draw).toBeCloseTo(exact[next.tokens[harness.at(0, 2 + long[0].length)]], 4);
});
