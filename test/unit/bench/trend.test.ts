import { describe, expect, test } from 'vitest';
import { countGrows, grows, trend } from '../../../bench/trend.ts';

const minutes = [5, 6, 7, 8, 9];

describe('the trend of samples', () => {
  test('is the median slope times the duration, which one outlier does not change', () => {
    // All slopes are 1, except those of the four pairs with the outlier: the median of the ten is 1.
    expect(trend(minutes, [10, 11, 50, 13, 14])).toEqual({ rise: 4, median: 13 });
    expect(trend(minutes, [3, 3, 3, 3, 3])).toEqual({ rise: 0, median: 3 });
    expect(trend([5, 7], [2, 1])).toEqual({ rise: -1, median: 1.5 });
  });

  test('is growth where it is more than the noise, absolute and as a share', () => {
    expect(grows({ rise: 2.1, median: 10 }, 2, 0.1)).toBe(true);
    expect(grows({ rise: 1.9, median: 10 }, 2, 0.1)).toBe(false);
    expect(grows({ rise: 2.1, median: 30 }, 2, 0.1)).toBe(false);
  });

  test('of a count is growth where the last are all more than the first', () => {
    expect(countGrows([1, 3, 1, 3, 1, 3])).toBe(false);
    expect(countGrows([1, 1, 2, 2, 2, 2])).toBe(true);
    expect(countGrows([119, 119, 119])).toBe(false);
  });
});
