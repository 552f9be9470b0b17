import { describe, expect, test } from 'vitest';
import { emptySums, surrogateLoss } from '../../../../src/engine/exact/losses.ts';
import type { Sequence } from '../../../../src/policy/batch.ts';
import {
  initialParameters,
  type PolicyConfiguration,
  parameterLayout,
  unpackTensors,
} from '../../../../src/policy/weights.ts';
import { flatten, policyVectors } from '../../../policyVectors.ts';
import { logSoftmax, referenceForward } from '../../../reference/network.ts';
import { exactNetwork } from './exactNetwork.ts';

const TOLERANCE = 5e-6;

const largestGap = (actual: ArrayLike<number>, expected: ArrayLike<number>) => {
  expect(actual.length).toBe(expected.length);
  return Array.from(expected, (value, index) => Math.abs(value - actual[index])).reduce((a, b) => Math.max(a, b), 0);
};

describe.each(['policy.json', 'policy-plain.json'] as const)('reference values of another autograd in %s', (file) => {
  const { vectors, config, parameters: flat } = policyVectors(file);
  const heads = { logits: true, values: config.valueHead };
  const { context, vocab } = config;
  const sequences = (weight: (row: number, at: number) => number): Sequence[] =>
    vectors.tokens.map((tokens, row) => ({
      tokens,
      weights: tokens.map((_, at) => weight(row, at)),
      credits: tokens.map((_, at) => row * context + at),
      slot: row * context,
    }));
  const table = (rows: readonly (readonly number[])[]) => {
    const values = new Float32Array(rows.length * context);
    rows.forEach((row, index) => {
      values.set(row, index * context);
    });
    return values;
  };

  test('logits, log-probabilities, entropy and values match the reference autograd', async () => {
    const { space, network, parameters, pieces } = await exactNetwork(config, flat);
    const actual: Record<'logits' | 'logProbs' | 'entropy' | 'values', number[]> = {
      ...{ logits: [], logProbs: [], entropy: [], values: [] },
    };
    pieces.each(
      sequences((_, at) => Number(at > 0)),
      ({ rows, targets }) => {
        network.forward(parameters, rows, targets, heads);
        const { f32 } = space.arena;
        for (let i = 0; i < targets; i++) {
          const logits = space.logits / 4 + i * Math.ceil(vocab / 8) * 8;
          actual.logits.push(...f32.subarray(logits, logits + vocab));
          const output = space.outputs / 4 + 4 * i;
          actual.logProbs.push(f32[output + 1]);
          actual.entropy.push(f32[output + 2]);
          actual.values.push(f32[output + 3]);
        }
      },
    );
    const afterFirst = (rows: readonly (readonly number[])[]) => rows.flatMap((row) => row.slice(1));
    const { expected } = vectors;
    expect(
      largestGap(
        actual.logits,
        expected.logits.flatMap((rows) => rows.slice(0, -1).flat()),
      ),
    ).toBeLessThan(TOLERANCE);
    expect(largestGap(actual.logProbs, afterFirst(expected.logProbs))).toBeLessThan(TOLERANCE);
    expect(largestGap(actual.entropy, afterFirst(expected.entropy))).toBeLessThan(TOLERANCE);
    if (config.valueHead) expect(largestGap(actual.values, afterFirst(expected.values))).toBeLessThan(TOLERANCE);
  });

  test.each(['token-mean', 'sequence-mean'] as const)(
    'training steps with %s aggregation match the reference autograd',
    async (aggregation) => {
      const { space, network, parameters, pieces, learner } = await exactNetwork(config, flat);
      const expected = vectors.expected.byAggregation[aggregation];
      const sizes = vectors.mask.map((row) => row.reduce((a, b) => a + b, 0));
      const all = sizes.reduce((a, b) => a + b, 0);
      const weight = (row: number, at: number) =>
        vectors.mask[row][at] / (aggregation === 'token-mean' ? all : sizes[row] * sizes.length);
      const recorded = { sampled: table(vectors.oldLogProbs), reference: table(vectors.referenceLogProbs) };
      const critic = config.valueHead
        ? { values: table(vectors.oldValues), returns: table(vectors.returns) }
        : undefined;
      const sums = emptySums();
      learner.begin();
      pieces.each(sequences(weight), (piece) => {
        network.forward(parameters, piece.rows, piece.targets, heads);
        const { objective, advantages } = vectors;
        surrogateLoss(space, piece, recorded, table(advantages), objective, false, sums, critic);
        network.backward(parameters, learner.gradient, piece.rows, piece.targets, heads);
      });
      expect(Math.abs(sums.loss - expected.loss)).toBeLessThan(TOLERANCE);
      expect((sums.clipLow + sums.clipHigh) / sums.targets).toBeCloseTo(vectors.expected.clipFraction, 7);
      const gradients = unpackTensors(parameters.layout, learner.readGradient());
      for (const [name, tensor] of Object.entries(expected.gradients)) {
        const values = flatten(tensor);
        const largest = values.reduce((maximum, value) => Math.max(maximum, Math.abs(value)), 0);
        expect(largestGap(gradients[name], values) / largest, name).toBeLessThan(TOLERANCE);
      }
      expect(Math.abs(learner.step(expected.adamw, sums.loss) / expected.gradNorm - 1)).toBeLessThan(TOLERANCE);
      const moved = unpackTensors(parameters.layout, parameters.read());
      for (const [name, tensor] of Object.entries(expected.adamw.after)) {
        expect(largestGap(moved[name], flatten(tensor)), name).toBeLessThan(TOLERANCE);
      }
    },
  );
});

describe('shapes outside the reference files, compared with the float64 network', () => {
  const base: PolicyConfiguration = {
    ...{ vocab: 21, dim: 64, layers: 2, heads: 4, kvHeads: 4, ffDim: 40, context: 12, ropeBase: 10000, normEps: 1e-5 },
    ...{ smear: true, valueHead: true },
  };
  test.each<[string, Partial<PolicyConfiguration>]>([
    ['heads of width 16', {}],
    ['one key head for all query heads', { kvHeads: 1 }],
    ['heads of width 8', { heads: 8, kvHeads: 2 }],
    ['heads of width 4, one layer and no smear', { dim: 16, layers: 1, smear: false }],
    ['three layers', { layers: 3 }],
  ])('a network with %s matches the float64 reference network', async (_, changes) => {
    const config = { ...base, ...changes };
    const flat = initialParameters(config, 3);
    const { space, network, parameters, pieces } = await exactNetwork(config, flat);
    const tensors = Object.fromEntries(
      Object.entries(unpackTensors(parameterLayout(config), flat)).map(([name, values]) => [
        name,
        Float64Array.from(values),
      ]),
    );
    const tokens = [3, 1, 20, 7, 7, 0, 13, 2, 9, 11, 4, 5];
    const weights = tokens.map((_, at) => Number([2, 5, 11].includes(at)));
    pieces.each([{ tokens, weights, credits: weights, slot: 0 }], ({ rows, targets }) => {
      network.forward(parameters, rows, targets, { logits: true, values: true });
      const { logits, values } = referenceForward(config, tensors, tokens);
      const expected = [2, 5, 11].flatMap((at) => {
        const { logProbs, entropy } = logSoftmax(logits[at - 1]);
        return [logProbs[tokens[at]], entropy, values[at - 1]];
      });
      const outputs = Array.from(space.arena.f32.subarray(space.outputs / 4, space.outputs / 4 + 12));
      expect(
        largestGap(
          outputs.filter((_, i) => i % 4 > 0),
          expected,
        ),
      ).toBeLessThan(TOLERANCE);
    });
  });
});
