import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { readBuffer } from '../../../src/gpu/buffers.ts';
import { KernelCache } from '../../../src/gpu/kernel.ts';
import type { SamplingSettings } from '../../../src/policy/turns.ts';
import { logitStride } from '../../../src/policy/weights.ts';
import { pcg4d, ROLLOUTS, uniform } from '../../../src/random/counter.ts';
import { CONFIG, drawn, openGenerator, PLAIN, prompt, SEQUENCES, surprise } from './generatorRun.ts';

const { vocab } = CONFIG;
let harness: Awaited<ReturnType<typeof openGenerator>>;

beforeAll(async () => {
  harness = await openGenerator();
});

afterAll(() => harness?.close());

/** Counts the first tokens of many rollouts of one prompt over `steps` steps of the run. */
async function draw(tokens: readonly number[], settings: SamplingSettings, steps: number) {
  const counts = Array<number>(vocab).fill(0);
  for (let step = 0; step < steps; step++) {
    const prompts = Array.from({ length: SEQUENCES }, () => tokens);
    for (const { draws } of await harness.generate(prompts, 1, { ...settings, step })) counts[draws[0].token]++;
  }
  return counts;
}

describe('draws', () => {
  const tokens = prompt(6, 77);
  const hot = { ...PLAIN, temperature: 2.5 };

  test.each([
    ['default settings', { ...PLAIN }],
    ['a temperature above 1', hot],
    ['a temperature below 1', { ...PLAIN, temperature: 0.6 }],
    ['top-k 3', { ...hot, topK: 3 }],
    ['top-p 0.6', { ...hot, topP: 0.6 }],
    ['top-k 10 and top-p 0.7', { ...hot, topK: 10, topP: 0.7 }],
    ['top-k and top-p without effect', { ...hot, topK: vocab, topP: 1 }],
  ])('draws have the frequencies of the exact distribution: %s', async (_, settings) => {
    const exact = drawn(harness.next(tokens), settings);
    const counts = await draw(tokens, settings, 8);
    expect(counts.reduce((a, b) => a + b, 0)).toBe(8 * SEQUENCES);
    expect(surprise(counts, exact)).toBeLessThan(4);
    // Each token that is expected more than ten times was drawn.
    exact.forEach((p, token) => {
      if (p * 8 * SEQUENCES > 10) expect(counts[token]).toBeGreaterThan(0);
    });
    expect(
      surprise(counts, drawn(harness.next(tokens), { ...settings, temperature: settings.temperature * 2 })),
    ).toBeGreaterThan(4);
  });

  test('top-k 1 and a tiny top-p draw only the most probable token', async () => {
    for (const greedy of [{ topK: 1 }, { topP: 1e-6 }]) {
      const prompts = [3, 1, 8, 5].map((length) => prompt(length, length));
      for (const { tokens: all, draws } of await harness.generate(prompts, 6, { ...hot, ...greedy })) {
        for (let t = all.length - draws.length; t < all.length; t++) {
          const logProbs = harness.next(all.slice(0, t));
          expect(logProbs[all[t]]).toBeGreaterThan(Math.max(...logProbs) - 1e-4);
        }
      }
    }
  });
});

describe('the counter-based generator', () => {
  test('each token is the quantile at the uniform number of (seed, step, rollout, position)', async () => {
    const stride = logitStride(CONFIG);
    const prompts = Array.from({ length: SEQUENCES }, (_, rollout) => prompt(1 + (rollout % 7), rollout));
    for (const settings of [PLAIN, { ...PLAIN, temperature: 2.5, seed: 0xfedcba98, step: 123456 }]) {
      const generated = await harness.generate(prompts, 1, settings);
      const { device } = harness.gpu;
      const logits = new Float32Array(await readBuffer(device, harness.policy.workspace.logits, SEQUENCES * stride));
      for (const { rollout, draws } of generated) {
        const row = Array.from(logits.subarray(rollout * stride, rollout * stride + vocab));
        const weights = row.map((logit) => Math.exp(logit / settings.temperature));
        const sum = (end: number) =>
          weights.slice(0, end).reduce((a, b) => a + b, 0) / weights.reduce((a, b) => a + b, 0);
        const random = uniform(settings.seed, settings.step, ROLLOUTS + rollout, prompts[rollout].length);
        const { token } = draws[0];
        expect(random, `rollout ${rollout}`).toBeGreaterThan(sum(token) - 1e-6);
        expect(random, `rollout ${rollout}`).toBeLessThan(sum(token + 1) + 1e-6);
      }
    }
  });

  test('the counter-based generator has the same bits on the GPU as on the CPU', async () => {
    const keys = Array.from({ length: 64 }, (_, i) => {
      return i < 4 ? [0, 0, 0, 0].fill(2 ** 32 - 1, 0, i) : pcg4d(i, 2 * i, 3, 4);
    });
    const { device } = harness.gpu;
    const kernel = await new KernelCache(device, () => hashShader()).get('hash' as string);
    const [from, to] = ['keys', 'hashes'].map((label) => harness.policy.buffers.storage(label, 4 * keys.length));
    device.queue.writeBuffer(from, 0, Uint32Array.from(keys.flat()));
    harness.recorder.dispatch(kernel, { keys: from, hashes: to }, {}, [1]);
    harness.recorder.submit();
    const hashes = [...new Uint32Array(await readBuffer(device, to, 4 * keys.length))];
    expect(hashes).toEqual(keys.flatMap(([a, b, c, d]) => pcg4d(a, b, c, d)));
  });
});

/** Returns a kernel that stores the results of the hash of policy/sample. */
function hashShader(): string {
  const hash = /fn pcg4d[\s\S]*?\n}\n/.exec(nodeShaderLibrary()('policy/sample'))?.[0];
  return `
    @group(0) @binding(0) var<storage, read> keys: array<vec4u>;
    @group(0) @binding(1) var<storage, read_write> hashes: array<vec4u>;
    ${hash}
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3u) { hashes[id.x] = pcg4d(keys[id.x]); }
  `;
}
