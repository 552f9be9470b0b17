import { expect, test } from 'vitest';
import { ADAMW } from '../../../src/policy/optimizer.ts';
import { expectReferenceForward } from './policyForward.ts';
import { lessons, openRun, referenceLoss, referenceOf, testParameters, testRandom } from './policyRun.ts';
import { SHAPES } from './policyShapes.ts';

const SETTINGS = { clipLow: 0.2, clipHigh: 0.28, klCoef: 0.3, entropyCoef: 0.05, valueCoef: 0.5, valueClip: 0.2 };

test.each(Object.entries(SHAPES))(
  'log-probabilities, entropies and values equal those of the float64 network: %s',
  (_, config) => expectReferenceForward(config),
);

test.each(Object.entries(SHAPES))(
  'gradients equal the slopes of the float64 loss along a random direction of each tensor: %s',
  async (_, config) => {
    const parameters = testParameters(config, 3);
    const tensors = referenceOf(config, parameters);
    const run = await openRun(config, 6);
    expect(run.policy.workspace.chunks).toBe(2); // partial gradients are summed
    run.policy.start(parameters);
    const batch = lessons(config, parameters, [11, 2, 1, 17, 5]);
    const { gradient, line } = await run.update(batch, SETTINGS, { ...ADAMW, learningRate: 0 });
    expect(line.loss).toBeCloseTo(referenceLoss(config, tensors, batch, SETTINGS), 4);
    expect(line.clipLow).toBeGreaterThan(0);
    expect(line.clipHigh).toBeGreaterThan(0);
    const random = testRandom(5);
    for (const { name, offset, size } of run.policy.layout.tensors) {
      const signs = Float64Array.from({ length: size }, () => (random.next() < 0.5 ? 1 : -1));
      const part = gradient.subarray(offset, offset + size);
      const slope = part.reduce((sum, value, i) => sum + value * signs[i], 0);
      const lossAt = (step: number) => {
        const moved = tensors[name].map((value, i) => value + step * signs[i]);
        return referenceLoss(config, { ...tensors, [name]: moved }, batch, SETTINGS);
      };
      const exact = (lossAt(1e-6) - lossAt(-1e-6)) / 2e-6;
      const largest = part.reduce((maximum, value) => Math.max(maximum, Math.abs(value)), 0);
      expect(largest, name).toBeGreaterThan(1e-4);
      expect(Math.abs(slope - exact) / largest, `slope of ${name}`).toBeLessThan(1e-3);
    }
    run.close();
  },
);
