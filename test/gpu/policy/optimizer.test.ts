import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AdamWStep } from '../../../src/policy/optimizer.ts';
import { type AdamWState, adamwStep } from '../../reference/adamw.ts';
import { type Lesson, lessons, openRun, testParameters } from './policyRun.ts';
import { SHAPES } from './policyShapes.ts';

const SETTINGS = { clipLow: 0.2, clipHigh: 0.2, klCoef: 0.1, entropyCoef: 0.01, valueCoef: 0.5, valueClip: 0.2 };
const STEP: AdamWStep = { learningRate: 3e-3, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.5, clipNorm: 0.1 };
const config = SHAPES['heads of 4, 3 layers, smear, value'];
const parameters = testParameters(config, 11);
const batch = lessons(config, parameters, [11, 5]);
let run: Awaited<ReturnType<typeof openRun>>;

beforeAll(async () => {
  run = await openRun(config, 2);
});

afterAll(() => run?.close());

test('three AdamW steps with clipping and decay follow the float64 optimiser', async () => {
  run.policy.start(parameters);
  const { layout } = run.policy;
  const matrices = layout.tensors.filter(({ shape }) => shape.length === 2);
  const decays = (i: number) => matrices.some(({ offset, size }) => i >= offset && i < offset + size);
  const zeros = new Float64Array(layout.size);
  let exact: AdamWState = {
    parameters: Float64Array.from(parameters.subarray(0, layout.size)),
    first: zeros,
    second: zeros,
  };
  for (let step = 1; step <= 3; step++) {
    const { gradient, health, line } = await run.update(batch, SETTINGS, STEP);
    const norm = Math.sqrt(gradient.reduce((sum, value) => sum + value * value, 0));
    expect(line.gradientNorm / norm).toBeCloseTo(1, 5);
    expect(norm).toBeGreaterThan(STEP.clipNorm);
    expect(health).toBe(0);
    exact = adamwStep(exact, gradient, STEP, step, decays);
    const state = await run.policy.readState();
    expect(state.steps).toBe(step);
    exact.parameters.forEach((value, i) => {
      // The square root of a tiny second moment consists of rounding errors; all other steps agree to 1e-4.
      const gap = Math.abs(value - state.parameters[i]);
      if (gap > 1e-4 * STEP.learningRate * step + 2e-7)
        throw new Error(`parameter ${i} is off by ${gap} in step ${step}`);
    });
  }
});

test('a clip norm above the norm of the gradient does not change the gradient', async () => {
  run.policy.start(parameters);
  const { gradient } = await run.update(batch, SETTINGS, { ...STEP, clipNorm: 1e9 });
  const { firstMoment } = await run.policy.readState();
  gradient.forEach((value, i) => {
    expect(Math.abs(firstMoment[i] - 0.1 * value)).toBeLessThan(1e-7 + 1e-5 * Math.abs(value));
  });
});

const change = (lesson: Lesson, fields: Partial<Lesson>) => [{ ...lesson, ...fields }, ...batch.slice(1)];
const each = <T>(values: readonly T[], to: (value: T) => T) => values.map(to);
const broken: Record<string, Lesson[]> = {
  'an infinite advantage': change(batch[0], { advantages: each(batch[0].advantages, () => Number.POSITIVE_INFINITY) }),
  'an advantage that is not a number': change(batch[0], { advantages: each(batch[0].advantages, () => Number.NaN) }),
  'an infinite return': change(batch[0], {
    recorded: batch[0].recorded.map(([old, reference, value]) => [old, reference, value, Number.NEGATIVE_INFINITY]),
  }),
  'an infinite recorded log-probability': change(batch[0], {
    recorded: batch[0].recorded.map(([, ...rest]) => [Number.NEGATIVE_INFINITY, ...rest]),
  }),
  'a gradient too large to square': change(batch[0], { weights: each(batch[0].weights, (weight) => weight * 1e25) }),
  'a weight that is not a number': change(batch[0], {
    weights: each(batch[0].weights, (w) => (w > 0 ? Number.NaN : 0)),
  }),
};

test.each(Object.keys(broken))('%s stops the optimiser before it changes parameters or moments', async (name) => {
  run.policy.start(parameters);
  expect((await run.update(batch, SETTINGS, STEP)).health).toBe(0);
  const before = await run.policy.readState();
  expect((await run.update(broken[name], SETTINGS, STEP)).health).not.toBe(0);
  expect((await run.update(batch, SETTINGS, STEP)).health).not.toBe(0); // until the host writes a state
  const after = await run.policy.readState();
  for (const part of ['parameters', 'reference', 'firstMoment', 'secondMoment'] as const) {
    expect(after[part]).toEqual(before[part]);
  }
  run.policy.writeState(before);
  expect((await run.update(batch, SETTINGS, STEP)).health).toBe(0);
  const moved = await run.policy.readState();
  expect(moved.steps).toBe(2);
  expect(moved.parameters).not.toEqual(before.parameters);
  expect(moved.reference).toEqual(before.reference);
});
