import { describe, expect, test } from 'vitest';
import { readBuffer } from '../../../src/gpu/buffers.ts';
import type { Gpu } from '../../../src/gpu/device.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import { Objective, REPORT_LINE_SIZE, reportLine } from '../../../src/objective/objective.ts';
import type { Sequence } from '../../../src/policy/batch.ts';
import { Policy } from '../../../src/policy/policy.ts';
import { type PolicyConfiguration, packTensors, parameterLayout, unpackTensors } from '../../../src/policy/weights.ts';
import { vectorFile } from '../../vectorFile.ts';
import { testGpu } from '../gpu.ts';

type Nested = number | readonly Nested[];
type Table = readonly (readonly number[])[];

interface Step {
  readonly loss: number;
  readonly gradNorm: number;
  readonly gradients: Record<string, Nested>;
  readonly adamw: {
    readonly learningRate: number;
    readonly beta1: number;
    readonly beta2: number;
    readonly epsilon: number;
    readonly weightDecay: number;
    readonly clipNorm: number;
    readonly after: Record<string, Nested>;
  };
}

interface PolicyVectors {
  readonly config: Omit<PolicyConfiguration, 'valueHead'>;
  readonly parameters: Record<string, Nested>;
  readonly tokens: Table;
  readonly mask: Table;
  readonly advantages: Table;
  readonly returns: Table;
  readonly oldLogProbs: Table;
  readonly referenceLogProbs: Table;
  readonly oldValues: Table;
  readonly objective: Record<'clipLow' | 'clipHigh' | 'klCoef' | 'entropyCoef' | 'valueCoef' | 'valueClip', number>;
  readonly expected: {
    readonly logits: readonly Table[];
    readonly logProbs: Table;
    readonly entropy: Table;
    readonly values: Table;
    readonly clipFraction: number;
    readonly kl: number;
    readonly byAggregation: Record<'token-mean' | 'sequence-mean', Step>;
  };
}

const flatten = (value: Nested): number[] => (typeof value === 'number' ? [value] : value.flatMap(flatten));
const toTensors = (tensors: Record<string, Nested>) =>
  Object.fromEntries(Object.entries(tensors).map(([name, value]) => [name, Float32Array.from(flatten(value))]));
const largestGap = (actual: ArrayLike<number>, expected: ArrayLike<number>) =>
  Array.from(expected, (value, index) => Math.abs(value - actual[index])).reduce((a, b) => Math.max(a, b), 0);

/** Kernels to test: those for devices without subgroups, and those for the GPU of this machine. */
const KERNELS = {
  'plain kernels': (gpu: Gpu): Gpu => ({ ...gpu, subgroups: false }),
  'kernels of this device': (gpu: Gpu): Gpu => gpu,
};

