import { describe, expect, test } from 'vitest';
import { countGrows, grows, trend } from '../../../bench/trend.ts';

const minutes = [5, 6, 7, 8, 9];

describe('the trend of samples', () => {
  test('the trend of samples is the median slope times the duration, which one outlier does not change', () => {
    // All slopes are 1, except the slopes of the four pairs with the outlier. The median of the ten slopes is 1.
    expect(trend(minutes, [10, 11, 50, 13, 14])).toEqual({ rise: 4, median: 13 });
    expect(trend(minutes, [3, 3, 3, 3, 3])).toEqual({ rise: 0, median: 3 });
    expect(trend([5, 7], [2, 1])).toEqual({ rise: -1, median: 1.5 });
  });

  test('a trend is growth if its rise exceeds the noise, absolute and relative to the median', () => {
    expect(grows({ rise: 2.1, median: 10 }, 2, 0.1)).toBe(true);
    expect(grows({ rise: 1.9, median: 10 }, 2, 0.1)).toBe(false);
    expect(grows({ rise: 2.1, median: 30 }, 2, 0.1)).toBe(false);
  });

  test('a count grows if its last values are all larger than its first values', () => {
    expect(countGrows([1, 3, 1, 3, 1, 3])).toBe(false);
    expect(countGrows([1, 1, 2, 2, 2, 2])).toBe(true);
    expect(countGrows([119, 119, 119])).toBe(false);
  });
});
