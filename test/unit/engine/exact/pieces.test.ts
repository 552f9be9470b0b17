import { describe, expect, test } from 'vitest';
import { crossEntropy, emptySums, pairLoss } from '../../../../src/engine/exact/losses.ts';
import type { Sequence } from '../../../../src/policy/batch.ts';
import { initialParameters, standardPolicy } from '../../../../src/policy/weights.ts';
import { exactNetwork } from './exactNetwork.ts';

const config = { ...standardPolicy(30, 40), valueHead: true };
const { space, network, parameters, pieces, learner } = await exactNetwork(config, initialParameters(config, 1));

/** Creates a sequence of `length` tokens whose last `targets` tokens have weight 1. */
function sequence(length: number, targets: number, slot = 0): Sequence {
  const tokens = Array.from({ length }, (_, at) => (3 * at + length) % 30);
  const weights = tokens.map((_, at) => Number(at >= length - targets));
  return { tokens, weights, credits: tokens.map((_, at) => 100 * length + at), slot, shares: tokens.map((t) => t % 2) };
}

describe('pieces of a minibatch', () => {
  test('a minibatch is split into pieces of complete sequences with at most 256 rows', () => {
    const pieceSizes: (readonly [number, number])[] = [];
    pieces.each(
      Array.from({ length: 20 }, () => sequence(36, 2)),
      ({ rows, targets }) => pieceSizes.push([rows, targets]),
    );
    expect(pieceSizes).toEqual([
      [245, 14],
      [245, 14],
      [210, 12],
    ]);
  });

  test('pieces omit rows after the last target and sequences without targets', () => {
    const cut = { ...sequence(10, 10), weights: [1, 1, 0, 0, 1, 0, 0, 0, 0, 0] };
    pieces.each([sequence(5, 0), cut], ({ rows, targets, slots, credits }) => {
      expect([rows, targets]).toEqual([4, 2]);
      expect([...slots.subarray(0, 2)]).toEqual([1, 4]);
      expect([...credits.subarray(0, 2)]).toEqual([1001, 1004]);
    });
  });

  test('adjacent targets with equal share numbers have the same sharer', () => {
    const shares = [0, 0, 0, 1, 1, 0, 0, 0, 0, 0];
    pieces.each(
      [
        { ...sequence(10, 9), shares },
        { ...sequence(10, 9), shares },
      ],
      ({ sharers, targets }) => {
        expect([...sharers.subarray(0, targets)]).toEqual([
          ...[0, 0, 2, 2, 4, 4, 4, 4, 4],
          ...[9, 9, 11, 11, 13, 13, 13, 13, 13],
        ]);
      },
    );
  });

  test('a sequence longer than the context throws an error', () => {
    expect(() => pieces.each([sequence(42, 1)], () => {})).toThrow('a sequence of 42 tokens is longer than 40');
  });

  test('the gradient of sequences in shared pieces equals the gradient of separate sequences up to rounding', () => {
    const heads = { logits: true, values: false };
    const gradient = (sequences: readonly Sequence[]) => {
      pieces.each(sequences, (piece) => {
        network.forward(parameters, piece.rows, piece.targets, heads);
        crossEntropy(space, piece, emptySums());
        network.backward(parameters, learner.gradient, piece.rows, piece.targets, heads);
      });
    };
    const all = Array.from({ length: 12 }, (_, s) => sequence(25 + s, 9));
    learner.begin();
    gradient(all);
    const together = learner.readGradient();
    learner.begin();
    for (const sequence of all) gradient([sequence]);
    const apart = learner.readGradient();
    const largest = together.reduce((maximum, value) => Math.max(maximum, Math.abs(value)), 0);
    expect(together.every((value, i) => Math.abs(value - apart[i]) < 1e-6 * largest)).toBe(true);
    expect(largest).toBeGreaterThan(0.1);
  });
});

describe('pairs of sequences', () => {
  test('the sequences of a pair are in the same piece', () => {
    const counts: number[] = [];
    const all = Array.from({ length: 14 }, () => sequence(36, 1));
    pieces.each(all, ({ targets }) => counts.push(targets), 2);
    expect(counts).toEqual([6, 6, 2]);
  });

  test('pairs have the Bradley-Terry loss and its derivatives', () => {
    const [outputs, slopes] = [space.outputs / 4, space.slopes / 4];
    const sums = emptySums();
    pieces.each(
      [sequence(3, 1), sequence(4, 1), sequence(5, 1), sequence(6, 1)],
      (piece) => {
        [2, 1, -1, 0.5].forEach((value, i) => {
          space.arena.f32[outputs + 4 * i + 3] = value;
        });
        pairLoss(space, piece, sums);
      },
      2,
    );
    const right = (margin: number) => 1 / (1 + Math.exp(-margin));
    expect(sums.loss).toBeCloseTo(-Math.log(right(1)) - Math.log(right(-1.5)), 6);
    expect(sums.entropy).toBe(1);
    const actual = [0, 1, 2, 3].map((i) => space.arena.f32[slopes + 4 * i + 2]);
    const expected = [right(1) - 1, 1 - right(1), right(-1.5) - 1, 1 - right(-1.5)];
    actual.forEach((slope, i) => {
      expect(slope).toBeCloseTo(expected[i], 6);
    });
  });
});
