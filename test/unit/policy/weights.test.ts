import { describe, expect, test } from 'vitest';
import { BatchPacker } from '../../../src/policy/batch.ts';
import {
  checkPolicy,
  initialParameters,
  type PolicyConfiguration,
  packTensors,
  parameterLayout,
  standardPolicy,
  unpackTensors,
} from '../../../src/policy/weights.ts';

const config: PolicyConfiguration = { ...standardPolicy(300, 128), kvHeads: 2, valueHead: true };
const layout = parameterLayout(config);

/** Returns the mean and the standard deviation of values. */
function moments(values: Float32Array): [number, number] {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return [mean, Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)];
}

describe('initial parameters', () => {
  const tensors = unpackTensors(layout, initialParameters(config, 1));

  test.each([
    ['embed', 0.3],
    ['layers.0.q', 1 / 8],
    ['layers.0.k', 1 / 8],
    ['layers.1.v', 1 / 8],
    ['layers.1.o', 0.5 / 8],
    ['layers.0.gate', 1 / 8],
    ['layers.1.up', 1 / 8],
    ['layers.0.down', 0.5 / Math.sqrt(176)],
    ['valueHead', 0.01 / 8],
  ])('initial values of %s are normally distributed with mean 0 and standard deviation %d', (name, deviation) => {
    const values = tensors[name];
    const [mean, actualDeviation] = moments(values);
    // Four standard errors of the mean and of the standard deviation.
    expect(Math.abs(mean)).toBeLessThan((4 * deviation) / Math.sqrt(values.length));
    expect(Math.abs(actualDeviation / deviation - 1)).toBeLessThan(4 / Math.sqrt(2 * values.length));
    const within = values.filter((value) => Math.abs(value) < deviation).length / values.length;
    expect(Math.abs(within - 0.6827)).toBeLessThan((4 * 0.466) / Math.sqrt(values.length));
  });

  test('initial norms are 1, and the initial smear is 0.7', () => {
    for (const name of ['layers.0.attnNorm', 'layers.1.ffNorm', 'norm'])
      expect(new Set(tensors[name])).toEqual(new Set([1]));
    expect(new Set(tensors.smear)).toEqual(new Set([Math.fround(0.7)]));
  });

  test('initial parameters depend only on the seed, and differ between tensors', () => {
    expect(initialParameters(config, 1)).toEqual(initialParameters(config, 1));
    const second = unpackTensors(layout, initialParameters(config, 2));
    expect(second.embed).not.toEqual(tensors.embed);
    expect(tensors['layers.1.q']).not.toEqual(tensors['layers.0.q']);
  });
});

describe('parameterLayout', () => {
  test('parameterLayout has no gaps, aligns each tensor to 4 numbers, and adds padding after the last tensor', () => {
    let end = 0;
    for (const { offset, size, shape } of layout.tensors) {
      expect(offset).toBe(end);
      expect(offset % 4).toBe(0);
      expect(size).toBe(shape.reduce((a, b) => a * b, 1));
      end += size;
    }
    expect(layout.size).toBe(end);
    expect(layout.padded).toBeGreaterThanOrEqual(end + 8 * config.ffDim);
    expect(layout.at('layers.1.k').shape).toEqual([32, 64]);
    expect(() => layout.at('layers.2.k')).toThrow('policy has no tensor "layers.2.k"');
  });

  test('parameterLayout omits the tensors of disabled parts of the policy', () => {
    const plain = parameterLayout({ ...config, smear: false, valueHead: false });
    expect(plain.tensors.map(({ name }) => name)).not.toContain('smear');
    expect(plain.tensors.map(({ name }) => name)).not.toContain('valueHead');
    expect(plain.tensors.length).toBe(layout.tensors.length - 2);
  });

  test('packTensors reverses unpackTensors, and throws an error that names a missing or unfitting tensor', () => {
    const flat = initialParameters(config, 3);
    const tensors = unpackTensors(layout, flat);
    expect(packTensors(layout, tensors)).toEqual(flat);
    const { norm, ...rest } = tensors;
    expect(() => packTensors(layout, rest)).toThrow('tensor "norm" is missing');
    expect(() => packTensors(layout, { ...rest, norm: norm.subarray(1) })).toThrow(
      'tensor "norm" has 63 numbers, not 64 (64)',
    );
    expect(() => packTensors(layout, { ...tensors, bias: norm })).toThrow('tensor "bias" does not belong');
  });
});

