import { describe, expect, test } from 'vitest';
import { judge } from '../../../../src/experiments/claims/judge.ts';
import { corrected } from '../../../../src/experiments/claims/outcome.ts';

const more = { asks: 'more', margin: 0.02 } as const;
const keeps = { asks: 'keeps', margin: 0.02 } as const;
/** Ten values around a middle; their 95 % interval is ± .00108. */
const around = (middle: number) => [-2, -1, -1, -1, 0, 0, 1, 1, 1, 2].map((off) => middle + off / 833);

describe('what is claimed to be better', () => {
  test.each([
    [0.03, 'appears'],
    [0.0205, 'undecided'],
    [0.0195, 'undecided'],
    [0.018, 'does not appear'],
    [0, 'does not appear'],
    [-0.018, 'does not appear'],
    [-0.0195, 'undecided'],
    [-0.03, 'opposite'],
  ] as const)('by %s, with a margin of .02: %s', (middle, status) => {
    expect(judge(more, around(middle)).status).toBe(status);
  });
});

describe('what is claimed to be kept', () => {
  test.each([
    [0.03, 'appears'],
    [0, 'appears'],
    [-0.018, 'appears'],
    [-0.0195, 'undecided'],
    [-0.0205, 'undecided'],
    [-0.03, 'opposite'],
  ] as const)('at %s, with a margin of .02: %s', (middle, status) => {
    expect(judge(keeps, around(middle)).status).toBe(status);
  });
});

describe('one seed', () => {
  test('decides nothing, however far', () => {
    const found = judge(more, [5]);
    expect([found.status, found.mean, found.probability]).toEqual(['undecided', 5, 1]);
  });
});

describe('the probability behind a verdict', () => {
  test('is below .05 exactly where something is decided', () => {
    for (const asks of [more, keeps]) {
      for (let middle = -0.04; middle <= 0.04; middle += 0.0007) {
        const { status, probability } = judge(asks, around(middle));
        expect(probability < 0.05, `${asks.asks} ${middle}`).toBe(status !== 'undecided');
      }
    }
  });

  test('is corrected with the others of its paper, and what does not hold then is undecided', () => {
    const told = corrected([
      { status: 'appears', probability: 0.03 },
      { status: 'opposite', probability: 0.001 },
      { status: 'undecided', probability: 0.4 },
    ]);
    expect(told.map(({ status }) => status)).toEqual(['undecided', 'opposite', 'undecided']);
    expect(told.map(({ probability }) => probability)).toEqual([0.06, 0.003, 0.4]);
  });
});
