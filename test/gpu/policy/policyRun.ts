import { readBuffer } from '../../../src/gpu/buffers.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import { Objective, REPORT_LINE_SIZE, reportLine } from '../../../src/objective/objective.ts';
import { type ObjectiveWeights, tokenLoss } from '../../../src/objective/surrogate.ts';
import type { Sequence } from '../../../src/policy/batch.ts';
import type { AdamWStep } from '../../../src/policy/optimizer.ts';
import { Policy } from '../../../src/policy/policy.ts';
import { initialParameters, type PolicyConfiguration, parameterLayout } from '../../../src/policy/weights.ts';
import { CounterRandom } from '../../../src/random/counter.ts';
import { type ReferenceTensors, referenceTokens } from '../../reference/network.ts';
import { testGpu } from '../gpu.ts';

/** Creates a generator of random numbers for tests, on a stream that the project does not use. */
export const testRandom = (seed: number) => new CounterRandom(seed, 1000);

/**
 * Creates parameters without special values: norms and smear differ by dimension, and the value head is not near 0. An
 * error in a kernel therefore changes its result.
 */
export function testParameters(config: PolicyConfiguration, seed: number): Float32Array {
  const random = testRandom(seed);
  const flat = initialParameters(config, seed);
  for (const { name, shape, offset, size } of parameterLayout(config).tensors) {
    for (let i = offset; i < offset + size; i++) {
      if (shape.length === 1) flat[i] += 0.3 * random.normal();
      if (name === 'valueHead') flat[i] *= 100;
    }
  }
  return flat;
}

/** Returns the same parameters as float64 tensors of the reference. */
export function referenceOf(config: PolicyConfiguration, flat: Float32Array): ReferenceTensors {
  const { tensors } = parameterLayout(config);
  return Object.fromEntries(
    tensors.map(({ name, offset, size }) => [name, Float64Array.from(flat.subarray(offset, offset + size))]),
  );
}

/** A sequence for an update. Each array has one entry per token; entry 0 is never a target. */
export interface Lesson {
  readonly tokens: readonly number[];
  readonly weights: readonly number[];
  readonly advantages: readonly number[];
  /** Log-probability when sampled, reference log-probability, value when sampled, return. */
  readonly recorded: readonly (readonly [number, number, number, number])[];
  /** Numbers of shared ratios: neighbours with the same number share a ratio. Undefined if each token has its own. */
  readonly shares?: readonly number[] | undefined;
}

/** Creates lessons of the given lengths. Two thirds of the tokens are targets; ratios are on both sides of the clip. */
export function lessons(config: PolicyConfiguration, parameters: Float32Array, lengths: readonly number[]): Lesson[] {
  const random = testRandom(lengths.length);
  const drafts = lengths.map((length) => {
    const tokens = Array.from({ length }, () => random.integer(config.vocab));
    return { tokens, mask: tokens.map((_, t) => t > 0 && (random.next() < 2 / 3 || t === length - 1)) };
  });
  const targets = drafts.flatMap(({ mask }) => mask).filter(Boolean).length;
  return drafts.map(({ tokens, mask }) => {
    const outputs = referenceTokens(config, referenceOf(config, parameters), tokens);
    return {
      tokens,
      weights: mask.map((masked) => (masked ? (0.5 + random.next()) / targets : 0)),
      advantages: tokens.map(() => random.normal()),
      recorded: tokens.map((_, t) => {
        const { logProb, value } = outputs[t - 1] ?? { logProb: 0, value: 0 };
        const near = (centre: number) => Math.fround(centre + 0.4 * random.normal());
        return [near(logProb), near(logProb), near(value), near(value)] as const;
      }),
    };
  });
}

