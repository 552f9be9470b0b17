import { expect, test } from 'vitest';
import { lossBuffers, lossExtent, targetPass, VALUE } from '../../../src/engine/wgsl/passes.ts';
import { readBuffer } from '../../../src/gpu/buffers.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import { PreferenceObjective, preferenceLoss, REPORT_LINE_SIZE, reportLine } from '../../../src/objective/objective.ts';
import type { Minibatch } from '../../../src/policy/batch.ts';
import { ADAMW } from '../../../src/policy/optimizer.ts';
import { Policy } from '../../../src/policy/policy.ts';
import type { PolicyConfiguration } from '../../../src/policy/weights.ts';
import { appendDummyTarget } from '../../../src/training/rewardModel/rewardModel.ts';
import { targetsOf } from '../../../src/training/update/logProbabilities.ts';
import { IS_LONG } from '../../isLong.ts';
import { type ReferenceTensors, referenceTokens } from '../../reference/network.ts';
import { testGpu } from '../gpu.ts';
import { referenceOf, testParameters, testRandom } from './policyRun.ts';
import { SHAPES } from './policyShapes.ts';

const shapes = Object.entries(SHAPES).map(([name, shape]) => [name, { ...shape, valueHead: false }] as const);

/** Returns the value of the float64 network after the last token. */
function valueOf64(config: PolicyConfiguration, tensors: ReferenceTensors, tokens: readonly number[]): number {
  return referenceTokens(config, tensors, appendDummyTarget(tokens)).at(-1)?.value as number;
}

// The gate checks two shapes; `npm run test:all` checks all of them.
test.each(IS_LONG ? shapes : shapes.slice(0, 2))(
  'values, loss and gradients of preference pairs equal those of the reference: %s',
  async (_, config) => {
    const gpu = await testGpu();
    const policy = await Policy.create(gpu, config, { sequences: 8, minibatches: 2 });
    const recorder = new Recorder(gpu.device, 1024);
    const objective = await PreferenceObjective.create(gpu);
    const report = policy.buffers.storage('report', REPORT_LINE_SIZE);
    policy.start(testParameters(config, 3));
    const valueConfig = { ...config, valueHead: true };
    const parameters = testParameters(valueConfig, 4);
    const tensors = referenceOf(valueConfig, parameters);
    const model = policy.openCritic(1);
    const zeros = new Float32Array(parameters.length);
    model.writeState({ parameters, firstMoment: zeros, secondMoment: zeros, steps: 0, rule: '', updates: 0 });

    // Three pairs of different lengths and weights, the preferred sequence first.
    const random = testRandom(3);
    const sequences = [9, 4, 1, 12, 6, 6].map((length) => Array.from({ length }, () => random.integer(config.vocab)));
    const weights = [0.5, 0.2, 0.3];
    const lossAt = (at: ReferenceTensors) => {
      const values = sequences.map((tokens) => valueOf64(valueConfig, at, tokens));
      return weights.reduce((sum, weight, pair) => {
        return sum + weight * preferenceLoss(values[2 * pair], values[2 * pair + 1]).value;
      }, 0);
    };
    const last = sequences.map((tokens) =>
      targetsOf(
        appendDummyTarget(tokens),
        appendDummyTarget(tokens).map((_, at) => at === tokens.length),
      ),
    );
    const record = (minibatch: Minibatch) => model.recordValues(recorder, minibatch);
    const values = await targetPass(policy, recorder, last, record, VALUE);
    sequences.forEach((tokens, index) => {
      expect(Math.abs(values[index] - valueOf64(valueConfig, tensors, tokens))).toBeLessThan(1e-4);
    });

    const { workspace } = policy;
    workspace.packer.clear();
    // The pairs are the second minibatch of the upload.
    workspace.packer.add([{ tokens: [1, 2, 0], weights: [0, 1, 1], credits: [0, 0, 0], slot: 0 }]);
    const minibatch = workspace.packer.add(
      sequences.map((tokens, index) => {
        const all = appendDummyTarget(tokens);
        const weighted = all.map((_, at) => (at === all.length - 1 ? weights[Math.floor(index / 2)] : 0));
        return { tokens: all, weights: weighted, credits: all, slot: 0 };
      }),
    );
    workspace.uploadBatch();
    const position = { report, line: 0 };
    model.recordStep(recorder, minibatch, {
      loss: () => objective.recordLoss(recorder, lossBuffers(workspace), lossExtent(minibatch), position),
      step: { ...ADAMW, learningRate: 0 },
      report,
      reportOffset: 0,
    });
    recorder.submit();
    const floats = async (buffer: GPUBuffer, count: number) =>
      new Float32Array(await readBuffer(gpu.device, buffer, count));
    const line = reportLine(await floats(report, REPORT_LINE_SIZE), 0);
    expect(line.loss).toBeCloseTo(lossAt(tensors), 4);
    const right = weights.filter((_, pair) => values[2 * pair] > values[2 * pair + 1]);
    expect(line.entropy).toBeCloseTo(
      right.reduce((sum, weight) => sum + weight, 0),
      5,
    );
    const gradient = await floats(model.optimizer.gradient, model.layout.size);
    const signs = testRandom(5);
    for (const { name, offset, size } of model.layout.tensors) {
      const directions = Float64Array.from({ length: size }, () => (signs.next() < 0.5 ? 1 : -1));
      const part = gradient.subarray(offset, offset + size);
      const slope = part.reduce((sum, value, i) => sum + value * directions[i], 0);
      const moved = (step: number) => tensors[name].map((value, i) => value + step * directions[i]);
      const exact = (lossAt({ ...tensors, [name]: moved(1e-6) }) - lossAt({ ...tensors, [name]: moved(-1e-6) })) / 2e-6;
      const largest = part.reduce((maximum, value) => Math.max(maximum, Math.abs(value)), 0);
      expect(largest, name).toBeGreaterThan(1e-5);
      expect(Math.abs(slope - exact) / largest, `slope of ${name}`).toBeLessThan(1e-3);
    }
    policy.destroy();
    recorder.destroy();
  },
);
