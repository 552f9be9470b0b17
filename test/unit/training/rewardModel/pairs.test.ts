import { describe, expect, test } from 'vitest';
import {
  accuracyOf,
  distinct,
  mislabelled,
  pairsOf,
  pairsOfStep,
  type Scored,
} from '../../../../src/training/rewardModel/pairs.ts';

const program = (task: number, token: number, score: number): Scored => ({ task, tokens: [9, token], score });
/**
 * Programs and their scores. Task 0: 0.2, 0.5 (the same program twice), 0.5 and 1. Task 1: equal scores. Task 2: the
 * prompt of task 0 with other scores.
 */
const PROGRAMS = [
  program(0, 1, 0.2),
  program(0, 2, 0.5),
  program(0, 2, 0.5),
  program(0, 3, 0.5),
  program(0, 4, 1),
  program(1, 1, 0.3),
  program(1, 2, 0.3),
  program(2, 1, 1),
  program(2, 4, 0),
];
const names = (pairs: ReturnType<typeof pairsOf>) =>
  pairs.map(({ better, worse }) => `${better.task}: ${better.tokens[1]} > ${worse.tokens[1]}`);

describe('pairs', () => {
  test('pairsOf pairs distinct programs of one task with different scores', () => {
    expect(distinct(PROGRAMS)).toHaveLength(8);
    const expected = ['0: 2 > 1', '0: 3 > 1', '0: 4 > 1', '0: 4 > 2', '0: 4 > 3', '2: 1 > 4'];
    expect(names(pairsOf(PROGRAMS, 1)).toSorted()).toEqual(expected);
  });

  test('pairsOf pairs only programs of the same kind', () => {
    const kinds = PROGRAMS.map((entry): Scored => ({ ...entry, kind: entry.tokens[1] < 3 ? 'low' : 'high' }));
    expect(names(pairsOf(kinds, 1)).toSorted()).toEqual(['0: 2 > 1', '0: 4 > 3']);
  });

  test('the order of pairs depends only on the seed, and a limit selects the first pairs of this order', () => {
    expect(names(pairsOf(PROGRAMS, 1))).toEqual(names(pairsOf(PROGRAMS, 1)));
    expect(names(pairsOf(PROGRAMS, 1, 3))).toEqual(names(pairsOf(PROGRAMS, 1)).slice(0, 3));
    const orders = [1, 2, 3, 4].map((seed) => names(pairsOf(PROGRAMS, seed)).join());
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  test('every pair occurs once per pass, in passes of different orders, at any batch size', () => {
    const pairs = pairsOf(PROGRAMS, 1);
    // Three steps of four pairs are two passes over the six pairs.
    const steps = [0, 1, 2].flatMap((step) => names(pairsOfStep(pairs, 4, step, 7)));
    expect(steps.slice(0, 6).toSorted()).toEqual(names(pairs).toSorted());
    expect(steps.slice(6).toSorted()).toEqual(names(pairs).toSorted());
    const passes = Array.from({ length: 4 }, (_, pass) => names(pairsOfStep(pairs, 6, pass, 7)).join());
    expect(new Set(passes).size).toBeGreaterThan(1);
    // A batch that is larger than the number of pairs is one pass.
    expect(names(pairsOfStep(pairs, 64, 1, 7)).join()).toBe(passes[1]);
  });
});

describe('mislabelled', () => {
  const scored = Array.from({ length: 40 }, (_, token) => program(0, token, token / 40));
  const pairs = pairsOf(scored, 1);
  const reversed = (noise: number, seed: number) =>
    mislabelled(pairs, noise, seed).map(({ better, worse }, index) => {
      const { better: good, worse: bad } = pairs[index];
      expect([better, worse]).toEqual(better === good ? [good, bad] : [bad, good]);
      return better !== good;
    });

  test('mislabelled reverses no pair with noise 0, all pairs with noise 1, and a share equal to the noise between', () => {
    expect(pairs).toHaveLength((40 * 39) / 2);
    expect(reversed(0, 1)).not.toContain(true);
    expect(reversed(1, 1)).not.toContain(false);
    const count = reversed(0.2, 1).filter(Boolean).length;
    // 780 draws: 0.2 within three standard errors of 0.0143.
    expect(Math.abs(count / 780 - 0.2)).toBeLessThan(0.043);
  });

  test('reversed pairs depend only on the seed and the index, and less noise reverses a subset of the pairs', () => {
    expect(reversed(0.2, 1)).toEqual(reversed(0.2, 1));
    expect(reversed(0.2, 1)).not.toEqual(reversed(0.2, 2));
    const more = reversed(0.4, 1);
    expect(reversed(0.2, 1).every((wrong, index) => !wrong || more[index])).toBe(true);
  });
});

describe('accuracy', () => {
  test('accuracyOf counts right orders and half of each tie, and bins pairs by predicted probability', () => {
    // sigmoid(ln 3) = 0.75, sigmoid(ln 1.5) = 0.6, sigmoid(ln 19) = 0.95.
    const margins = [Math.log(3), -Math.log(3), Math.log(1.5), 0, Math.log(19)];
    const { pairs, accuracy, loss, bins } = accuracyOf(margins);
    expect(pairs).toBe(5);
    expect(accuracy).toBeCloseTo(3.5 / 5, 12);
    // -ln of 0.75, 0.25, 0.6, 0.5, 0.95: (0.28768 + 1.38629 + 0.51083 + 0.69315 + 0.05129) / 5.
    expect(loss).toBeCloseTo(0.585848, 5);
    expect(bins.map((bin) => bin.pairs)).toEqual([1, 1, 2, 0, 1]);
    expect(bins[2].predicted).toBeCloseTo(0.75, 12);
    expect(bins[2].right).toBe(0.5);
    expect(bins[3].right).toBeNaN();
    expect(bins[4].right).toBe(1);
    expect([bins[0].from, bins[4].to]).toEqual([0.5, 1]);
  });
});