/** Computes the loss of lessons in float64. */
export function referenceLoss(
  config: PolicyConfiguration,
  tensors: ReferenceTensors,
  all: readonly Lesson[],
  settings: ObjectiveWeights,
): number {
  let sum = 0;
  for (const { tokens, weights, advantages, recorded } of all) {
    referenceTokens(config, tensors, tokens).forEach(({ logProb, entropy, value }, index) => {
      const t = index + 1;
      const [oldLogProb, referenceLogProb, oldValue, reward] = recorded[t];
      const critic = { value, oldValue, return: reward };
      const token = { logProb, oldLogProb, referenceLogProb, advantage: advantages[t], entropy, critic };
      sum += weights[t] * tokenLoss(token, settings).loss;
    });
  }
  return sum;
}

/** Opens a policy on the GPU and the other objects that an update needs. */
export async function openRun(
  config: PolicyConfiguration,
  sequences: number,
  uploadedRows = sequences * config.context,
) {
  const gpu = await testGpu();
  const policy = await Policy.create(gpu, config, { sequences, minibatches: 4, uploadedRows });
  const recorder = new Recorder(gpu.device, 4096);
  const objective = await Objective.create(gpu);
  const report = policy.buffers.storage('report', REPORT_LINE_SIZE);
  const advantage = policy.buffers.storage('advantage', sequences * config.context);
  const { workspace, optimizer, layout } = policy;
  const floats = async (buffer: GPUBuffer, count: number) =>
    new Float32Array(await readBuffer(gpu.device, buffer, count));

  /** Packs sequences with their own weights as minibatches of one upload. */
  const pack = (...minibatches: readonly (readonly Omit<Sequence, 'slot' | 'credits'>[])[]) => {
    workspace.packer.clear();
    const packed = minibatches.map((sequences) => {
      return workspace.packer.add(
        sequences.map((sequence, index) => {
          const slot = index * config.context;
          return { ...sequence, slot, credits: Array.from(sequence.tokens, (_, t) => slot + t) };
        }),
      );
    });
    workspace.uploadBatch();
    return packed;
  };

  /** Runs the training forward pass and returns log-probability, entropy and value of each target, in order. */
  const forward = async (minibatch: ReturnType<typeof pack>[number]) => {
    policy.recordForward(recorder, minibatch);
    recorder.submit();
    const flat = await floats(workspace.distribution, 4 * minibatch.targets);
    return Array.from({ length: minibatch.targets }, (_, i) => {
      const [, logProb, entropy, value] = flat.subarray(4 * i, 4 * i + 4);
      return { logProb, entropy, value };
    });
  };

  /** Runs one complete update on the lessons. */
  const update = async (all: readonly Lesson[], settings: ObjectiveWeights, adamw: AdamWStep, shared = false) => {
    // The second minibatch of its upload, because most minibatches are not the first.
    const reversed = { tokens: all[0].tokens.toReversed(), weights: all[0].tokens.map(() => 1) };
    const [, minibatch] = pack([reversed], all);
    all.forEach(({ recorded, advantages }, index) => {
      const slot = index * config.context;
      gpu.device.queue.writeBuffer(workspace.recorded, 16 * slot, Float32Array.from(recorded.flat()));
      gpu.device.queue.writeBuffer(advantage, 4 * slot, Float32Array.from(advantages));
    });
    const buffers = { ...workspace.batch, ...workspace };
    policy.recordForward(recorder, minibatch);
    const { targetBase, countIndex, targets } = minibatch;
    const extent = { targetBase, countIndex: countIndex + 1, limit: targets };
    objective.recordSurrogate(recorder, { buffers, advantage, extent, weights: settings, shared }, { report, line: 0 });
    policy.backward.record(recorder, policy.parameters, minibatch);
    optimizer.record(recorder, policy.parameters, adamw, report, 0);
    recorder.submit();
    const gradient = await floats(optimizer.gradient, layout.size);
    const health = new Uint32Array(await readBuffer(gpu.device, optimizer.health, 1))[0];
    return { gradient, health, line: reportLine(await floats(report, REPORT_LINE_SIZE), 0) };
  };

  const close = () => {
    policy.destroy();
    recorder.destroy();
  };
  return { gpu, policy, recorder, pack, forward, update, floats, close };
}
