import { expect } from 'vitest';
import { nodeShaderLibrary, openNodeGpu } from '../../../src/cli/framework/node.ts';
import { readBuffer } from '../../../src/gpu/buffers.ts';
import type { Gpu } from '../../../src/gpu/device.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import type { ShaderLibrary } from '../../../src/gpu/shaderLibrary.ts';
import type { RowSource } from '../../../src/policy/forward.ts';
import { Policy } from '../../../src/policy/policy.ts';
import { logitStride, type PolicyConfiguration } from '../../../src/policy/policyConfiguration.ts';
import { testParameters, testRandom } from './policyRun.ts';
import { SHAPES } from './policyShapes.ts';

/** Shapes that compile fast enough for the gate. */
const FAST = ['heads of 4, 3 layers, smear, value', 'heads of 8, 1 layer, smear'];
export const GATE_SHAPES = Object.entries(SHAPES).filter(([name]) => FAST.includes(name));
export const LONG_SHAPES = Object.entries(SHAPES).filter(([name]) => !FAST.includes(name));

/** More rows than a workgroup has, and an edge that fills none. */
const ROWS = 45;
const SEQUENCES = 64;

export async function withGpu<T>(shaders: ShaderLibrary, use: (gpu: Gpu) => Promise<T>): Promise<T> {
  const gpu = await openNodeGpu(shaders);
  const result = await use(gpu);
  expect(gpu.takeError()).toBeUndefined();
  gpu.device.destroy();
  return result;
}

export function openPolicy(gpu: Gpu, config: PolicyConfiguration): Promise<Policy> {
  return Policy.create(gpu, config, { sequences: SEQUENCES, minibatches: 2 });
}

/** True if the device uses decoders: a software renderer with subgroups. */
const decodes = (gpu: Gpu) => gpu.software && gpu.subgroups;

/** Some sequences with random tokens, keys and values before their newest row; each way starts from the same. */
async function openRows(policy: Policy) {
  const { gpu, config, workspace, buffers } = policy;
  const { queue } = gpu.device;
  const random = testRandom(3);
  const recorder = new Recorder(gpu.device, 100);
  policy.start(testParameters(config, 5));
  const rows = buffers.storage('test rows', 4 * ROWS);
  const counts = buffers.storage('test counts', 1);
  const sequences = Array.from({ length: SEQUENCES }, (_, sequence) => sequence).sort(() => random.integer(3) - 1);
  const description = (sequence: number) => {
    const position = random.integer(Math.min(9, config.context));
    const previous = position === 0 ? 0xffffffff : random.integer(config.vocab);
    return [random.integer(config.vocab), previous, position, sequence * config.context];
  };
  queue.writeBuffer(rows, 0, Uint32Array.from(sequences.slice(0, ROWS).flatMap(description)));
  queue.writeBuffer(counts, 0, Uint32Array.of(ROWS));
  const caches = workspace.layers.flatMap(({ keys, values }) => [keys, values]);
  const before = caches.map(({ size }) => Float32Array.from({ length: size / 4 }, () => random.normal()));
  const source: RowSource = { rows, rowBase: 0, counts, countIndex: 0, most: ROWS };
  /** Logits, keys and values after the rows have been computed in one way. */
  const outcomeOf = async (encode: (source: RowSource) => void) => {
    caches.forEach((cache, index) => {
      queue.writeBuffer(cache, 0, before[index]);
    });
    recorder.clear(workspace.logits);
    encode(source);
    recorder.submit();
    const read = async (buffer: GPUBuffer, words: number) =>
      new Float32Array(await readBuffer(gpu.device, buffer, words));
    const logits = await read(workspace.logits, ROWS * logitStride(config));
    return { logits, caches: await Promise.all(caches.map((cache) => read(cache, cache.size / 4))) };
  };
  return { recorder, outcomeOf };
}

/** Compares the logits and the cache of the decoder with those of the plain inference. */
export async function expectSameAsInference(config: PolicyConfiguration): Promise<void> {
  await withGpu(nodeShaderLibrary(), async (gpu) => {
    const policy = await openPolicy(gpu, config);
    const { recorder, outcomeOf } = await openRows(policy);
    const { inference, parameters, decoder } = policy;
    const infer = (source: RowSource) => inference.record(recorder, parameters, source, { ...source, targetBase: 0 });
    const plain = await outcomeOf(infer);
    expect(new Set(plain.logits).size).toBeGreaterThan(ROWS * (config.vocab - 1));
    expect(decoder !== undefined).toBe(decodes(gpu));
    // Workgroups that touched each other's rows would not do so every time.
    for (let i = 0; decoder && i < 4; i++) {
      expect(await outcomeOf((source) => decoder.record(recorder, parameters, source))).toEqual(plain);
    }
  });
}
