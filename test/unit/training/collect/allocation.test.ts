import { describe, expect, it } from 'vitest';
import { allocateByDeviation, type ScoredTurn } from '../../../../src/training/collect/allocation.ts';

/** Returns the turns of a group: turns with rewards below 1 continue. */
const group = (number: number, ...rewards: number[]): ScoredTurn[] =>
  rewards.map((reward) => ({ group: number, reward, goesOn: reward !== 1 }));

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('allocateByDeviation', () => {
  it('gives more to problems with more variance, with the same total', () => {
    // Deviations 0, .1 and .2 of two turns each: 4 a turn are 24, 2 a turn are given to all at first. The other 12 go by
    // 2 s / sqrt(n (n + 1)): with n = 4 .089 against .0447, until the third has 8 in its two turns' 16 at most.
    const turns = [...group(0, 0.5, 0.5), ...group(1, 0.4, 0.6), ...group(2, 0.3, 0.7)];
    // The second reaches 7 where the third has 13: .2 / sqrt(7 * 8) = .0267 and .4 / sqrt(13 * 14) = .0297.
    expect(allocateByDeviation(turns, 4)).toEqual([2, 2, 4, 3, 7, 6]);
  });

  it('counts the turns that continue as the size of a group, and all turns in its deviation', () => {
    // Deviation .5 of [0, 0, 1, 1] with two that continue, and of [0, 1] with one.
    const turns = [...group(0, 0, 0, 1, 1), ...group(1, 0, 1)];
    // 3 a turn are 9: 4 and 2 at first; the next three by 1 / sqrt(n (n + 1)) and .5 / sqrt(m (m + 1)): .224 and .204, then
    // .183 and .204, then .183 and .144.
    expect(allocateByDeviation(turns, 3)).toEqual([3, 3, 0, 0, 3, 0]);
  });

  it('gives no problem more than twice the even share', () => {
    const turns = [...group(0, 0.5, 0.5, 0.5, 0.5), ...group(1, 0.1, 0.9)];
    expect(allocateByDeviation(turns, 4)).toEqual([2, 2, 2, 2, 8, 8]);
    // The remainder goes to the group with the fewest a turn.
    expect(allocateByDeviation([...group(0, 0.5), ...group(1, 0.5), ...group(2, 0.9, 1)], 4)).toEqual([2, 2, 8, 0]);
    expect(allocateByDeviation([...group(0, 0.5), ...group(1, 0.5), ...group(2, 0.5), ...group(3, 0.9, 1)], 4)).toEqual(
      [3, 3, 2, 8, 0],
    );
  });

  it('is even if nothing varies, or if the rewards are unknown', () => {
    expect(allocateByDeviation([...group(0, 0.5, 0.5), ...group(1, 0, 0, 0)], 4)).toEqual([4, 4, 4, 4, 4]);
    expect(allocateByDeviation([...group(0, Number.NaN, Number.NaN), ...group(1, Number.NaN)], 3)).toEqual([3, 3, 3]);
    expect(allocateByDeviation(group(0, 0.2, 0.8, 0.4), 5)).toEqual([5, 5, 5]);
  });

  it('gives what is available if two for each is all of it or more', () => {
    expect(allocateByDeviation([...group(0, 0.5, 0.5), ...group(1, 0.1, 0.9)], 2)).toEqual([2, 2, 2, 2]);
    expect(allocateByDeviation([...group(0, 0.5, 0.5), ...group(1, 0.1, 0.9)], 1)).toEqual([1, 1, 1, 1]);
    expect(allocateByDeviation(group(0, 1, 1), 4)).toEqual([0, 0]);
    expect(allocateByDeviation([], 4)).toEqual([]);
  });

  it('keeps the sum and its bounds for any rewards', () => {
    for (let seed = 1; seed <= 300; seed++) {
      let state = seed;
      const next = (below: number) => {
        state = (state * 48271) % 2147483647;
        return state % below;
      };
      const turns = Array.from({ length: 1 + next(8) }, (_, at) =>
        group(at, ...Array.from({ length: 1 + next(8) }, () => next(11) / 10)),
      ).flat();
      const width = 1 + next(8);
      const counts = allocateByDeviation(turns, width);
      const open = turns.filter(({ goesOn }) => goesOn).length;
      expect(sum(counts)).toBe(width * open);
      turns.forEach(({ goesOn }, at) => {
        expect(counts[at]).toBeGreaterThanOrEqual(goesOn ? Math.min(2, width) : 0);
        expect(counts[at]).toBeLessThanOrEqual(goesOn ? 2 * width : 0);
      });
    }
  });
});