/** Builds the policy of a vector file and runs one update; every token is a separate turn. */
async function run(vectors: PolicyVectors, aggregation: 'token-mean' | 'sequence-mean', kernels: keyof typeof KERNELS) {
  const gpu = KERNELS[kernels](await testGpu());
  const config: PolicyConfiguration = { ...vectors.config, valueHead: 'valueHead' in vectors.parameters };
  const count = vectors.tokens.length;
  const context = config.context;
  const policy = await Policy.create(gpu, config, {
    sequences: count,
    minibatches: 2,
    uploadedRows: 2 * count * context,
  });
  policy.start(packTensors(parameterLayout(config), toTensors(vectors.parameters)));
  const { workspace } = policy;
  const maskedTokens = flatten(vectors.mask).reduce((a, b) => a + b, 0);
  const turns = vectors.tokens.map((row, index) => row.map((_, token) => index * context + token));
  const sequence = (weight: (row: number, token: number) => number) =>
    vectors.tokens.map((tokens, row): Sequence => {
      return {
        tokens,
        weights: tokens.map((_, token) => weight(row, token)),
        credits: turns[row],
        slot: row * context,
      };
    });
  const all = workspace.packer.add(sequence((_, token) => (token > 0 ? 1 : 0)));
  const masked = workspace.packer.add(
    sequence((row, token) => {
      const mask = vectors.mask[row][token];
      const tokens = vectors.mask[row].reduce((a, b) => a + b, 0);
      return aggregation === 'token-mean' ? mask / maskedTokens : mask / tokens / count;
    }),
  );
  workspace.uploadBatch();
  const recorded = vectors.tokens.flatMap((tokens, row) =>
    tokens.flatMap((_, token) => [
      vectors.oldLogProbs[row][token],
      vectors.referenceLogProbs[row][token],
      vectors.oldValues[row][token],
      vectors.returns[row][token],
    ]),
  );
  gpu.device.queue.writeBuffer(workspace.recorded, 0, Float32Array.from(recorded));
  const advantage = policy.buffers.storage('advantage', count * context);
  gpu.device.queue.writeBuffer(advantage, 0, Float32Array.from(flatten(vectors.advantages)));
  const report = policy.buffers.storage('report', REPORT_LINE_SIZE);
  const recorder = new Recorder(gpu.device, 256);
  const objective = await Objective.create(gpu);

  policy.recordForward(recorder, all);
  recorder.submit();
  const distribution = new Float32Array(await readBuffer(gpu.device, workspace.distribution, 4 * all.targets));
  const logits = new Float32Array(
    await readBuffer(gpu.device, workspace.logits, all.targets * (Math.ceil(config.vocab / 8) * 8)),
  );

  policy.recordForward(recorder, masked);
  const buffers = { ...workspace.batch, ...workspace };
  const extent = { targetBase: masked.targetBase, countIndex: masked.countIndex + 1, limit: masked.targets };
  objective.recordSurrogate(recorder, { buffers, advantage, extent, weights: vectors.objective }, { report, line: 0 });
  policy.backward.record(recorder, policy.parameters, masked);
  const { adamw } = vectors.expected.byAggregation[aggregation];
  policy.optimizer.record(recorder, policy.parameters, adamw, report, 0);
  const submissions = recorder.counts.submissions;
  recorder.submit();
  const gradient = new Float32Array(await readBuffer(gpu.device, policy.optimizer.gradient, policy.layout.size));
  const line = reportLine(new Float32Array(await readBuffer(gpu.device, report, REPORT_LINE_SIZE)), 0);
  const after = unpackTensors(policy.layout, (await policy.readState()).parameters);
  const result = { distribution, logits, line, after, gradient: unpackTensors(policy.layout, gradient) };
  policy.destroy();
  recorder.destroy();
  return { ...result, updateSubmissions: recorder.counts.submissions - submissions };
}

const kinds = Object.keys(KERNELS) as (keyof typeof KERNELS)[];

describe.each(['policy.json', 'policy-plain.json'].flatMap((file) => kinds.map((kernels) => [file, kernels] as const)))(
  '%s, %s',
  (file, kernels) => {
    const vectors = vectorFile(file) as PolicyVectors;
    const { expected } = vectors;
    const inner = (table: Table) => table.flatMap((row) => row.slice(1));

    test('logits, log-probabilities, entropy and values agree to 1e-4', async () => {
      const { distribution, logits } = await run(vectors, 'token-mean', kernels);
      const column = (index: number) =>
        Array.from({ length: distribution.length / 4 }, (_, i) => distribution[4 * i + index]);
      expect(largestGap(column(1), inner(expected.logProbs))).toBeLessThan(1e-4);
      expect(largestGap(column(2), inner(expected.entropy))).toBeLessThan(1e-4);
      expect(largestGap(column(3), inner(expected.values))).toBeLessThan(1e-4);
      const vocab = vectors.config.vocab;
      const stride = Math.ceil(vocab / 8) * 8;
      const expectedLogits = expected.logits.flatMap((rows) => rows.slice(0, -1));
      expectedLogits.forEach((row, index) => {
        expect(largestGap(logits.subarray(index * stride, index * stride + vocab), row)).toBeLessThan(1e-4);
      });
    });

    test.each(['token-mean', 'sequence-mean'] as const)(
      'loss, gradients and one AdamW step agree with the vectors: %s',
      async (aggregation) => {
        const step = expected.byAggregation[aggregation];
        const { line, gradient, after, updateSubmissions } = await run(vectors, aggregation, kernels);
        expect(line.loss).toBeCloseTo(step.loss, 4);
        expect(Math.abs(line.gradientNorm / step.gradNorm - 1)).toBeLessThan(1e-4);
        expect((line.clipLow + line.clipHigh) / line.targets).toBeCloseTo(expected.clipFraction, 6);
        expect(line.klReferenceK3 / line.targets).toBeCloseTo(expected.kl, 4);
        expect(updateSubmissions).toBe(1);
        for (const [name, value] of Object.entries(step.gradients)) {
          const exact = flatten(value);
          const largest = exact.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
          expect(largestGap(gradient[name], exact) / largest, `gradient of ${name}`).toBeLessThan(1e-3);
        }
        for (const [name, value] of Object.entries(step.adamw.after)) {
          expect(largestGap(after[name], flatten(value)), `${name} after one step`).toBeLessThan(1e-4);
        }
      },
    );
  },
);
