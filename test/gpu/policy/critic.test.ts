import { expect, test } from 'vitest';
import { BufferSet, readBuffer } from '../../../src/gpu/buffers.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import {
  explainedVariance,
  moments,
  normalizeTokens,
  REPORT_LINE_SIZE,
  reportLine,
  tokenLine,
  ValueObjective,
} from '../../../src/objective/objective.ts';
import { valueLoss } from '../../../src/objective/surrogate.ts';
import { ADAMW } from '../../../src/policy/optimizer.ts';
import { Policy } from '../../../src/policy/policy.ts';
import { type PolicyConfiguration, parameterLayout } from '../../../src/policy/weights.ts';
import { IS_LONG } from '../../isLong.ts';
import { type ReferenceTensors, referenceTokens } from '../../reference/network.ts';
import { expectClose } from '../../vectorFile.ts';
import { testGpu } from '../gpu.ts';
import { type Lesson, lessons, referenceOf, testParameters, testRandom } from './policyRun.ts';
import { SHAPES } from './policyShapes.ts';

const CLIP = 0.3;
const shapes = Object.entries(SHAPES).map(([name, shape]) => [name, { ...shape, valueHead: false }] as const);

/** Opens a policy, its critic with separate parameters, and the other objects that an update needs. */
async function openCritic(config: PolicyConfiguration, sequences: number) {
  const gpu = await testGpu();
  const policy = await Policy.create(gpu, config, { sequences, minibatches: 2 });
  const recorder = new Recorder(gpu.device, 1024);
  const values = await ValueObjective.create(gpu);
  const { buffers, workspace } = policy;
  const tokens = sequences * config.context;
  const arrays = {
    tokenValue: buffers.storage('token value', tokens),
    tokenAdvantage: buffers.storage('token advantage', tokens),
    tokenReturn: buffers.storage('token return', tokens),
  };
  const report = buffers.storage('report', 2 * REPORT_LINE_SIZE);
  const start = testParameters(config, 3);
  policy.start(start);
  const critic = policy.openCritic(1);
  const criticConfig = { ...config, valueHead: true };
  const parameters = testParameters(criticConfig, 4);
  const zeros = new Float32Array(parameters.length);
  critic.writeState({ parameters, firstMoment: zeros, secondMoment: zeros, steps: 0, rule: '', updates: 0 });
  const floats = async (buffer: GPUBuffer, count: number) =>
    new Float32Array(await readBuffer(gpu.device, buffer, count));
  const pack = (all: readonly Lesson[]) => {
    workspace.packer.clear();
    const minibatch = workspace.packer.add(
      all.map(({ tokens, weights }, index) => {
        const slot = index * config.context;
        return { tokens, weights, slot, credits: tokens.map((_, t) => slot + t) };
      }),
    );
    workspace.uploadBatch();
    const { targetBase, countIndex, targets } = minibatch;
    return { minibatch, extent: { targetBase, countIndex: countIndex + 1, limit: targets } };
  };
  const close = () => {
    policy.destroy();
    recorder.destroy();
  };
  const resources = { ...workspace.batch, ...workspace };
  return {
    gpu,
    policy,
    recorder,
    values,
    critic,
    criticConfig,
    parameters,
    start,
    arrays,
    report,
    floats,
    pack,
    resources,
    close,
  };
}

/** Computes the loss of the critic on lessons in float64. */
function referenceLoss(config: PolicyConfiguration, tensors: ReferenceTensors, all: readonly Lesson[]): number {
  return all.reduce((total, { tokens, weights, recorded }) => {
    const outputs = referenceTokens(config, tensors, tokens);
    return outputs.reduce((sum, { value }, index) => {
      const [, , oldValue, goal] = recorded[index + 1];
      return sum + weights[index + 1] * valueLoss({ value, oldValue, return: goal }, CLIP).value;
    }, total);
  }, 0);
}

