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
 * Task 0: .2, .5 (twice the same program), .5, 1. Task 1: all equal. Task 2: the prompt of task 0, with other scores.
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
  test('are those of distinct programs of one task that pass different shares of its tests', () => {
    expect(distinct(PROGRAMS)).toHaveLength(8);
    const expected = ['0: 2 > 1', '0: 3 > 1', '0: 4 > 1', '0: 4 > 2', '0: 4 > 3', '2: 1 > 4'];
    expect(names(pairsOf(PROGRAMS, 1)).toSorted()).toEqual(expected);
  });

  test('are never of two kinds', () => {
    const kinds = PROGRAMS.map((entry): Scored => ({ ...entry, kind: entry.tokens[1] < 3 ? 'low' : 'high' }));
    expect(names(pairsOf(kinds, 1)).toSorted()).toEqual(['0: 2 > 1', '0: 4 > 3']);
  });

  test('are in an order that only the seed determines, and fewer pairs are the first of more', () => {
    expect(names(pairsOf(PROGRAMS, 1))).toEqual(names(pairsOf(PROGRAMS, 1)));
    expect(names(pairsOf(PROGRAMS, 1, 3))).toEqual(names(pairsOf(PROGRAMS, 1)).slice(0, 3));
    const orders = [1, 2, 3, 4].map((seed) => names(pairsOf(PROGRAMS, seed)).join());
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  test('occur once per pass, in passes of different orders, at any batch size', () => {
    const pairs = pairsOf(PROGRAMS, 1);
    // Three steps of four: two passes over the six.
    const steps = [0, 1, 2].flatMap((step) => names(pairsOfStep(pairs, 4, step, 7)));
    expect(steps.slice(0, 6).toSorted()).toEqual(names(pairs).toSorted());
    expect(steps.slice(6).toSorted()).toEqual(names(pairs).toSorted());
    const passes = Array.from({ length: 4 }, (_, pass) => names(pairsOfStep(pairs, 6, pass, 7)).join());
    expect(new Set(passes).size).toBeGreaterThan(1);
    // A batch that is larger than all there are is one pass.
    expect(names(pairsOfStep(pairs, 64, 1, 7)).join()).toBe(passes[1]);
  });
});

describe('wrong labels', () => {
  const scored = Array.from({ length: 40 }, (_, token) => program(0, token, token / 40));
  const pairs = pairsOf(scored, 1);
  const reversed = (noise: number, seed: number) =>
    mislabelled(pairs, noise, seed).map(({ better, worse }, index) => {
      const { better: good, worse: bad } = pairs[index];
      expect([better, worse]).toEqual(better === good ? [good, bad] : [bad, good]);
      return better !== good;
    });

  test('are none without noise, all with noise 1, and as many as asked for between', () => {
    expect(pairs).toHaveLength((40 * 39) / 2);
    expect(reversed(0, 1)).not.toContain(true);
    expect(reversed(1, 1)).not.toContain(false);
    const count = reversed(0.2, 1).filter(Boolean).length;
    // 780 draws: .2 give or take three standard errors of .0143.
    expect(Math.abs(count / 780 - 0.2)).toBeLessThan(0.043);
  });

  test('depend on the seed and the place alone, and those of less noise are among those of more', () => {
    expect(reversed(0.2, 1)).toEqual(reversed(0.2, 1));
    expect(reversed(0.2, 1)).not.toEqual(reversed(0.2, 2));
    const more = reversed(0.4, 1);
    expect(reversed(0.2, 1).every((wrong, index) => !wrong || more[index])).toBe(true);
  });
});

describe('accuracy', () => {
  test('counts the right order, half for a tie, and bins by what was said', () => {
    // sigmoid(ln 3) = .75, sigmoid(ln 1.5) = .6, sigmoid(ln 19) = .95.
    const margins = [Math.log(3), -Math.log(3), Math.log(1.5), 0, Math.log(19)];
    const { pairs, accuracy, loss, bins } = accuracyOf(margins);
    expect(pairs).toBe(5);
    expect(accuracy).toBeCloseTo(3.5 / 5, 12);
    // -ln of .75, .25, .6, .5, .95: (.28768 + 1.38629 + .51083 + .69315 + .05129) / 5.
    expect(loss).toBeCloseTo(0.585848, 5);
    expect(bins.map((bin) => bin.pairs)).toEqual([1, 1, 2, 0, 1]);
    expect(bins[2].predicted).toBeCloseTo(0.75, 12);
    expect(bins[2].right).toBe(0.5);
    expect(bins[3].right).toBeNaN();
    expect(bins[4].right).toBe(1);
    expect([bins[0].from, bins[4].to]).toEqual([0.5, 1]);
  });
});
