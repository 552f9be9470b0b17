import { describe, expect, it } from 'vitest';
import { allocateByDeviation, type ScoredTurn } from '../../../../src/training/collect/allocation.ts';

/** Returns the turns of a group: turns with rewards below 1 continue. */
const group = (number: number, ...rewards: number[]): ScoredTurn[] =>
  rewards.map((reward) => ({ group: number, reward, goesOn: reward !== 1 }));

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('allocateByDeviation', () => {
  it('allocateByDeviation allocates more to problems with more variance, with the same total', () => {
    // The deviations s of two turns each are 0, 0.1 and 0.2. The total is 24, 4 per turn. Every turn first gets 2.
    // The other 12 are allocated by 2 s / sqrt(n (n + 1)): 0.0447 and 0.0894 for n = 4. A group has at most 16.
    const turns = [...group(0, 0.5, 0.5), ...group(1, 0.4, 0.6), ...group(2, 0.3, 0.7)];
    // At the end, the second group has 7 with 0.2 / sqrt(7 * 8) = 0.0267, and the third has 13 with
    // 0.4 / sqrt(13 * 14) = 0.0297.
    expect(allocateByDeviation(turns, 4)).toEqual([2, 2, 4, 3, 7, 6]);
  });

  it('allocateByDeviation uses turns that continue for the size of a group, and all turns for its deviation', () => {
    // [0, 0, 1, 1] has the deviation 0.5 and two turns that continue, [0, 1] the deviation 0.5 and one such turn.
    const turns = [...group(0, 0, 0, 1, 1), ...group(1, 0, 1)];
    // The total is 9, 3 per turn. The groups first get 4 and 2. The other three are allocated by 1 / sqrt(n (n + 1))
    // and 0.5 / sqrt(m (m + 1)): 0.224 and 0.204, then 0.183 and 0.204, then 0.183 and 0.144.
    expect(allocateByDeviation(turns, 3)).toEqual([3, 3, 0, 0, 3, 0]);
  });

  it('allocateByDeviation allocates at most twice the even share to a problem', () => {
    const turns = [...group(0, 0.5, 0.5, 0.5, 0.5), ...group(1, 0.1, 0.9)];
    expect(allocateByDeviation(turns, 4)).toEqual([2, 2, 2, 2, 8, 8]);
    // The group with the fewest continuations per turn gets the remainder.
    expect(allocateByDeviation([...group(0, 0.5), ...group(1, 0.5), ...group(2, 0.9, 1)], 4)).toEqual([2, 2, 8, 0]);
    expect(allocateByDeviation([...group(0, 0.5), ...group(1, 0.5), ...group(2, 0.5), ...group(3, 0.9, 1)], 4)).toEqual(
      [3, 3, 2, 8, 0],
    );
  });

  it('allocateByDeviation is even if the rewards of groups are equal or unknown, or if there is one group', () => {
    expect(allocateByDeviation([...group(0, 0.5, 0.5), ...group(1, 0, 0, 0)], 4)).toEqual([4, 4, 4, 4, 4]);
    expect(allocateByDeviation([...group(0, Number.NaN, Number.NaN), ...group(1, Number.NaN)], 3)).toEqual([3, 3, 3]);
    expect(allocateByDeviation(group(0, 0.2, 0.8, 0.4), 5)).toEqual([5, 5, 5]);
  });

  it('allocateByDeviation is even if the total is at most two per turn, and 0 without turns that continue', () => {
    expect(allocateByDeviation([...group(0, 0.5, 0.5), ...group(1, 0.1, 0.9)], 2)).toEqual([2, 2, 2, 2]);
    expect(allocateByDeviation([...group(0, 0.5, 0.5), ...group(1, 0.1, 0.9)], 1)).toEqual([1, 1, 1, 1]);
    expect(allocateByDeviation(group(0, 1, 1), 4)).toEqual([0, 0]);
    expect(allocateByDeviation([], 4)).toEqual([]);
  });

  it('allocateByDeviation preserves the total and the bounds of each turn for any rewards', () => {
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