test.each(IS_LONG ? shapes : shapes.slice(0, 1))(
  'a critic computes the values, loss and gradients of the reference: %s',
  async (_, config) => {
    const run = await openCritic(config, 6);
    const { critic, criticConfig, policy, recorder, values, arrays, report, gpu } = run;
    const tensors = referenceOf(criticConfig, run.parameters);
    const batch = lessons(criticConfig, run.parameters, [11, 2, 1, 17, 5]);
    batch.forEach(({ recorded }, index) => {
      const at = 4 * index * config.context;
      const column = (buffer: GPUBuffer, component: number) =>
        gpu.device.queue.writeBuffer(
          buffer,
          at,
          Float32Array.from(recorded, (entry) => entry[component]),
        );
      column(arrays.tokenValue, 2);
      column(arrays.tokenReturn, 3);
    });
    const { minibatch, extent } = run.pack(batch);

    // The pass of the policy runs first: its data in the shared buffers must not change the result of the critic.
    policy.recordForward(recorder, minibatch);
    policy.backward.record(recorder, policy.parameters, minibatch);
    const from = { buffers: run.resources, tokens: arrays, extent, valueClip: CLIP };
    critic.recordStep(recorder, minibatch, {
      loss: () => values.recordLoss(recorder, from, { report, line: 0 }),
      step: { ...ADAMW, learningRate: 0 },
      report,
      reportOffset: 0,
    });
    recorder.submit();
    const gradient = await run.floats(critic.optimizer.gradient, critic.layout.size);
    const line = reportLine(await run.floats(report, REPORT_LINE_SIZE), 0);
    expect(line.loss).toBeCloseTo(referenceLoss(criticConfig, tensors, batch), 4);
    const norm = Math.sqrt(gradient.reduce((sum, value) => sum + value * value, 0));
    expect(line.gradientNorm / norm).toBeCloseTo(1, 4);

    const random = testRandom(5);
    for (const { name, offset, size } of critic.layout.tensors) {
      const signs = Float64Array.from({ length: size }, () => (random.next() < 0.5 ? 1 : -1));
      const part = gradient.subarray(offset, offset + size);
      const slope = part.reduce((sum, value, i) => sum + value * signs[i], 0);
      const lossAt = (step: number) => {
        const moved = tensors[name].map((value, i) => value + step * signs[i]);
        return referenceLoss(criticConfig, { ...tensors, [name]: moved }, batch);
      };
      const exact = (lossAt(1e-6) - lossAt(-1e-6)) / 2e-6;
      const largest = part.reduce((maximum, value) => Math.max(maximum, Math.abs(value)), 0);
      expect(largest, name).toBeGreaterThan(1e-4);
      expect(Math.abs(slope - exact) / largest, `slope of ${name}`).toBeLessThan(1e-3);
    }

    // Only the values of targets are written; the other values do not change.
    critic.recordValues(recorder, minibatch);
    values.recordValues(recorder, run.resources, arrays.tokenValue, extent);
    recorder.submit();
    const recorded = await run.floats(arrays.tokenValue, 6 * config.context);
    batch.forEach(({ tokens, weights, recorded: before }, index) => {
      const outputs = referenceTokens(criticConfig, tensors, tokens);
      tokens.forEach((_, t) => {
        const expected = weights[t] > 0 ? outputs[t - 1].value : before[t][2];
        expect(Math.abs(recorded[index * config.context + t] - expected)).toBeLessThan(1e-4);
      });
    });
    run.close();
  },
);

test('a critic copies the current trunk of the policy until its first update', async () => {
  const [, config] = shapes[0];
  const run = await openCritic(config, 2);
  const { policy, recorder, values, arrays, report } = run;
  const layout = parameterLayout(config);
  const head = (flat: Float32Array) => flat.slice(layout.size);
  const opened = async (seed: number) => (await policy.openCritic(seed).readState()).parameters;
  const first = await opened(1);
  expect(first.slice(0, layout.size)).toEqual(run.start.slice(0, layout.size));
  expect(head(await opened(2))).not.toEqual(head(first));
  expect(head(first).some((value) => value !== 0)).toBe(true);

  const moved = testParameters(config, 9);
  policy.writeState({ ...(await policy.readState()), parameters: moved });
  expect((await opened(1)).slice(0, layout.size)).toEqual(moved.slice(0, layout.size));

  const { minibatch, extent } = run.pack(lessons(run.criticConfig, run.parameters, [5]));
  const from = { buffers: run.resources, tokens: arrays, extent, valueClip: CLIP };
  const loss = () => values.recordLoss(recorder, from, { report, line: 0 });
  policy.openCritic(1).recordStep(recorder, minibatch, { loss, step: ADAMW, report, reportOffset: 0 });
  recorder.submit();
  const learned = await opened(1);
  expect(learned.slice(0, layout.size)).not.toEqual(moved.slice(0, layout.size));
  expect(await opened(1)).toEqual(learned);
  run.close();
});

test.each([1, 2, 64, 65, 5000])(
  'advantages of %i tokens are normalised, and the explained variance of the critic is reported',
  async (count) => {
    const gpu = await testGpu();
    const buffers = new BufferSet(gpu.device);
    const recorder = new Recorder(gpu.device, 4);
    const values = await ValueObjective.create(gpu);
    const random = testRandom(count);
    const returns = Array.from({ length: count }, () => 3 + random.normal());
    const advantages = returns.map((value) => Math.fround(0.5 * (value - 3) + 0.1 * random.normal() + 10));
    const storage = (label: string, numbers: readonly number[]) => {
      const buffer = buffers.storage(label, numbers.length);
      gpu.device.queue.writeBuffer(buffer, 0, Float32Array.from(numbers));
      return buffer;
    };
    const tokenAdvantage = storage('advantage', advantages);
    const tokenReturn = storage('return', returns);
    const report = buffers.storage('report', 2 * REPORT_LINE_SIZE);
    const tokens = { tokenAdvantage, tokenReturn, tokenValue: tokenReturn };
    values.recordNormalization(recorder, tokens, count, { report, line: 1 });
    recorder.submit();
    const actual = new Float32Array(await readBuffer(gpu.device, tokenAdvantage, count));
    expectClose(actual, normalizeTokens(advantages), 1e-4);
    const line = tokenLine(new Float32Array(await readBuffer(gpu.device, report, 2 * REPORT_LINE_SIZE)), 1);
    const exact = explainedVariance(moments(advantages).variance, moments(returns.map(Math.fround)).variance);
    expect(line.tokens).toBe(count);
    if (count === 1) expect(line.explainedVariance).toBeNull();
    else expect(line.explainedVariance).toBeCloseTo(exact as number, 3);
    buffers.destroy();
    recorder.destroy();
  },
);
