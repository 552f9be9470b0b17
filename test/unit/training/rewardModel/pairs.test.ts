import { describe, expect, test } from 'vitest';
import { accuracyOf, distinct, pairsOf, pairsOfStep, type Scored } from '../../../../src/training/rewardModel/pairs.ts';

const program = (task: number, token: number, passRate: number): Scored => ({ task, tokens: [9, token], passRate });
/** Task 0: .2, .5 (twice the same program), .5, 1. Task 1: all alike. Task 2: the prompt of task 0, judged otherwise. */
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
    const wanted = ['0: 2 > 1', '0: 3 > 1', '0: 4 > 1', '0: 4 > 2', '0: 4 > 3', '2: 1 > 4'];
    expect(names(pairsOf(PROGRAMS, 1)).toSorted()).toEqual(wanted);
  });

  test('stand in an order that the seed alone decides, and fewer are the first of more', () => {
    expect(names(pairsOf(PROGRAMS, 1))).toEqual(names(pairsOf(PROGRAMS, 1)));
    expect(names(pairsOf(PROGRAMS, 1, 3))).toEqual(names(pairsOf(PROGRAMS, 1)).slice(0, 3));
    const orders = [1, 2, 3, 4].map((seed) => names(pairsOf(PROGRAMS, seed)).join());
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  test('come once a pass, in passes of different orders, whatever the batch', () => {
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