describe('checkPolicy', () => {
  test.each([
    ['vocab', { vocab: 0 }],
    ['layers', { layers: 1.5 }],
    ['context', { context: -1 }],
    ['dim', { dim: 60 }],
    ['heads', { heads: 3 }],
    ['heads', { dim: 72, heads: 12 }],
    ['heads', { dim: 128, heads: 1, kvHeads: 1 }],
    ['kvHeads', { kvHeads: 3 }],
    ['kvHeads', { dim: 24, heads: 6, kvHeads: 4 }],
    ['ffDim', { ffDim: 172 }],
    ['ropeBase', { ropeBase: 1 }],
    ['normEps', { normEps: 0 }],
    ['normEps', { normEps: Number.NaN }],
  ] as const)('checkPolicy throws an error with the field %s, its value and its allowed values: %o', (field, wrong) => {
    const value = { ...config, ...wrong }[field];
    expect(() => checkPolicy({ ...config, ...wrong })).toThrow(RangeError);
    expect(() => checkPolicy({ ...config, ...wrong })).toThrow(`policy.${field}: ${value} must be `);
    expect(() => initialParameters({ ...config, ...wrong }, 1)).toThrow(`policy.${field}`);
  });

  test('checkPolicy accepts head sizes from 4 to 64', () => {
    for (const heads of [1, 2, 4, 8, 16]) expect(() => checkPolicy({ ...config, heads, kvHeads: 1 })).not.toThrow();
  });
});

describe('BatchPacker', () => {
  const sequence = (weights: readonly number[]) => ({
    tokens: weights.map((_, t) => t % 5),
    weights,
    credits: weights.map(() => 0),
    slot: 10,
  });

  test('a batch has the rows before the last target of each sequence, and a target for each nonzero weight', () => {
    const packer = new BatchPacker({ rows: 20, minibatches: 2 }, 5);
    packer.add([sequence([0, 1])]);
    const second = packer.add([sequence([0, 0, 0.5, 0, 0.25, 0, 0]), sequence([0, 0]), sequence([0, 2])]);
    expect(second).toMatchObject({ rowBase: 1, rows: 5, targetBase: 1, targets: 3, countIndex: 2 });
    expect([...packer.counts]).toEqual([1, 1, 5, 3]);
    const positions = Array.from({ length: 5 }, (_, row) => [...packer.rows.subarray(4 * row + 6, 4 * row + 8)]);
    expect(positions).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 0],
      [0, 4],
    ]);
    const targets = Array.from({ length: 3 }, (_, index) => [...packer.targets.subarray(4 * index + 4, 4 * index + 7)]);
    expect(targets).toEqual([
      [1, 2, 12],
      [3, 4, 14],
      [4, 1, 11],
    ]);
    expect([...packer.weights.subarray(1, 4)]).toEqual([0.5, 0.25, 2]);
  });

  test('a batch has for each target the first target of the minibatch with the same ratio', () => {
    const packer = new BatchPacker({ rows: 40, minibatches: 2 }, 5);
    packer.add([sequence([0, 1, 1])]);
    const shares = [7, 0, 0, -1, 0, 1, 1];
    // Position 3 is not a target: the positions around it share a ratio. The next sequence starts a new ratio, even
    // with the same numbers.
    packer.add([
      { ...sequence([0, 1, 1, 0, 1, 1, 1]), shares },
      { ...sequence([0, 1, 1]), shares: [1, 1, 1] },
      sequence([0, 1, 1]),
    ]);
    expect([...packer.sharers.subarray(0, packer.used.sharers)]).toEqual([0, 1, 0, 0, 0, 3, 3, 5, 5, 7, 8]);
  });

  test('BatchPacker throws an error if a batch has more rows or minibatches than it allows', () => {
    const packer = new BatchPacker({ rows: 4, minibatches: 1 }, 5);
    expect(() => packer.add([sequence([0, 1, 1, 1, 1, 1])])).toThrow('more than 4 rows in a batch');
    packer.clear();
    packer.add([sequence([0, 1, 1, 1, 1])]);
    expect(() => packer.add([])).toThrow('too many minibatches in a batch');
  });
});
